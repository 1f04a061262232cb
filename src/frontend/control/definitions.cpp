#include "frontend/control/definitions.h"

#include <algorithm>

#include "frontend/control/scopes.h"
#include "support/check.h"
#include "syntax/walk.h"

namespace cuda_device::frontend {
namespace {

using syntax::Node;
using Names = std::vector<Node*>;

class Collector {
 public:
  Collector(Unrolled& unrolled, bool merges) : merges_(merges), position_(unrolled, found_.names) {}

  Definitions run(const syntax::Function& function) {
    parameters(function.args);
    for (Node* statement : function.body) collect(statement);
    CD_CHECK(position_.is_outermost(), "a loop or scope that is not left");
    return std::move(found_);
  }

 private:
  void parameters(const syntax::arguments* args) {
    if (!args) return;
    for (const Names* list : {&args->posonlyargs, &args->args, &args->kwonlyargs})
      for (Node* parameter : *list) add(parameter, name_of(parameter));
    for (Node* parameter : {args->vararg, args->kwarg})
      if (parameter) add(parameter, name_of(parameter));
    found_.parameters = static_cast<uint32_t>(found_.all.size());
  }

  static const std::string& name_of(const Node* parameter) {
    return syntax::as<syntax::arg>(parameter)->name;
  }

  // A variable of the innermost generator expression that binds the name, or of the function.
  void add(const Node* node, const std::string& name) {
    if (!found_.at.try_emplace(position_.place(node), found_.all.size()).second) return;
    std::optional<uint32_t> variable = position_.variable_named(name);
    if (!variable) variable = found_.names[name] = found_.variables++;
    found_.all.push_back({name, node, 0});
    found_.variable_of.push_back(*variable);
    if (merges_) add_to_loops(static_cast<uint32_t>(found_.all.size() - 1));
  }

  bool counts(const LoopDefinitions& loop, uint32_t variable) const {
    return std::ranges::any_of(loop.counters,
                               [&](uint32_t c) { return found_.variable_of[c] == variable; });
  }

  // A definition in a loop that counts with the variable is none of the loops around that one.
  void add_to_loops(uint32_t definition) {
    const uint32_t variable = found_.variable_of[definition];
    const bool is_counter = in_loop_target_;
    for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {
      if (is_counter && loop == loops_.rbegin()) {
        (*loop)->counters.push_back(definition);
      } else if (counts(**loop, variable)) {
        if (!is_counter) (*loop)->counted.push_back(definition);
        return;
      } else {
        (is_counter ? (*loop)->inner_counters : (*loop)->others).push_back(definition);
      }
    }
  }

  // --- targets ---

  void target(const Node* node) {
    if (auto* name = syntax::as<syntax::Name>(node)) return add(name, name->id);
    if (auto* tuple = syntax::as<syntax::Tuple>(node)) {
      for (Node* element : tuple->elts) target(element);
    } else if (auto* starred = syntax::as<syntax::Starred>(node)) {
      target(starred->value);
    }
  }

  void counter(const Node* node) {
    in_loop_target_ = true;
    target(node);
    in_loop_target_ = false;
  }

  // The variables of a generator expression itself.
  void own_variables(const Node* target, Scope& scope) {
    if (auto* name = syntax::as<syntax::Name>(target))
      if (scope.try_emplace(name->id, found_.variables).second) ++found_.variables;
    if (auto* tuple = syntax::as<syntax::Tuple>(target))
      for (const Node* element : tuple->elts) own_variables(element, scope);
    if (auto* starred = syntax::as<syntax::Starred>(target)) own_variables(starred->value, scope);
  }

  void own_targets(const Node* node) {
    if (auto* s = syntax::as<syntax::Assign>(node))
      for (Node* one : s->targets) target(one);
    if (auto* s = syntax::as<syntax::AugAssign>(node)) target(s->target);
    if (auto* s = syntax::as<syntax::AnnAssign>(node)) annotated(s);
    if (auto* s = syntax::as<syntax::NamedExpr>(node)) target(s->target);
    if (auto* s = syntax::as<syntax::FunctionDef>(node)) add(s, s->name);
    if (const std::string* name = captured_name(node)) add(node, *name);
  }

  // Two annotations of one name hold for the assignments that they stand at.
  void annotated(const syntax::AnnAssign* node) {
    if (node->value) target(node->target);
    auto* name = syntax::as<syntax::Name>(node->target);
    if (!name) return;
    const bool first = found_.declared.try_emplace(name->id, node->annotation).second;
    if (!first) found_.declared[name->id] = nullptr;
  }

  // --- the walk ---

  void collect(const Node* node) {
    if (!node) return;
    if (auto* loop = syntax::as<syntax::For>(node)) return for_loop(loop);
    if (auto* loop = syntax::as<syntax::While>(node)) return while_loop(loop);
    if (auto* expression = syntax::as<syntax::GeneratorExp>(node)) return generator(expression);
    own_targets(node);
    if (auto* unsupported = syntax::as<syntax::Unsupported>(node)) {
      found_.has_unsupported = true;
      found_.hidden.insert(unsupported->binds.begin(), unsupported->binds.end());
    }
    if (is_function(node))
      for_each_default(node, [this](const Node* value) { collect(value); });
    else
      syntax::for_each_child(*node, [this](const Node* child) { collect(child); });
  }

  // Calls f for what the loop holds.
  template <class F>
  void in_loop(const Node* loop, const F& f) {
    loops_.push_back(&found_.in_loop[loop]);
    f();
    loops_.pop_back();
  }

  // Calls f for each copy of the loop's body, or once for a loop that stays one. Of no copies the
  // names are variables all the same.
  template <class F>
  void for_each_copy(const Node* loop, const F& f) {
    const std::optional<UnrolledLoop> known = position_.unrolled(loop);
    if (!known) return f();
    for (uint32_t i = 0; i < std::max(known->copies, 1u); ++i) position_.in_copy(loop, i, f);
  }

  void for_loop(const syntax::For* loop) {
    collect(loop->iter);
    in_loop(loop, [&] {
      for_each_copy(loop, [&] {
        counter(loop->target);
        for (const Node* statement : loop->body) collect(statement);
      });
    });
    for (const Node* statement : loop->orelse) collect(statement);
  }

  void while_loop(const syntax::While* loop) {
    in_loop(loop, [&] {
      collect(loop->test);
      for (const Node* statement : loop->body) collect(statement);
    });
    for (const Node* statement : loop->orelse) collect(statement);
  }

  void generator(const syntax::GeneratorExp* node) {
    Scope& own = found_.own_names[node];
    for (const Node* clause : node->generators)
      own_variables(syntax::as<syntax::comprehension>(clause)->target, own);
    position_.in_scope(own, [&] { clauses(node, 0); });
  }

  void clauses(const syntax::GeneratorExp* node, size_t from) {
    if (from == node->generators.size()) return collect(node->elt);
    auto* clause = syntax::as<syntax::comprehension>(node->generators[from]);
    collect(clause->iter);
    in_loop(clause, [&] {
      for_each_copy(clause, [&] {
        counter(clause->target);
        for (const Node* test : clause->ifs) collect(test);
        clauses(node, from + 1);
      });
    });
  }

  const bool merges_;
  Definitions found_;
  Position position_;
  std::vector<LoopDefinitions*> loops_;  // around the walk, the innermost last
  bool in_loop_target_ = false;
};

}  // namespace

Definitions collect_definitions(const syntax::Function& function, Unrolled& unrolled, bool merges) {
  return Collector(unrolled, merges).run(function);
}

}  // namespace cuda_device::frontend
