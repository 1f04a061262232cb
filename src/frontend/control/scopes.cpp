#include "frontend/control/scopes.h"

#include <algorithm>
#include <vector>

#include "syntax/walk.h"

namespace cuda_device::frontend {
namespace {

using syntax::Node;
using syntax::NodeKind;
using Names = std::set<std::string>;
using OnName = std::function<void(const syntax::Name*)>;

void add_target(const Node* target, Names& names) {
  if (auto* name = syntax::as<syntax::Name>(target)) names.insert(name->id);
  if (auto* starred = syntax::as<syntax::Starred>(target)) add_target(starred->value, names);
  if (auto* tuple = syntax::as<syntax::Tuple>(target))
    for (const Node* element : tuple->elts) add_target(element, names);
}

void add_parameters(const syntax::arguments* args, Names& names) {
  if (!args) return;
  for (auto* list : {&args->posonlyargs, &args->args, &args->kwonlyargs})
    for (const Node* parameter : *list) names.insert(syntax::as<syntax::arg>(parameter)->name);
  for (const Node* parameter : {args->vararg, args->kwarg})
    if (parameter) names.insert(syntax::as<syntax::arg>(parameter)->name);
}

// What the statements of one function assign, without those of functions within it. A walrus in a
// generator expression assigns a variable of the function, its targets are its own.
void add_bound(const Node* node, Names& names, bool in_generator) {
  if (!in_generator) {
    if (auto* s = syntax::as<syntax::Assign>(node))
      for (const Node* target : s->targets) add_target(target, names);
    if (auto* s = syntax::as<syntax::AugAssign>(node)) add_target(s->target, names);
    if (auto* s = syntax::as<syntax::AnnAssign>(node)) add_target(s->target, names);
    if (auto* s = syntax::as<syntax::For>(node)) add_target(s->target, names);
    if (auto* s = syntax::as<syntax::FunctionDef>(node)) names.insert(s->name);
    if (const std::string* name = captured_name(node)) names.insert(*name);
    if (auto* s = syntax::as<syntax::Unsupported>(node))
      names.insert(s->binds.begin(), s->binds.end());
  }
  if (auto* e = syntax::as<syntax::NamedExpr>(node)) add_target(e->target, names);
  if (is_function(node)) return;
  const bool inside = in_generator || node->kind == NodeKind::GeneratorExp;
  syntax::for_each_child(*node, [&](const Node* child) { add_bound(child, names, inside); });
}

class FreeNames {
 public:
  explicit FreeNames(const OnName& f) : f_(f) {}

  void function(const Node* node) {
    Names own;
    add_parameters(arguments_of(node), own);
    if (auto* lambda = syntax::as<syntax::Lambda>(node)) {
      add_bound(lambda->body, own, false);
      scopes_.push_back(std::move(own));
      walk(lambda->body);
    } else {
      auto* def = syntax::as<syntax::FunctionDef>(node);
      for (const Node* statement : def->body) add_bound(statement, own, false);
      scopes_.push_back(std::move(own));
      for (const Node* statement : def->body) walk(statement);
    }
    scopes_.pop_back();
  }

 private:
  void walk(const Node* node) {
    if (auto* name = syntax::as<syntax::Name>(node)) {
      const auto binds = [&](const Names& scope) { return scope.contains(name->id); };
      if (std::ranges::none_of(scopes_, binds)) f_(name);
      return;
    }
    if (is_function(node)) {
      for_each_default(node, [this](const Node* value) { walk(value); });
      return function(node);
    }
    const auto* generator = syntax::as<syntax::GeneratorExp>(node);
    if (generator) {
      Names targets;
      for (const Node* clause : generator->generators)
        add_target(syntax::as<syntax::comprehension>(clause)->target, targets);
      scopes_.push_back(std::move(targets));
    }
    syntax::for_each_child(*node, [this](const Node* child) { walk(child); });
    if (generator) scopes_.pop_back();
  }

  const OnName& f_;
  std::vector<Names> scopes_;
};

}  // namespace

bool is_function(const Node* node) {
  return node->kind == NodeKind::Lambda || node->kind == NodeKind::FunctionDef;
}

const syntax::arguments* arguments_of(const Node* function) {
  auto* lambda = syntax::as<syntax::Lambda>(function);
  return syntax::as<syntax::arguments>(lambda ? lambda->args
                                              : syntax::as<syntax::FunctionDef>(function)->args);
}

void for_each_default(const Node* function, const std::function<void(const Node*)>& f) {
  const syntax::arguments* args = arguments_of(function);
  if (!args) return;
  for (auto* list : {&args->defaults, &args->kw_defaults})
    for (const Node* value : *list)
      if (value) f(value);
}

void for_each_free_name(const Node* function, const OnName& f) { FreeNames(f).function(function); }

bool is_pattern(const Node* node) {
  switch (node->kind) {
    case NodeKind::MatchValue:
    case NodeKind::MatchSingleton:
    case NodeKind::MatchSequence:
    case NodeKind::MatchStar:
    case NodeKind::MatchClass:
    case NodeKind::MatchAs:
    case NodeKind::MatchOr:
      return true;
    default:
      return false;
  }
}

bool is_irrefutable(const Node* pattern) {
  if (auto* as = syntax::as<syntax::MatchAs>(pattern))
    return !as->pattern || is_irrefutable(as->pattern);
  if (auto* any = syntax::as<syntax::MatchOr>(pattern))
    return std::ranges::any_of(any->patterns, is_irrefutable);
  return false;
}

const std::string* captured_name(const Node* pattern) {
  const std::string* name = nullptr;
  if (auto* as = syntax::as<syntax::MatchAs>(pattern)) name = &as->name;
  if (auto* star = syntax::as<syntax::MatchStar>(pattern)) name = &star->name;
  return name && !name->empty() ? name : nullptr;
}

void for_each_captured(const Node* pattern, const std::function<void(const Node*)>& f) {
  syntax::for_each_child(*pattern, [&](const Node* child) {
    if (is_pattern(child)) for_each_captured(child, f);
  });
  if (captured_name(pattern)) f(pattern);
}

}  // namespace cuda_device::frontend
