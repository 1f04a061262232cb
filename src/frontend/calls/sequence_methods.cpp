// The methods of tuples and ranges: index, count.
#include "frontend/calls/calls.h"
#include "frontend/control/control.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/operators/ranges.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

Value whole(Context& ctx, __int128 value) {
  return Value::constant_int(ctx.policy.int_literal(value), value);
}

// The position, where the value is there; else the kernel fails.
Value found(Context& ctx, const Value& is_there, const Value& position, const std::string& what,
            const Arguments& a) {
  if (is_there.is_unknown() || position.is_unknown()) return Value::unknown();
  if (is_there.exact() && !is_there.exact()->integer)
    return error(ctx, DiagCode::not_found, a.node, {what});
  if (!is_there.exact())
    fail_unless(ctx, is_there, a.node, {"ValueError", {what + ".index(x): x not in " + what}});
  return as_intact(position);
}

Value as_count(Context& ctx, const Value& is_there, const Node* node) {
  if (is_there.is_unknown()) return is_there;
  if (is_there.exact()) return whole(ctx, is_there.exact()->integer);
  return as_intact(convert(ctx, is_there, ctx.policy.int_literal(0), node));
}

// The position of the first of the elements that is equal.
Value index_in(Context& ctx, const std::vector<Value>& elements, const Value& x,
               const Arguments& a) {
  Value any = Value::boolean(false), position = whole(ctx, 0);
  for (size_t k = elements.size(); k-- > 0;) {
    const Value same = compare(ctx, CompareOp::Eq, elements[k], x, a.node);
    if (same.is_unknown()) return same;
    any = both(ctx, any, same, Op::Or, a.node);
    const Value here = whole(ctx, static_cast<__int128>(k));
    if (same.exact())
      position = same.exact()->integer ? here : position;
    else
      position = select(ctx, same, here, position, Value::number(here.code(), nullptr), a.node);
  }
  return found(ctx, any, position, "tuple", a);
}

Value count_in(Context& ctx, const std::vector<Value>& elements, const Value& x,
               const Arguments& a) {
  Value total = whole(ctx, 0);
  for (const Value& element : elements) {
    const Value one = as_count(ctx, compare(ctx, CompareOp::Eq, element, x, a.node), a.node);
    if (one.is_unknown()) return one;
    total = arithmetic(ctx, BinaryOp::Add, total, one, a.node, a.node, a.node);
  }
  return as_intact(total);
}

}  // namespace

Value call_sequence_method(Context& ctx, const Value& self, Method method, const Arguments& a) {
  const bool index = method == Method::Index;
  if (a.positional.size() != 1 || !a.named.empty())
    return error(ctx, DiagCode::intrinsic_count, a.node,
                 {std::string(name_of(method)), "1 argument",
                  were_given(a.positional.size() + a.named.size()),
                  index ? "search a part by t[start:].index(x) + start" : "give it one value"});
  const Value& x = a.positional[0];
  if (auto* range = self.as<Value::Range>()) {
    const Value is_there = is_in_range(ctx, *range, x, a.node);
    if (!index || is_there.is_unknown()) return as_count(ctx, is_there, a.node);
    return found(ctx, is_there, position_in_range(ctx, *range, x, a.node), "range", a);
  }
  return (index ? index_in : count_in)(ctx, self.elements(), x, a);
}

}  // namespace cuda_device::frontend
