// Which type the numbers of a range have, and which one a loop over them counts in.
#include "frontend/operators/range_types.h"

#include <algorithm>

#include "frontend/control/control.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"

namespace cuda_device::frontend {
namespace {

// Where numbers of the range may lie.
Limits limits_of_numbers(const std::vector<Value>& bounds) {
  const Limits start = limits_of(bounds[0]), stop = limits_of(bounds[1]);
  Limits out = start;
  if (!falls(bounds[2])) out.most = std::max(start.most, stop.most - 1);
  if (!rises(bounds[2])) out.least = std::min(start.least, stop.least + 1);
  return out;
}

}  // namespace

bool rises(const Value& step) { return limits_of(step).least > 0 || is_unsigned(step.code()); }
bool falls(const Value& step) { return limits_of(step).most < 0; }

TypeCode type_of_numbers(const Context& ctx, const std::vector<Value>& bounds) {
  const TypeCode builtin = ctx.policy.range_minimum;
  TypeCode code = builtin;
  for (const Value& bound : bounds) code = *ctx.policy.operator_type(code, bound.code());
  if (!ctx.policy.compares_exactly) return code;
  const Limits numbers = limits_of_numbers(bounds);
  if (bits_of(code) >= 32 && is_within(numbers, limits_of(code))) return code;
  // A constant that no builtin int has is an error of its own.
  const bool all_weak = is_weak(code);
  return all_weak || is_within(numbers, limits_of(builtin)) ? builtin : TypeCode::i8;
}

// Whether a loop can count in the type. One that counts up to a negative stop makes no turn, as one
// up to 0 does where no start is negative.
static bool counts(TypeCode code, const std::vector<Value>& bounds) {
  const Limits type = limits_of(code), stop = limits_of(bounds[1]);
  const bool reaches =
      is_within(stop, type) || (stop.most <= type.most && rises(bounds[2]) && is_unsigned(code));
  return reaches && is_within(limits_of(bounds[0]), type) && is_within(limits_of(bounds[2]), type);
}

std::array<Value, 3> counted_bounds(Context& ctx, const Value::Range& range, const Node* node) {
  const std::vector<Value>& bounds = range.bounds;
  const TypeCode first = bounds[0].code();
  if (std::ranges::all_of(bounds, [&](const Value& v) { return v.code() == first; }))
    return {bounds[0], bounds[1], bounds[2]};
  const TypeCode code = counts(range.code, bounds) ? range.code : TypeCode::i8;
  const auto as_counted = [&](const Value& v) { return clamped(ctx, v, code, node); };
  return {as_counted(bounds[0]), as_counted(bounds[1]), as_counted(bounds[2])};
}

void check_step(Context& ctx, const Value& step, const Node* node) {
  const Limits limits = limits_of(step);
  if (!ctx.policy.can_fail || limits.least > 0 || limits.most < 0) return;
  const Value zero = Value::constant_int(TypeCode::weak_int, 0);
  fail_unless(ctx, compare(ctx, CompareOp::NotEq, step, zero, node), node,
              {"ValueError", {"range() arg 3 must not be zero"}});
}

}  // namespace cuda_device::frontend
