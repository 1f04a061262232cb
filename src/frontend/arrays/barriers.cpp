// syncthreads and its kin (DEV-BLK), and the lambdas that they take as predicates.
#include "frontend/calls/handlers.h"

#include "frontend/arrays/arrays.h"
#include "frontend/calls/calls.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {

Value call_syncthreads(Context& ctx, const Arguments&, const Intrinsic&) {
  ctx.builder.op(Op::Barrier, {});
  return Value::none();
}

// The first parameter that a call without arguments leaves out; empty: there is none.
static std::string first_required(Context& ctx, const Value& f, const Node* node) {
  const std::optional<Callee> callee = callee_of(ctx, f);
  if (!callee) return "";
  const std::vector<const syntax::arg*> parameters = parameters_of(*callee->function);
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!default_value(ctx, *callee, i, node)) return parameters[i]->name;
  return "";
}

Value predicate(Context& ctx, const Given& given, const std::string& name, const Node* call) {
  const Value& f = *given.value;
  if (!f.is_function())
    return wrong_kind(ctx, DiagCode::predicate_type, given.node, f, {name, type_text(f)});
  if (const std::string parameter = first_required(ctx, f, given.node); !parameter.empty())
    return error(ctx, DiagCode::predicate_parameters, given.node, {name, parameter});
  Arguments none;
  none.node = syntax::as<syntax::Call>(call);
  const Value v = call_value(ctx, f, none);
  const bool fine = v.is_unknown() || (v.is_number() && is_bool(v.code()));
  return fine ? v : error(ctx, DiagCode::predicate_result, given.node, {name, type_text(v)});
}

Value call_vote(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const auto given = named_arguments(ctx, a, i);
  if (!given) return Value::unknown();
  if (!(*given)[0].value)
    return error(ctx, DiagCode::missing_argument, a.node,
                 {i.short_name(), "pred", "write " + i.short_name() + "(lambda: ...)"});
  const Value holds = predicate(ctx, (*given)[0], i.short_name(), a.node);
  if (holds.is_unknown()) return holds;
  ctx.at(a.node);
  Inst* result = ctx.builder.op(i.op, {inst_of(ctx, holds, a.node)});
  return Value::number(i.op == Op::BarrierCount ? TypeCode::i4 : TypeCode::b1, result);
}

}  // namespace cuda_device::frontend
