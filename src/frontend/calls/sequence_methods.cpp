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

// Whether the position lies from start to before stop, as far as these are given. They count from
// the end where they are negative.
Value is_searched(Context& ctx, size_t position, size_t size, const Arguments& a) {
  const Value here = whole(ctx, static_cast<__int128>(position));
  const Value from_end = whole(ctx, static_cast<__int128>(position) - static_cast<__int128>(size));
  const Value zero = whole(ctx, 0);
  Value is_in = Value::boolean(true);
  for (size_t k = 1; k < a.positional.size(); ++k) {
    const Value& bound = a.positional[k];
    const CompareOp op = k == 1 ? CompareOp::LtE : CompareOp::Gt;
    const auto holds = [&](CompareOp test, const Value& x) {
      return compare(ctx, test, bound, x, a.node);
    };
    const Value forward = both(ctx, holds(CompareOp::GtE, zero), holds(op, here), Op::And, a.node);
    const Value back = both(ctx, holds(CompareOp::Lt, zero), holds(op, from_end), Op::And, a.node);
    is_in = both(ctx, is_in, both(ctx, forward, back, Op::Or, a.node), Op::And, a.node);
  }
  return is_in;
}

// The position of the first of the elements that is equal.
Value index_in(Context& ctx, const std::vector<Value>& elements, const Value& x,
               const Arguments& a) {
  Value any = Value::boolean(false), position = whole(ctx, 0);
  for (size_t k = elements.size(); k-- > 0;) {
    const Value equal = compare(ctx, CompareOp::Eq, elements[k], x, a.node);
    if (equal.is_unknown()) return equal;
    const Value same = both(ctx, equal, is_searched(ctx, k, elements.size(), a), Op::And, a.node);
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
  const bool index = method == Method::Index, parts = index && self.is_tuple();
  if (a.positional.empty() || a.positional.size() > (parts ? 3 : 1) || !a.named.empty())
    return error(ctx, DiagCode::intrinsic_count, a.node,
                 {std::string(name_of(method)), parts ? "1 to 3 arguments" : "1 argument",
                  were_given(a.positional.size() + a.named.size()),
                  parts ? "give it a value, and the positions between which to search"
                        : "give it one value"});
  for (size_t k = 1; k < a.positional.size(); ++k)
    if (!require_number(ctx, a.positional[k], argument_node(a, k), "index()"))
      return Value::unknown();
  const Value& x = a.positional[0];
  if (auto* range = self.as<Value::Range>()) {
    const Value is_there = is_in_range(ctx, *range, x, a.node);
    if (!index || is_there.is_unknown()) return as_count(ctx, is_there, a.node);
    return found(ctx, is_there, position_in_range(ctx, *range, x, a.node), "range", a);
  }
  return (index ? index_in : count_in)(ctx, self.elements(), x, a);
}

}  // namespace cuda_device::frontend
