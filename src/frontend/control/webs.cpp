#include "frontend/control/webs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>

#include "support/check.h"
#include "syntax/walk.h"

namespace cuda_device::frontend {
namespace {

using syntax::Node;
using syntax::NodeKind;
using Names = std::vector<Node*>;

// Definitions of one variable that reach a point, sorted; kUndefined: the entry of the function
// does.
using Reaching = std::vector<uint32_t>;
constexpr uint32_t kUndefined = ~0u;

struct Flow {
  bool reachable = true;
  std::vector<Reaching> variables;
  friend bool operator==(const Flow&, const Flow&) = default;
};

Flow join(const Flow& a, const Flow& b) {
  if (!a.reachable) return b;
  if (!b.reachable) return a;
  Flow out = a;
  for (size_t i = 0; i < out.variables.size(); ++i) {
    Reaching merged;
    std::set_union(a.variables[i].begin(), a.variables[i].end(), b.variables[i].begin(),
                   b.variables[i].end(), std::back_inserter(merged));
    out.variables[i] = std::move(merged);
  }
  return out;
}

struct Loop {
  Flow breaks{false, {}};
  Flow continues{false, {}};
};

// What a literal says as a condition; nothing for what is none.
std::optional<bool> constant_condition(const Node* test) {
  auto* constant = syntax::as<syntax::Constant>(test);
  if (!constant) return std::nullopt;
  const syntax::Value& v = constant->value;
  if (v.kind == syntax::Value::Kind::Bool) return v.boolean;
  if (v.kind == syntax::Value::Kind::Int) return v.integer != 0;
  return std::nullopt;
}

// Nothing goes on after it.
bool ends(const Node* node) {
  if (auto* s = syntax::as<syntax::Assert>(node)) return constant_condition(s->test) == false;
  return node->kind == NodeKind::Break || node->kind == NodeKind::Continue ||
         node->kind == NodeKind::Return || node->kind == NodeKind::Raise;
}

class Analysis {
 public:
  explicit Analysis(const syntax::Function& f) : function_(f) {}

  Webs run() {
    collect_parameters();
    for (Node* statement : function_.body) collect(statement);
    Flow flow;
    flow.variables.assign(variables_.size(), {kUndefined});
    parent_.resize(webs_.definitions.size());
    std::iota(parent_.begin(), parent_.end(), 0);
    undefined_.resize(webs_.definitions.size());
    for (uint32_t i = 0; i < parameters_; ++i) define(flow, webs_.definitions[i].node);
    statements(flow, function_.body);
    number_webs();
    return std::move(webs_);
  }

 private:
  // --- which names are local, and where they are defined ---

  void collect_parameters() {
    if (!function_.args) return;
    const syntax::arguments& a = *function_.args;
    for (const Names* list : {&a.posonlyargs, &a.args, &a.kwonlyargs})
      for (Node* parameter : *list) add_definition(parameter, name_of(parameter));
    for (Node* parameter : {a.vararg, a.kwarg})
      if (parameter) add_definition(parameter, name_of(parameter));
    parameters_ = static_cast<uint32_t>(webs_.definitions.size());
  }

  static const std::string& name_of(const Node* parameter) {
    return syntax::as<syntax::arg>(parameter)->name;
  }

  void add_definition(const Node* node, const std::string& name) {
    if (!webs_.definition_at.try_emplace(node, webs_.definitions.size()).second) return;
    webs_.definitions.push_back({name, node, 0, depth_});
    variables_.try_emplace(name, static_cast<uint32_t>(variables_.size()));
  }

  void collect_target(const Node* target) {
    if (auto* name = syntax::as<syntax::Name>(target)) return add_definition(name, name->id);
    if (auto* tuple = syntax::as<syntax::Tuple>(target)) {
      for (Node* element : tuple->elts) collect_target(element);
    } else if (auto* starred = syntax::as<syntax::Starred>(target)) {
      collect_target(starred->value);
    }
  }

  void collect(const Node* node) {
    if (!node) return;
    const bool loop = node->kind == NodeKind::While || node->kind == NodeKind::For;
    if (loop) ++depth_;
    collect_own_targets(node);
    if (auto* unsupported = syntax::as<syntax::Unsupported>(node)) {
      webs_.has_unsupported = true;
      webs_.hidden.insert(unsupported->binds.begin(), unsupported->binds.end());
    }
    if (node->kind != NodeKind::Lambda && node->kind != NodeKind::FunctionDef)
      syntax::for_each_child(*node, [this](const Node* child) { collect(child); });
    if (loop) --depth_;
  }

  void collect_own_targets(const Node* node) {
    if (auto* s = syntax::as<syntax::Assign>(node))
      for (Node* target : s->targets) collect_target(target);
    if (auto* s = syntax::as<syntax::AugAssign>(node)) collect_target(s->target);
    if (auto* s = syntax::as<syntax::AnnAssign>(node)) collect_annotated(s);
    if (auto* s = syntax::as<syntax::For>(node)) collect_target(s->target);
    if (auto* s = syntax::as<syntax::NamedExpr>(node)) collect_target(s->target);
    if (auto* s = syntax::as<syntax::FunctionDef>(node)) add_definition(s, s->name);
  }

  // Two annotations of one name hold for the assignments that they stand at.
  void collect_annotated(const syntax::AnnAssign* node) {
    if (node->value) collect_target(node->target);
    auto* name = syntax::as<syntax::Name>(node->target);
    if (!name) return;
    const bool first = webs_.declared.try_emplace(name->id, node->annotation).second;
    if (!first) webs_.declared[name->id] = nullptr;
  }

  // --- flow ---

  uint32_t find(uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  void unite(uint32_t a, uint32_t b) {
    a = find(a);
    b = find(b);
    // The lower number stays the representative: webs are numbered in the order of the program.
    if (a < b) parent_[b] = a;
    if (b < a) parent_[a] = b;
  }

  void define(Flow& flow, const Node* node) {
    const auto at = webs_.definition_at.find(node);
    if (at == webs_.definition_at.end() || !flow.reachable) return;
    flow.variables[variables_.at(webs_.definitions[at->second].name)] = {at->second};
  }

  void use(const Flow& flow, const syntax::Name* name) {
    const auto variable = variables_.find(name->id);
    if (variable == variables_.end() || function_.bindings.contains(name) || !flow.reachable)
      return;
    uint32_t first = Webs::kNone;
    bool undefined = false;
    for (uint32_t definition : flow.variables[variable->second]) {
      if (definition == kUndefined) {
        undefined = true;
      } else if (first == Webs::kNone) {
        first = definition;
      } else {
        unite(first, definition);
      }
    }
    if (first != Webs::kNone && undefined) undefined_[first] = true;
    auto& used = uses_[name];
    if (first != Webs::kNone) used = first + 1;
  }

  void target(Flow& flow, const Node* node) {
    if (auto* tuple = syntax::as<syntax::Tuple>(node)) {
      for (Node* element : tuple->elts) target(flow, element);
    } else if (auto* starred = syntax::as<syntax::Starred>(node)) {
      target(flow, starred->value);
    } else if (node->kind == NodeKind::Name) {
      define(flow, node);
    } else {
      expression(flow, node);
    }
  }

  static bool has_parameters(const syntax::Lambda* lambda) {
    auto* a = syntax::as<syntax::arguments>(lambda->args);
    return a && !(a->posonlyargs.empty() && a->args.empty() && a->kwonlyargs.empty() &&
                  !a->vararg && !a->kwarg);
  }

  void expression(Flow& flow, const Node* node) {
    if (!node) return;
    switch (node->kind) {
      case NodeKind::Name:
        return use(flow, syntax::as<syntax::Name>(node));
      case NodeKind::Lambda: {
        // Called where it stands: it reads the variables around it as they are now.
        auto* e = syntax::as<syntax::Lambda>(node);
        if (!has_parameters(e)) expression(flow, e->body);
        return;
      }
      case NodeKind::NamedExpr: {
        auto* e = syntax::as<syntax::NamedExpr>(node);
        expression(flow, e->value);
        return define(flow, e->target);
      }
      case NodeKind::IfExp: {
        auto* e = syntax::as<syntax::IfExp>(node);
        return either(
            flow, e->test, [&](Flow& yes) { expression(yes, e->body); },
            [&](Flow& no) { expression(no, e->orelse); });
      }
      case NodeKind::BoolOp:
        return short_circuit(flow, syntax::as<syntax::BoolOp>(node)->values);
      case NodeKind::Compare: {
        auto* e = syntax::as<syntax::Compare>(node);
        expression(flow, e->left);
        return short_circuit(flow, e->comparators);
      }
      default:
        syntax::for_each_child(*node, [&](const Node* child) { expression(flow, child); });
    }
  }

  // Both ways that a test may go.
  template <class Yes, class No>
  void either(Flow& flow, const Node* test, const Yes& yes, const No& no) {
    expression(flow, test);
    Flow other = flow;
    yes(flow);
    no(other);
    flow = join(flow, other);
  }

  // The first operand is always evaluated, each further one perhaps not.
  void short_circuit(Flow& flow, const Names& operands) {
    Flow out{false, {}};
    for (Node* operand : operands) {
      expression(flow, operand);
      out = join(out, flow);
    }
    flow = std::move(out);
  }

  void statements(Flow& flow, const Names& body) {
    for (Node* statement : body) this->statement(flow, statement);
  }

  void statement(Flow& flow, const Node* node) {
    switch (node->kind) {
      case NodeKind::Assign: {
        auto* s = syntax::as<syntax::Assign>(node);
        expression(flow, s->value);
        for (Node* t : s->targets) target(flow, t);
        return;
      }
      case NodeKind::AugAssign: {
        auto* s = syntax::as<syntax::AugAssign>(node);
        expression(flow, s->target);
        expression(flow, s->value);
        return define(flow, s->target);
      }
      case NodeKind::AnnAssign: {
        auto* s = syntax::as<syntax::AnnAssign>(node);
        if (!s->value) return;
        expression(flow, s->value);
        return target(flow, s->target);
      }
      case NodeKind::If: {
        auto* s = syntax::as<syntax::If>(node);
        return either(
            flow, s->test, [&](Flow& yes) { statements(yes, s->body); },
            [&](Flow& no) { statements(no, s->orelse); });
      }
      case NodeKind::While: {
        auto* s = syntax::as<syntax::While>(node);
        return loop(flow, s->test, nullptr, s->body, s->orelse);
      }
      case NodeKind::For: {
        auto* s = syntax::as<syntax::For>(node);
        expression(flow, s->iter);
        return loop(flow, nullptr, s->target, s->body, s->orelse);
      }
      case NodeKind::FunctionDef:
        return define(flow, node);
      default:
        return leave_or_evaluate(flow, node);
    }
  }

  void leave_or_evaluate(Flow& flow, const Node* node) {
    if (node->kind == NodeKind::Break && !loops_.empty())
      loops_.back()->breaks = join(loops_.back()->breaks, flow);
    if (node->kind == NodeKind::Continue && !loops_.empty())
      loops_.back()->continues = join(loops_.back()->continues, flow);
    syntax::for_each_child(*node, [&](const Node* child) { expression(flow, child); });
    if (ends(node)) flow.reachable = false;
  }

  // Repeated until what reaches the head no longer grows: uses only ever see more definitions. A
  // loop in a loop goes on from what reached it before: then repetitions do not multiply with
  // depth.
  void loop(Flow& flow, const Node* test, const Node* loop_target, const Names& body,
            const Names& orelse) {
    Flow& head = heads_.try_emplace(&body, Flow{false, {}}).first->second;
    head = join(head, flow);
    Flow exit;
    Loop frame;
    while (true) {
      Flow inside = head;
      if (test) expression(inside, test);
      exit = inside;
      if (test && constant_condition(test) == true) exit.reachable = false;
      if (loop_target) target(inside, loop_target);
      frame = {};
      loops_.push_back(&frame);
      statements(inside, body);
      loops_.pop_back();
      Flow next = join(head, join(inside, frame.continues));
      if (next == head) break;
      head = std::move(next);
    }
    statements(exit, orelse);
    flow = join(exit, frame.breaks);
  }

  // --- result ---

  void number_webs() {
    std::map<std::string, uint32_t> definitions_of;
    for (const Definition& d : webs_.definitions) ++definitions_of[d.name];
    std::vector<uint32_t> number(webs_.definitions.size(), Webs::kNone);
    for (uint32_t i = 0; i < webs_.definitions.size(); ++i) {
      const uint32_t root = find(i);
      Definition& d = webs_.definitions[i];
      if (number[root] == Webs::kNone) {
        number[root] = static_cast<uint32_t>(webs_.webs.size());
        webs_.webs.push_back({d.name, d.loop_depth, i, 0, false, definitions_of[d.name] > 1});
      }
      Web& web = webs_.webs[number[root]];
      d.web = number[root];
      ++web.definition_count;
      web.min_loop_depth = std::min(web.min_loop_depth, d.loop_depth);
      web.may_be_undefined |= undefined_[i];
    }
    for (auto [name, used] : uses_)
      webs_.use_at[name] = used ? webs_.definitions[used - 1].web : Webs::kNone;
  }

  const syntax::Function& function_;
  Webs webs_;
  std::map<std::string, uint32_t> variables_;
  std::unordered_map<const Node*, uint32_t> uses_;  // a definition that reaches it, plus 1; 0: none
  std::vector<uint32_t> parent_;                    // union-find over definitions
  std::vector<bool> undefined_;
  std::vector<Loop*> loops_;
  std::unordered_map<const Names*, Flow> heads_;  // by the loop's body: what has reached its head
  uint32_t parameters_ = 0;
  uint32_t depth_ = 0;
};

}  // namespace

uint32_t Webs::web_used_at(const syntax::Node* name) const {
  const auto at = use_at.find(name);
  return at == use_at.end() ? kNone : at->second;
}

bool Webs::is_local(const std::string& name) const {
  return std::any_of(webs.begin(), webs.end(), [&](const Web& w) { return w.name == name; });
}

Webs find_webs(const syntax::Function& function) { return Analysis(function).run(); }

}  // namespace cuda_device::frontend
