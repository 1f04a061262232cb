// Statements other than loops and assignments.
#include <utility>

#include "frontend/lowerer.h"
#include "frontend/unsupported.h"

namespace cuda_device::frontend {

using syntax::NodeKind;

// `tail`: after the last of them the function ends, so that a return there needs no jump.
void Lowerer::block(const Nodes& body, bool tail) {
  for (size_t i = 0; i < body.size() && reachable_; ++i) {
    statement(body[i], tail && i + 1 == body.size());
  }
}

void Lowerer::statement(const Node* node, bool tail) {
  const Level level(levels_);
  if (too_deep(node)) return;
  const auto outer = std::exchange(began_, {blamed_, diagnostics_.size()});
  statement_by_kind(node, tail);
  began_ = outer;
}

void Lowerer::statement_by_kind(const Node* node, bool tail) {
  at(node);
  switch (node->kind) {
    case NodeKind::Expr:
      return lower_expression_statement(syntax::as<syntax::Expr>(node));
    case NodeKind::Assign:
      return lower_assign(syntax::as<syntax::Assign>(node));
    case NodeKind::AugAssign:
      return lower_aug_assign(syntax::as<syntax::AugAssign>(node));
    case NodeKind::AnnAssign:
      return lower_ann_assign(syntax::as<syntax::AnnAssign>(node));
    case NodeKind::If:
      return lower_if(syntax::as<syntax::If>(node), tail);
    case NodeKind::While:
      return lower_while(syntax::as<syntax::While>(node));
    case NodeKind::For:
      return lower_for(syntax::as<syntax::For>(node));
    case NodeKind::Break:
      return lower_break();
    case NodeKind::Continue:
      return lower_continue();
    case NodeKind::Pass:
      return;
    case NodeKind::Assert:
      return lower_assert(syntax::as<syntax::Assert>(node));
    case NodeKind::Raise:
      return lower_raise(syntax::as<syntax::Raise>(node));
    case NodeKind::Return:
      return lower_return(syntax::as<syntax::Return>(node), tail);
    case NodeKind::FunctionDef:
      return define(node, unsupported(node), node);
    default:
      unsupported(node);
  }
}

void Lowerer::lower_expression_statement(const syntax::Expr* node) {
  // A docstring, or `...`.
  if (node->value->kind != NodeKind::Constant) expr(node->value);
}

void Lowerer::lower_if(const syntax::If* node, bool tail) {
  const Value test = condition(node->test);
  if (test.exact) return block(test.exact->integer ? node->body : node->orelse, tail);
  at(node);
  Inst* branch = builder_.control(Op::If, {test.inst}, 2);
  ir::Block* outer = &builder_.block();
  builder_.set_block(branch->regions[0]);
  block(node->body, tail);
  const bool then_ends = reachable_;
  reachable_ = true;
  builder_.set_block(branch->regions[1]);
  block(node->orelse, tail);
  reachable_ = reachable_ || then_ends;
  builder_.set_block(*outer);
  if (test.inst) fail_without_branch(*branch);
}

void Lowerer::lower_return(const syntax::Return* node, bool tail) {
  Value v = node->value ? expr(node->value) : Value::none();
  at(node);
  if (!frame_->is_kernel) {
    v = annotated(instance_->function->returns, std::move(v), node->value ? node->value : node,
                  "the result of '" + instance_->function->name + "'");
    return return_value(node, v, tail);
  }
  if (!v.is_none() && !v.contains_unknown())
    error(instance_->function->kind == syntax::FunctionKind::Kernel ? DiagCode::kernel_returns_value
                                                                    : DiagCode::func_inspected,
          node, {instance_->function->name, type_text(v)});
  if (!tail) builder_.typed(Op::Return, ir::Type::none(), {});
  reachable_ = false;
}

// The only return of a function, at its end, needs no slot.
void Lowerer::return_value(const Node* node, const Value& value, bool tail) {
  Frame& f = *frame_;
  ++f.returns;
  reachable_ = false;
  if (tail && f.returns == 1 && &builder_.block() == f.body) {
    f.direct = value;
    return;
  }
  if (!value.is_storable()) {
    not_implemented(node, "returning a " + type_text(value) + " early");
  } else if (!value.contains_unknown()) {
    WebState& result = f.instance->result;
    join_into(result, node, abstract_of(value), true, "result", node);
    store_web(result, "result", value, node);
  }
  if (tail) return;
  leave(f.scope);
  f.leaves = true;
}

void Lowerer::leave(size_t scope) {
  builder_.typed(Op::Leave, ir::Type::none(), {}, static_cast<int64_t>(open_scopes_ - 1 - scope));
}

Value Lowerer::unsupported(const Node* node) {
  std::string what;
  switch (node->kind) {
    case NodeKind::Unsupported:
      what = syntax::as<syntax::Unsupported>(node)->what;
      break;
    case NodeKind::FunctionDef:
      what = "FunctionDef";
      break;
    case NodeKind::Lambda:
      what = "Lambda";
      break;
    case NodeKind::Starred:
      what = "Starred";
      break;
    case NodeKind::JoinedStr:
      what = "JoinedStr";
      break;
    default:
      what = "Slice";
  }
  const Refusal refusal = refusal_of(what);
  if (refusal.planned) return not_implemented(node, refusal.name);
  return error(DiagCode::unsupported_syntax, node, {refusal.name, refusal.hint});
}

}  // namespace cuda_device::frontend
