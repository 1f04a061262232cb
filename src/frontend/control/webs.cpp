#include "frontend/control/webs.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <utility>

#include "frontend/control/definitions.h"
#include "frontend/control/merges.h"
#include "frontend/control/scopes.h"
#include "support/check.h"
#include "syntax/walk.h"

namespace cuda_device::frontend {
namespace {

using syntax::Node;
using syntax::NodeKind;
using Nodes = std::vector<Node*>;

Flow join(const Flow& a, const Flow& b) {
  if (!a.reachable) return b;
  if (!b.reachable) return a;
  Flow out = a;
  for (size_t i = 0; i < out.variables.size(); ++i) {
    if (a.variables[i] == b.variables[i]) continue;
    std::vector<uint32_t> merged;
    std::set_union(a.variables[i].begin(), a.variables[i].end(), b.variables[i].begin(),
                   b.variables[i].end(), std::back_inserter(merged));
    out.variables[i] = Reaching(std::move(merged));
  }
  return out;
}

// The paths that leave a body before its end.
struct Loop {
  std::vector<Arrival> breaks, continues;
};

// What all of them bring.
Flow join(Flow flow, const std::vector<Arrival>& arrivals) {
  for (const Arrival& one : arrivals) flow = join(flow, one.flow);
  return flow;
}

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

bool holds_generator(const Node* node) {
  if (!node) return false;
  bool found = node->kind == NodeKind::GeneratorExp;
  syntax::for_each_child(*node, [&](const Node* child) { found |= holds_generator(child); });
  return found;
}

class Analysis {
 public:
  Analysis(const syntax::Function& f, Unrolled& unrolled, bool merges)
      : function_(f),
        definitions_(collect_definitions(f, unrolled, merges)),
        position_(unrolled, definitions_.names),
        sets_(definitions_.all.size()) {
    if (merges) merges_.emplace(sets_, definitions_.variable_of, definitions_.variables);
  }

  Webs run() {
    Flow flow;
    flow.variables.assign(definitions_.variables, Reaching{kUndefined});
    for (uint32_t i = 0; i < definitions_.parameters; ++i) define(flow, definitions_.all[i].node);
    statements(flow, function_.body);
    CD_CHECK(position_.is_outermost(), "a loop or scope that is not left");
    if (merges_) merges_->settle();
    number_webs();
    add_definitions();
    return std::move(webs_);
  }

 private:
  // --- flow ---

  void define(Flow& flow, const Node* node) {
    const auto at = definitions_.at.find(position_.place(node));
    if (at == definitions_.at.end() || !flow.reachable) return;
    flow.variables[definitions_.variable_of[at->second]] = {at->second};
    if (merges_) merges_->reach(at->second);
  }

  // Where both paths come to one point.
  Flow meet(Arrival a, Arrival b) {
    return merges_ ? merges_->meet(std::array{std::move(a), std::move(b)}) : join(a.flow, b.flow);
  }

  void use(const Flow& flow, const syntax::Name* name) {
    const std::optional<uint32_t> variable = position_.variable_named(name->id);
    if (!variable || function_.bindings.contains(name) || !flow.reachable) return;
    uint32_t first = Webs::kNone;
    bool undefined = false;
    for (uint32_t definition : flow.variables[*variable]) {
      if (definition == kUndefined) {
        undefined = true;
      } else if (first == Webs::kNone) {
        first = definition;
      } else {
        sets_.unite(first, definition);
      }
    }
    if (first != Webs::kNone && undefined) undefined_.insert(first);
    Use& used = uses_[position_.place(name)];
    if (first == Webs::kNone) return;
    // The visits of one read, from loops and from copies of them, see one web.
    bool only = !undefined && flow.variables[*variable].size() == 1;
    if (used.definition != Webs::kNone) {
      only &= used.definition == first;
      sets_.unite(used.definition, first);
    }
    used = {first, only};
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

  // A function that stands here and may be called from here on: whatever is assigned to what it
  // reads, it reads.
  void closure(Flow& flow, const Node* function) {
    for_each_default(function, [&](const Node* value) { expression(flow, value); });
    for_each_free_name(function, [&](const syntax::Name* name) { capture(flow, name); });
  }

  void capture(const Flow& flow, const syntax::Name* name) {
    const std::optional<uint32_t> variable = position_.variable_named(name->id);
    if (!variable || function_.bindings.contains(name) || !flow.reachable) return;
    uint32_t first = Webs::kNone;
    for (uint32_t i = 0; i < definitions_.all.size(); ++i) {
      if (definitions_.variable_of[i] != *variable) continue;
      if (first == Webs::kNone) first = i;
      sets_.unite(first, i);
    }
    uses_[position_.place(name)] = {first, false};
    if (first == Webs::kNone) return;
    captured_.insert(first);
    const Reaching& reaching = flow.variables[*variable];
    if (std::ranges::find(reaching, kUndefined) != reaching.end()) undefined_.insert(first);
  }

  // Lambdas that are given to what the language knows are called before it returns: they read the
  // variables as they are now. map() calls them later.
  void call(Flow& flow, const syntax::Call* node) {
    const auto callee = function_.bindings.find(node->func);
    const bool known = callee != function_.bindings.end() &&
                       callee->second.kind == syntax::Binding::Kind::Entity &&
                       callee->second.name.starts_with("device.");
    std::vector<const Node*> lambdas;
    syntax::for_each_child(*node, [&](const Node* child) {
      auto* keyword = syntax::as<syntax::keyword>(child);
      const Node* value = keyword ? keyword->value : child;
      if (known && value->kind == NodeKind::Lambda)
        lambdas.push_back(value);
      else
        expression(flow, value);
    });
    for (const Node* lambda : lambdas) {
      for_each_default(lambda, [&](const Node* value) { expression(flow, value); });
      for_each_free_name(lambda, [&](const syntax::Name* name) { use(flow, name); });
    }
  }

  void expression(Flow& flow, const Node* node) {
    if (!node) return;
    switch (node->kind) {
      case NodeKind::Name:
        return use(flow, syntax::as<syntax::Name>(node));
      case NodeKind::Lambda:
        return closure(flow, node);
      case NodeKind::Call:
        return call(flow, syntax::as<syntax::Call>(node));
      case NodeKind::NamedExpr: {
        auto* e = syntax::as<syntax::NamedExpr>(node);
        expression(flow, e->value);
        return define(flow, e->target);
      }
      case NodeKind::IfExp: {
        auto* e = syntax::as<syntax::IfExp>(node);
        return either(
            flow, e, e->test, [&](Flow& yes) { expression(yes, e->body); },
            [&](Flow& no) { expression(no, e->orelse); });
      }
      case NodeKind::GeneratorExp: {
        auto* e = syntax::as<syntax::GeneratorExp>(node);
        return position_.in_scope(definitions_.own_names[e], [&] { clauses(flow, e, 0); });
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
  void either(Flow& flow, const Node* node, const Node* test, const Yes& yes, const No& no) {
    expression(flow, test);
    Flow other = flow;
    yes(flow);
    no(other);
    flow = meet({{node, PathEnd::Then}, std::move(flow)},
                {{node, PathEnd::Otherwise}, std::move(other)});
  }

  // The first operand is always evaluated, each further one perhaps not.
  void short_circuit(Flow& flow, const Nodes& operands) {
    std::vector<Arrival> decided;
    for (Node* operand : operands) {
      if (operand != operands[0]) decided.push_back({{operand, PathEnd::Otherwise}, flow});
      expression(flow, operand);
    }
    for (Arrival& one : decided | std::views::reverse) {
      const Node* operand = one.edge.node;
      flow = meet({{operand, PathEnd::Then}, std::move(flow)}, std::move(one));
    }
  }

  void statements(Flow& flow, const Nodes& body) {
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
            flow, s, s->test, [&](Flow& yes) { statements(yes, s->body); },
            [&](Flow& no) { statements(no, s->orelse); });
      }
      case NodeKind::While: {
        auto* s = syntax::as<syntax::While>(node);
        const auto once = [&](Flow& inside) { statements(inside, s->body); };
        return loop(flow, s, s->test, once, s->orelse);
      }
      case NodeKind::For: {
        auto* s = syntax::as<syntax::For>(node);
        expression(flow, s->iter);
        const uint32_t outside = position_.copy();
        const auto once = [&](Flow& inside) {
          // Its elements are evaluated as the loop comes to them.
          if (holds_generator(s->iter))
            position_.as_in(outside, [&] { expression(inside, s->iter); });
          target(inside, s->target);
          statements(inside, s->body);
        };
        if (const std::optional<UnrolledLoop> known = position_.unrolled(s))
          return unrolled_loop(flow, s, *known, once, s->orelse);
        return loop(flow, s, nullptr, once, s->orelse);
      }
      case NodeKind::FunctionDef:
        closure(flow, node);
        return define(flow, node);
      case NodeKind::Match:
        return match(flow, syntax::as<syntax::Match>(node));
      default:
        return leave_or_evaluate(flow, node);
    }
  }

  // One case after the other. What a pattern takes has its names also where the guard then fails.
  void match(Flow& flow, const syntax::Match* node) {
    expression(flow, node->subject);
    Flow out{false, {}};
    for (const Node* one : node->cases) {
      auto* branch = syntax::as<syntax::match_case>(one);
      Flow inside = flow;
      pattern_values(inside, branch->pattern);
      for_each_captured(branch->pattern, [&](const Node* name) { define(inside, name); });
      if (branch->guard) expression(inside, branch->guard);
      if (is_irrefutable(branch->pattern)) flow = {false, {}};
      if (branch->guard) flow = join(flow, inside);
      statements(inside, branch->body);
      out = join(out, inside);
    }
    flow = join(flow, out);
  }

  // Reads what a pattern compares with.
  void pattern_values(Flow& flow, const Node* pattern) {
    if (auto* value = syntax::as<syntax::MatchValue>(pattern))
      return expression(flow, value->value);
    if (auto* cls = syntax::as<syntax::MatchClass>(pattern)) expression(flow, cls->cls);
    syntax::for_each_child(*pattern, [&](const Node* child) {
      if (is_pattern(child)) pattern_values(flow, child);
    });
  }

  void leave_or_evaluate(Flow& flow, const Node* node) {
    if (node->kind == NodeKind::Break && !loops_.empty()) jump(loops_.back()->breaks, node, flow);
    if (node->kind == NodeKind::Continue && !loops_.empty())
      jump(loops_.back()->continues, node, flow);
    syntax::for_each_child(*node, [&](const Node* child) { expression(flow, child); });
    if (ends(node)) flow.reachable = false;
  }

  // Only merges ask which path brings what.
  void jump(std::vector<Arrival>& arrivals, const Node* node, const Flow& flow) {
    if (merges_ || arrivals.empty())
      arrivals.push_back({{node, PathEnd::Jump}, flow});
    else
      arrivals[0].flow = join(arrivals[0].flow, flow);
  }

  // Repeated until what reaches the head no longer grows: uses only ever see more definitions. A
  // loop in a loop goes on from what reached it before: then repetitions do not multiply with
  // depth.
  template <class Once>
  void loop(Flow& flow, const Node* node, const Node* test, const Once& once, const Nodes& orelse) {
    if (merges_) return loop_of_one_type(flow, node, test, once, orelse);
    Flow& head = heads_.try_emplace(position_.place(node), Flow{false, {}}).first->second;
    head = join(head, flow);
    Flow exit;
    Loop frame;
    while (true) {
      Flow inside = head;
      if (test) expression(inside, test);
      exit = inside;
      if (test && constant_condition(test) == true) exit.reachable = false;
      frame = {};
      loops_.push_back(&frame);
      once(inside);
      loops_.pop_back();
      Flow next = join(head, join(inside, frame.continues));
      if (next == head) break;
      head = std::move(next);
    }
    statements(exit, orelse);
    flow = join(exit, frame.breaks);
  }

  // In NumbaPro's dialect, where one definition reaches a point: nothing comes back that the head
  // does not know.
  template <class Once>
  void loop_of_one_type(Flow& flow, const Node* node, const Node* test, const Once& once,
                        const Nodes& orelse) {
    const LoopDefinitions& definitions = definitions_.in_loop[node];
    const bool reachable = flow.reachable;
    Flow before = flow;
    if (reachable) merges_->enter(flow, definitions);
    if (test) expression(flow, test);
    Flow inside = flow;
    Loop frame;
    loops_.push_back(&frame);
    once(inside);
    loops_.pop_back();
    std::vector<Arrival> at_head = std::move(frame.continues);
    at_head.push_back({{node, PathEnd::Entry}, std::move(before)});
    at_head.push_back({{node, PathEnd::Back}, std::move(inside)});
    if (reachable) merges_->leave(flow, definitions, at_head);
    if (test && constant_condition(test) == true) flow.reachable = false;
    statements(flow, orelse);
    frame.breaks.push_back({{node, PathEnd::Else}, std::move(flow)});
    flow = merges_->meet(frame.breaks);
  }

  // One copy of the body after the other.
  template <class Once>
  void unrolled_loop(Flow& flow, const Node* node, const UnrolledLoop& known, const Once& once,
                     const Nodes& orelse) {
    if (known.repeats) return repeated_copies(flow, node, known, once, orelse);
    Flow breaks{false, {}}, stops{false, {}};
    for (uint32_t i = 0; i < known.copies; ++i) {
      Loop frame;
      if (known.may_stop) stops = join(stops, flow);
      loops_.push_back(&frame);
      position_.in_copy(node, i, [&] { once(flow); });
      loops_.pop_back();
      flow = join(flow, frame.continues);
      breaks = join(breaks, frame.breaks);
    }
    flow = join(flow, stops);
    statements(flow, orelse);
    flow = join(flow, breaks);
  }

  template <class Once>
  void repeated_copies(Flow& flow, const Node* node, const UnrolledLoop& known, const Once& once,
                       const Nodes& orelse) {
    const auto each_copy = [&](Flow& inside) {
      for (uint32_t i = 0; i < known.copies; ++i) {
        const Flow before = inside;
        position_.in_copy(node, i, [&] { once(inside); });
        inside = join(join(inside, before), loops_.back()->continues);
      }
    };
    loop(flow, node, nullptr, each_copy, orelse);
  }

  // The clauses of a generator expression from one on, and its element. Whoever takes its elements
  // may stop before the last.
  void clauses(Flow& flow, const syntax::GeneratorExp* generator, size_t from) {
    if (from == generator->generators.size()) return expression(flow, generator->elt);
    auto* clause = syntax::as<syntax::comprehension>(generator->generators[from]);
    expression(flow, clause->iter);
    const auto once = [&](Flow& inside) {
      const Flow before = inside;
      target(inside, clause->target);
      for (const Node* test : clause->ifs) expression(inside, test);
      clauses(inside, generator, from + 1);
      inside = join(before, inside);
    };
    static const Nodes kNone;
    if (const std::optional<UnrolledLoop> known = position_.unrolled(clause))
      return unrolled_loop(flow, clause, *known, once, kNone);
    loop(flow, clause, nullptr, once, kNone);
  }

  // --- result ---

  void number_webs() {
    // Copies of one definition are one in the source.
    std::vector<std::set<const Node*>> definitions_of(definitions_.variables);
    for (uint32_t i = 0; i < definitions_.all.size(); ++i)
      definitions_of[definitions_.variable_of[i]].insert(definitions_.all[i].node);
    number_.assign(sets_.size(), Webs::kNone);
    for (uint32_t i = 0; i < definitions_.all.size(); ++i) {
      Definition& d = definitions_.all[i];
      if (merges_) d.keeps_type = merges_->keeps_type(i);
      Web& web = web_of(i, d.name, i);
      d.web = number_[sets_.find(i)];
      ++web.definition_count;
      web.several |= d.node != definitions_.all[web.first_definition].node;
      web.reassigned = definitions_of[definitions_.variable_of[i]].size() > 1;
    }
    if (merges_) add_copies();
    for (const uint32_t i : undefined_) webs_.webs[number_[sets_.find(i)]].may_be_undefined = true;
    for (const uint32_t i : captured_) webs_.webs[number_[sets_.find(i)]].captured = true;
    for (const auto& [place, used] : uses_) {
      const bool reached = used.definition != Webs::kNone;
      const uint32_t web = reached ? number_[sets_.find(used.definition)] : Webs::kNone;
      webs_.use_at[place] = web;
      if (!merges_ && used.alone && webs_.webs[web].several)
        webs_.only_definition_at[place] = used.definition;
    }
  }

  // The web of a definition, which is the first of it if there was none yet.
  Web& web_of(uint32_t definition, const std::string& name, uint32_t first) {
    uint32_t& number = number_[sets_.find(definition)];
    if (number == Webs::kNone) {
      number = static_cast<uint32_t>(webs_.webs.size());
      webs_.webs.push_back({name, first, 0, false, false, false, false});
    }
    return webs_.webs[number];
  }

  void add_copies() {
    std::set<uint32_t> read;
    for (const auto& [place, used] : uses_)
      if (used.definition != Webs::kNone) read.insert(sets_.find(used.definition));
    for (const auto& [edge, from, into, keeps_type] : merges_->copies(std::move(read))) {
      const Web given = webs_.webs[number_[sets_.find(from)]];
      Web& web = web_of(into, given.name, given.first_definition);
      ++web.definition_count;
      web.several = web.reassigned = true;
      webs_.copies_at[edge].push_back(
          {number_[sets_.find(from)], number_[sets_.find(into)], keeps_type});
    }
  }

  void add_definitions() {
    webs_.definitions = std::move(definitions_.all);
    webs_.definition_at = std::move(definitions_.at);
    webs_.declared = std::move(definitions_.declared);
    webs_.merges = merges_.has_value();
    webs_.has_unsupported = definitions_.has_unsupported;
    webs_.hidden = std::move(definitions_.hidden);
  }

  const syntax::Function& function_;
  Definitions definitions_;
  Position position_;
  Webs webs_;
  struct Use {
    uint32_t definition = Webs::kNone;  // one that reaches it
    bool alone = false;                 // no other one does, nor the entry of the function
  };
  std::unordered_map<NodeCopy, Use, NodeCopyHash> uses_;
  // Sets of definitions, followed by merges. The first of the program stands for a web: it numbers
  // it.
  DisjointSets sets_;
  std::optional<Merges> merges_;
  std::set<uint32_t> undefined_, captured_;  // definitions of such webs
  std::vector<uint32_t> number_;             // of webs, by the definition that stands for one
  std::vector<Loop*> loops_;
  std::map<NodeCopy, Flow> heads_;  // by the loop: what has reached its head
};

}  // namespace

bool Webs::is_local(const std::string& name) const {
  return std::any_of(webs.begin(), webs.end(), [&](const Web& w) { return w.name == name; });
}

Webs find_webs(const syntax::Function& function, Unrolled& unrolled, bool merges) {
  return Analysis(function, unrolled, merges).run();
}

}  // namespace cuda_device::frontend
