// Statements other than loops and assignments.
#include "frontend/control/control.h"

#include <utility>

#include "frontend/calls/called.h"
#include "frontend/calls/calls.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/calls/targets.h"
#include "frontend/complex/complex.h"
#include "frontend/control/assign.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"

namespace cuda_device::frontend {

using syntax::NodeKind;

static void lower_expression_statement(Context& ctx, const syntax::Expr* node) {
  // A docstring, or `...`.
  if (node->value->kind != NodeKind::Constant) expr(ctx, node->value);
}

static bool ends_in_jump(const Nodes& body) {
  if (body.empty()) return false;
  switch (body.back()->kind) {
    case NodeKind::Return:
    case NodeKind::Raise:
    case NodeKind::Break:
    case NodeKind::Continue:
      return true;
    default:
      return false;
  }
}

static void lower_side(Context& ctx, const syntax::If* node, bool then, std::optional<bool> on_host,
                       bool tail) {
  const DeadOnHost dead(ctx, on_host == !then);
  block(ctx, then ? node->body : node->orelse, tail);
  carry(ctx, node, then ? PathEnd::Then : PathEnd::Otherwise);
}

void branch(Context& ctx, const Node* node, const Value& test, const std::function<void()>& then,
            const std::function<void()>& otherwise) {
  if (test.exact()) return test.exact()->integer != 0 ? then() : otherwise();
  ctx.at(node);
  Inst* branch = ctx.builder.control(Op::If, {test.inst()}, 2);
  ir::Block* outer = &ctx.builder.block();
  ctx.builder.set_block(branch->regions[0]);
  then();
  const bool then_ends = ctx.reachable;
  ctx.reachable = true;
  ctx.builder.set_block(branch->regions[1]);
  otherwise();
  ctx.reachable = ctx.reachable || then_ends;
  ctx.builder.set_block(*outer);
  if (test.inst()) fail_without_branch(ctx, *branch);
}

static void lower_if(Context& ctx, const syntax::If* node, bool tail) {
  const Value test = as_test(ctx, condition(ctx, node->test), node->test);
  const std::optional<bool> on_host = answer_on_host(ctx, node->test);
  branch(
      ctx, node, test, [&] { lower_side(ctx, node, true, on_host, tail); },
      [&] { lower_side(ctx, node, false, on_host, tail); });
  // Host code that leaves here never comes to the rest of the block.
  if (on_host && ends_in_jump(*on_host ? node->body : node->orelse))
    ctx.instance->dead_on_host = true;
}

// The only return of a function, at its end, needs no slot.
static void return_value(Context& ctx, const Node* node, const Value& value, bool tail) {
  Frame& f = *ctx.frame;
  ++f.returns;
  ctx.reachable = false;
  if (tail && f.returns == 1 && &ctx.builder.block() == f.body) {
    f.direct = value;
    return;
  }
  if (!value.is_storable()) {
    not_implemented(ctx, node, "returning " + with_article(type_text(value)) + " early");
  } else if (!value.contains_unknown()) {
    WebState& result = f.instance->result;
    join_into(ctx, result, node, abstract_of(value), true, "result", node);
    store_web(ctx, result, "result", value, node);
  }
  if (tail) return;
  leave(ctx, f.scope);
  f.leaves = true;
}

// The first local array that a value of a function is or refers to, though the function made it: it
// is gone with its call.
static const Value::Array* escaping(const Context& ctx, const Value& value) {
  const Value::Array* array = value.as<Value::Array>();
  const uint32_t* own = array ? array->allocation() : nullptr;
  if (own && array->type.space == ir::AddressSpace::Local) {
    const Instance* in = ctx.session.allocated_in.at(*own);
    while (in && in != ctx.instance) in = in->parent;
    if (in) return array;
  }
  if (array) return nullptr;
  for (const Value& part : value.parts())
    if (const Value::Array* found = escaping(ctx, part)) return found;
  return nullptr;
}

// The decorator's signature has a result that the value can be converted to.
static bool declares_number(const syntax::Function& f, const Value& value) {
  if (f.options.signature.empty()) return false;
  const std::optional<TypeCode> code = type_of_text(f.options.signature[0]);
  return code && (value.is_number() || is_complex(*code));
}

static void lower_return(Context& ctx, const syntax::Return* node, bool tail) {
  Value v = node->value ? expr(ctx, node->value) : Value::none();
  ctx.at(node);
  if (!ctx.frame->is_kernel) {
    v = annotated(ctx, ctx.instance->function->returns, std::move(v),
                  node->value ? node->value : node,
                  "the result of '" + ctx.instance->function->name + "'");
    // What cannot be converted is an error of the call.
    if (is_any_number(v) && declares_number(*ctx.instance->function, v))
      v = result_in_signature(ctx, *ctx.instance->function, std::move(v), node);
    if (auto* array = escaping(ctx, v))
      v = error(ctx, DiagCode::local_escapes, node,
                {type_text(*array), ctx.instance->function->name});
    return return_value(ctx, node, v, tail);
  }
  if (!v.is_none() && !v.contains_unknown())
    error(ctx,
          ctx.instance->function->kind == syntax::FunctionKind::Kernel
              ? DiagCode::kernel_returns_value
              : DiagCode::func_inspected,
          node, {ctx.instance->function->name, type_text(v)});
  if (!tail) ctx.builder.typed(Op::Return, ir::Type::none(), {});
  ctx.reachable = false;
}

static void lower_function(Context& ctx, const syntax::FunctionDef* node) {
  for (const Node* decorator : node->decorator_list) {
    const Value v = expr(ctx, decorator);
    if (!v.is_unknown() && !v.is_entity("device.func"))
      error(ctx, DiagCode::unsupported_syntax, decorator,
            {"a decorator inside of a kernel", "decorate it outside of the kernel"});
  }
  define(ctx, node, closure_of(ctx, node), node);
}

static void statement_by_kind(Context& ctx, const Node* node, bool tail) {
  ctx.at(node);
  switch (node->kind) {
    case NodeKind::Expr:
      return lower_expression_statement(ctx, syntax::as<syntax::Expr>(node));
    case NodeKind::Assign:
      return lower_assign(ctx, syntax::as<syntax::Assign>(node));
    case NodeKind::AugAssign:
      return lower_aug_assign(ctx, syntax::as<syntax::AugAssign>(node));
    case NodeKind::AnnAssign:
      return lower_ann_assign(ctx, syntax::as<syntax::AnnAssign>(node));
    case NodeKind::If:
      return lower_if(ctx, syntax::as<syntax::If>(node), tail);
    case NodeKind::While:
      return lower_while(ctx, syntax::as<syntax::While>(node));
    case NodeKind::For:
      return lower_for(ctx, syntax::as<syntax::For>(node));
    case NodeKind::Break:
      carry(ctx, node, PathEnd::Jump);
      return lower_break(ctx);
    case NodeKind::Continue:
      carry(ctx, node, PathEnd::Jump);
      return lower_continue(ctx);
    case NodeKind::Pass:
      return;
    case NodeKind::Assert:
      return lower_assert(ctx, syntax::as<syntax::Assert>(node));
    case NodeKind::Raise:
      return lower_raise(ctx, syntax::as<syntax::Raise>(node));
    case NodeKind::Return:
      return lower_return(ctx, syntax::as<syntax::Return>(node), tail);
    case NodeKind::FunctionDef:
      return lower_function(ctx, syntax::as<syntax::FunctionDef>(node));
    case NodeKind::Match:
      return lower_match(ctx, syntax::as<syntax::Match>(node), tail);
    default:
      unsupported(ctx, node);
  }
}

static void statement(Context& ctx, const Node* node, bool tail) {
  const Level level(ctx.levels);
  if (too_deep(ctx, node)) return;
  lacks(ctx, node);  // and is lowered all the same, for what it assigns
  const auto outer =
      std::exchange(ctx.diagnosis.began, {ctx.diagnosis.blamed, ctx.diagnosis.diagnostics.size()});
  statement_by_kind(ctx, node, tail);
  ctx.diagnosis.began = outer;
}

void block(Context& ctx, const Nodes& body, bool tail) {
  const DeadOnHost as_before(ctx, false);
  for (size_t i = 0; i < body.size() && ctx.reachable; ++i) {
    statement(ctx, body[i], tail && i + 1 == body.size());
  }
}

void leave(Context& ctx, size_t scope) {
  ctx.builder.typed(Op::Leave, ir::Type::none(), {},
                    static_cast<int64_t>(ctx.open_scopes - 1 - scope));
}

}  // namespace cuda_device::frontend
