#include "frontend/control/webs.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <utility>

#include "frontend/control/merges.h"
#include "frontend/control/scopes.h"
#include "support/check.h"
#include "syntax/walk.h"

namespace cuda_device::frontend {
namespace {

using syntax::Node;
using syntax::NodeKind;
using Names = std::vector<Node*>;

// Variables by name.
using Scope = std::map<std::string, uint32_t>;

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
      : function_(f), unrolled_(unrolled) {
    webs_.merges = merges;
  }

  Webs run() {
    collect_parameters();
    for (Node* statement : function_.body) collect(statement);
    Flow flow;
    flow.variables.assign(variable_count_, {kUndefined});
    sets_ = DisjointSets(webs_.definitions.size());
    if (webs_.merges) merges_.emplace(sets_, variable_of_, variable_count_);
    for (uint32_t i = 0; i < parameters_; ++i) define(flow, webs_.definitions[i].node);
    CD_CHECK(copy_ == 0 && scopes_.size() == 1, "a loop or scope that is not left");
    statements(flow, function_.body);
    if (merges_) merges_->settle();
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

  // A variable of the innermost generator expression that binds the name, or of the function.
  void add_definition(const Node* node, const std::string& name) {
    if (!webs_.definition_at.try_emplace({node, copy_}, webs_.definitions.size()).second) return;
    std::optional<uint32_t> variable = variable_named(name);
    if (!variable) variable = scopes_.front()[name] = variable_count_++;
    webs_.definitions.push_back({name, node, 0});
    variable_of_.push_back(*variable);
    add_to_loops(static_cast<uint32_t>(variable_of_.size() - 1));
  }

  bool counts(const LoopDefinitions& loop, uint32_t variable) const {
    return std::ranges::any_of(loop.counters,
                               [&](uint32_t c) { return variable_of_[c] == variable; });
  }

  // A definition in a loop that counts with the variable is none of the loops around that one.
  void add_to_loops(uint32_t definition) {
    if (!webs_.merges) return;
    const uint32_t variable = variable_of_[definition];
    const bool is_counter = in_loop_target_;
    for (auto loop = loops_around_.rbegin(); loop != loops_around_.rend(); ++loop) {
      if (is_counter && loop == loops_around_.rbegin()) {
        (*loop)->counters.push_back(definition);
      } else if (counts(**loop, variable)) {
        if (!is_counter) (*loop)->counted.push_back(definition);
        return;
      } else {
        (is_counter ? (*loop)->inner_counters : (*loop)->others).push_back(definition);
      }
    }
  }

  // Calls f for what the loop holds.
  template <class F>
  void in_loop(const Node* loop, const F& f) {
    loops_around_.push_back(&loop_definitions_[loop]);
    f();
    loops_around_.pop_back();
  }

  void collect_counter(const Node* target) {
    in_loop_target_ = true;
    collect_target(target);
    in_loop_target_ = false;
  }

  std::optional<uint32_t> variable_named(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto at = scope->find(name); at != scope->end()) return at->second;
    return std::nullopt;
  }

  // --- copies of unrolled loops, scopes of generator expressions ---

  std::optional<UnrolledLoop> unrolled(const Node* loop) const {
    const auto at = unrolled_.loops.find({loop, copy_});
    if (at == unrolled_.loops.end()) return std::nullopt;
    return at->second;
  }

  // Calls f in the copy of the loop's body for one element.
  template <class F>
  void in_copy(const Node* loop, uint32_t element, const F& f) {
    const uint32_t outer = copy_;
    copy_ = unrolled_.copy_of({loop, outer}, element);
    f();
    copy_ = outer;
  }

  // Calls f where the targets of the generator expression are variables of its own.
  template <class F>
  void in_scope(const syntax::GeneratorExp* generator, const F& f) {
    Scope& own = scope_of_[generator];
    for (const Node* clause : generator->generators)
      add_targets(syntax::as<syntax::comprehension>(clause)->target, own);
    scopes_.push_back(own);
    f();
    scopes_.pop_back();
  }

  void add_targets(const Node* target, Scope& scope) {
    if (auto* name = syntax::as<syntax::Name>(target))
      if (scope.try_emplace(name->id, variable_count_).second) ++variable_count_;
    if (auto* tuple = syntax::as<syntax::Tuple>(target))
      for (const Node* element : tuple->elts) add_targets(element, scope);
    if (auto* starred = syntax::as<syntax::Starred>(target)) add_targets(starred->value, scope);
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
    if (auto* loop = syntax::as<syntax::For>(node)) return collect_for(loop);
    if (auto* loop = syntax::as<syntax::While>(node)) return collect_while(loop);
    if (auto* generator = syntax::as<syntax::GeneratorExp>(node))
      return in_scope(generator, [&] { collect_clauses(generator, 0); });
    collect_own_targets(node);
    if (auto* unsupported = syntax::as<syntax::Unsupported>(node)) {
      webs_.has_unsupported = true;
      webs_.hidden.insert(unsupported->binds.begin(), unsupported->binds.end());
    }
    if (is_function(node))
      for_each_default(node, [this](const Node* value) { collect(value); });
    else
      syntax::for_each_child(*node, [this](const Node* child) { collect(child); });
  }

  // Calls f for each copy of the loop's body, or once for a loop that stays one. Of no copies the
  // names are variables all the same.
  template <class F>
  void for_each_copy(const Node* loop, const F& f) {
    if (const std::optional<UnrolledLoop> known = unrolled(loop)) {
      for (uint32_t i = 0; i < std::max(known->copies, 1u); ++i) in_copy(loop, i, f);
      return;
    }
    f();
  }

  void collect_for(const syntax::For* loop) {
    collect(loop->iter);
    in_loop(loop, [&] {
      for_each_copy(loop, [&] {
        collect_counter(loop->target);
        for (const Node* statement : loop->body) collect(statement);
      });
    });
    for (const Node* statement : loop->orelse) collect(statement);
  }

  void collect_while(const syntax::While* loop) {
    in_loop(loop, [&] {
      collect(loop->test);
      for (const Node* statement : loop->body) collect(statement);
    });
    for (const Node* statement : loop->orelse) collect(statement);
  }

  void collect_clauses(const syntax::GeneratorExp* generator, size_t from) {
    if (from == generator->generators.size()) return collect(generator->elt);
    auto* clause = syntax::as<syntax::comprehension>(generator->generators[from]);
    collect(clause->iter);
    in_loop(clause, [&] {
      for_each_copy(clause, [&] {
        collect_counter(clause->target);
        for (const Node* test : clause->ifs) collect(test);
        collect_clauses(generator, from + 1);
      });
    });
  }

  void collect_own_targets(const Node* node) {
    if (auto* s = syntax::as<syntax::Assign>(node))
      for (Node* target : s->targets) collect_target(target);
    if (auto* s = syntax::as<syntax::AugAssign>(node)) collect_target(s->target);
    if (auto* s = syntax::as<syntax::AnnAssign>(node)) collect_annotated(s);
    if (auto* s = syntax::as<syntax::NamedExpr>(node)) collect_target(s->target);
    if (auto* s = syntax::as<syntax::FunctionDef>(node)) add_definition(s, s->name);
    if (const std::string* name = captured_name(node)) add_definition(node, *name);
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

  void define(Flow& flow, const Node* node) {
    const auto at = webs_.definition_at.find({node, copy_});
    if (at == webs_.definition_at.end() || !flow.reachable) return;
    flow.variables[variable_of_[at->second]] = {at->second};
    if (merges_) merges_->reach(at->second);
  }

  // Where both paths come to one point.
  Flow meet(Arrival a, Arrival b) {
    return merges_ ? merges_->meet(std::array{std::move(a), std::move(b)}) : join(a.flow, b.flow);
  }

  void use(const Flow& flow, const syntax::Name* name) {
    const std::optional<uint32_t> variable = variable_named(name->id);
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
    Use& used = uses_[{name, copy_}];
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
    const std::optional<uint32_t> variable = variable_named(name->id);
    if (!variable || function_.bindings.contains(name) || !flow.reachable) return;
    uint32_t first = Webs::kNone;
    for (uint32_t i = 0; i < webs_.definitions.size(); ++i) {
      if (variable_of_[i] != *variable) continue;
      if (first == Webs::kNone) first = i;
      sets_.unite(first, i);
    }
    uses_[{name, copy_}] = {first, false};
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
        return in_scope(e, [&] { clauses(flow, e, 0); });
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
  void short_circuit(Flow& flow, const Names& operands) {
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
        const uint32_t outside = copy_;
        const auto once = [&](Flow& inside) {
          if (holds_generator(s->iter)) as_before_loop(inside, s->iter, outside);
          target(inside, s->target);
          statements(inside, s->body);
        };
        if (const std::optional<UnrolledLoop> known = unrolled(s))
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
  void loop(Flow& flow, const Node* node, const Node* test, const Once& once, const Names& orelse) {
    if (merges_) return loop_of_one_type(flow, node, test, once, orelse);
    Flow& head = heads_.try_emplace({node, copy_}, Flow{false, {}}).first->second;
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
                        const Names& orelse) {
    const LoopDefinitions& definitions = loop_definitions_[node];
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

  // The elements of a generator expression are evaluated as the loop comes to them.
  void as_before_loop(Flow& flow, const Node* iter, uint32_t copy) {
    std::swap(copy, copy_);
    expression(flow, iter);
    std::swap(copy, copy_);
  }

  // One copy of the body after the other.
  template <class Once>
  void unrolled_loop(Flow& flow, const Node* node, const UnrolledLoop& known, const Once& once,
                     const Names& orelse) {
    if (known.repeats) return repeated_copies(flow, node, known, once, orelse);
    Flow breaks{false, {}}, stops{false, {}};
    for (uint32_t i = 0; i < known.copies; ++i) {
      Loop frame;
      if (known.may_stop) stops = join(stops, flow);
      loops_.push_back(&frame);
      in_copy(node, i, [&] { once(flow); });
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
                       const Names& orelse) {
    const auto each_copy = [&](Flow& inside) {
      for (uint32_t i = 0; i < known.copies; ++i) {
        const Flow before = inside;
        in_copy(node, i, [&] { once(inside); });
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
    static const Names kNone;
    if (const std::optional<UnrolledLoop> known = unrolled(clause))
      return unrolled_loop(flow, clause, *known, once, kNone);
    loop(flow, clause, nullptr, once, kNone);
  }

  // --- result ---

  void number_webs() {
    // Copies of one definition are one in the source.
    std::vector<std::set<const Node*>> definitions_of(variable_count_);
    for (uint32_t i = 0; i < webs_.definitions.size(); ++i)
      definitions_of[variable_of_[i]].insert(webs_.definitions[i].node);
    number_.assign(sets_.size(), Webs::kNone);
    for (uint32_t i = 0; i < webs_.definitions.size(); ++i) {
      Definition& d = webs_.definitions[i];
      if (merges_) d.keeps_type = merges_->keeps_type(i);
      Web& web = web_of(i, d.name, i);
      d.web = number_[sets_.find(i)];
      ++web.definition_count;
      web.several |= d.node != webs_.definitions[web.first_definition].node;
      web.reassigned = definitions_of[variable_of_[i]].size() > 1;
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

  const syntax::Function& function_;
  Unrolled& unrolled_;
  Webs webs_;
  uint32_t variable_count_ = 0;
  std::vector<Scope> scopes_{1};  // that of the function first
  std::map<const syntax::GeneratorExp*, Scope> scope_of_;
  std::vector<uint32_t> variable_of_;  // by definition
  uint32_t copy_ = 0;
  struct Use {
    uint32_t definition = Webs::kNone;  // one that reaches it
    bool alone = false;                 // no other one does, nor the entry of the function
  };
  std::unordered_map<Place, Use, PlaceHash> uses_;
  // Of definitions, merges behind them. The first of the program stands for a web: it numbers it.
  DisjointSets sets_;
  std::optional<Merges> merges_;
  std::set<uint32_t> undefined_, captured_;  // definitions of such webs
  std::vector<uint32_t> number_;             // of webs, by the definition that stands for one
  std::vector<Loop*> loops_;
  std::map<const Node*, LoopDefinitions> loop_definitions_;
  std::vector<LoopDefinitions*> loops_around_;  // while definitions are collected
  bool in_loop_target_ = false;
  std::map<Place, Flow> heads_;  // by the loop: what has reached its head
  uint32_t parameters_ = 0;
};

}  // namespace

bool Webs::is_local(const std::string& name) const {
  return std::any_of(webs.begin(), webs.end(), [&](const Web& w) { return w.name == name; });
}

Webs find_webs(const syntax::Function& function, Unrolled& unrolled, bool merges) {
  return Analysis(function, unrolled, merges).run();
}

}  // namespace cuda_device::frontend
