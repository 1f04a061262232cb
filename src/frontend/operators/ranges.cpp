// Ranges as values: which numbers they have, and where.
#include "frontend/operators/ranges.h"

#include <algorithm>
#include <cmath>

#include "frontend/arrays/slices.h"
#include "frontend/control/control.h"
#include "frontend/control/iteration.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"

namespace cuda_device::frontend {
namespace {

bool is_zero(const Value& v) { return v.exact() && v.exact()->integer == 0; }

// An integer as one that takes part in a comparison with 64 bits; nothing: no range has it.
std::optional<Value> whole_of(const Value& x) {
  if (!x.exact()) return x;
  const bool is_integer = !is_float(x.code()) || std::trunc(x.exact()->real) == x.exact()->real;
  if (!is_integer || (is_float(x.code()) && std::fabs(x.exact()->real) > 0x1p64))
    return std::nullopt;
  const __int128 value =
      is_float(x.code()) ? static_cast<__int128>(x.exact()->real) : x.exact()->integer;
  for (const TypeCode code : {TypeCode::i4, TypeCode::i8, TypeCode::u8})
    if (fits(value, code)) return Value::constant_int(code, value);
  return std::nullopt;
}

// The unsigned type in which distances of all these numbers are exact, though they wrap around: of
// 64 bits where some number of the range needs as many.
TypeCode distance_code(const Value::Range& range, const Value& x) {
  const auto narrow = [](const Value& v) { return is_bool(v.code()) || bits_of(v.code()) <= 32; };
  const bool all =
      bits_of(range.code) <= 32 && narrow(x) && std::ranges::all_of(range.bounds, narrow);
  return all ? TypeCode::u4 : TypeCode::u8;
}

// The number with its bits, extended by its sign.
Value as_bits(Context& ctx, const Value& v, TypeCode code, const Node* node) {
  const ir::Type type = ir::Type::of(*scalar_of(code));
  Inst* inst = inst_of(ctx, v, node);
  return Value::number(code,
                       inst->type == type ? inst : ctx.builder.typed(Op::Convert, type, {inst}));
}

Value difference(Context& ctx, const Value& a, const Value& b, TypeCode code, const Node* node) {
  return same_type(ctx, BinaryOp::Sub, code, as_bits(ctx, a, code, node),
                   as_bits(ctx, b, code, node), node);
}

// Where a range that counts up, or one that counts down, has its numbers.
struct Side {
  Value between;   // whether the number lies from start to before stop
  Value distance;  // from start
  Value stride;
};

Side side_of(Context& ctx, const Value::Range& range, const Value& x, bool up, const Node* node) {
  const Value &start = range.bounds[0], &stop = range.bounds[1], &step = range.bounds[2];
  const auto holds = [&](CompareOp op, const Value& a, const Value& b) {
    return compare(ctx, op, a, b, node);
  };
  const TypeCode code = distance_code(range, x);
  const Value first = up ? holds(CompareOp::GtE, x, start) : holds(CompareOp::LtE, x, start);
  const Value last = up ? holds(CompareOp::Lt, x, stop) : holds(CompareOp::Gt, x, stop);
  const Value zero = Value::number(code, constant_inst(ctx, ir::Type::of(*scalar_of(code)), 0));
  const Value by = as_bits(ctx, step, code, node);
  return {both(ctx, first, last, Op::And, node),
          up ? difference(ctx, x, start, code, node) : difference(ctx, start, x, code, node),
          up ? by : same_type(ctx, BinaryOp::Sub, code, zero, by, node)};
}

// The side on which the range lies; one with a step that is known at run time only lies on either.
Side side_of(Context& ctx, const Value::Range& range, const Value& x, const Node* node) {
  const Value& step = range.bounds[2];
  if (step.exact()) return side_of(ctx, range, x, step.exact()->integer > 0, node);
  const Value zero = Value::constant_int(TypeCode::weak_int, 0);
  const Value rises = compare(ctx, CompareOp::Gt, step, zero, node);
  const Side up = side_of(ctx, range, x, true, node);
  if (rises.exact()) return up;
  const Value falls = compare(ctx, CompareOp::Lt, step, zero, node);
  const Side down = side_of(ctx, range, x, false, node);
  const auto either = [&](const Value& a, const Value& b) {
    return select(ctx, rises, a, b, Value::number(a.code(), nullptr), node);
  };
  return {both(ctx, both(ctx, rises, up.between, Op::And, node),
               both(ctx, falls, down.between, Op::And, node), Op::Or, node),
          either(up.distance, down.distance), either(up.stride, down.stride)};
}

bool is_one(const Value& step) {
  return step.exact() && (step.exact()->integer == 1 || step.exact()->integer == -1);
}

}  // namespace

Value range_size(Context& ctx, const Value::Range& range, const Node* node) {
  const Value length = range_length(ctx, range, node);
  if (length.is_unknown() || length.exact()) return length;
  return min_max(ctx, Value::constant_int(length.code(), 0), length, Op::Max, node);
}

static Value has_integer(Context& ctx, const Value::Range& range, const Value& x,
                         const Node* node) {
  const Value& step = range.bounds[2];
  const Side side = side_of(ctx, range, x, node);
  if (is_one(step) || is_zero(side.between)) return side.between;
  const TypeCode code = side.distance.code();
  const Value rest = same_type(ctx, BinaryOp::Mod, code, side.distance, side.stride, node);
  const Value hit = compare(ctx, CompareOp::Eq, rest, Value::constant_int(code, 0), node);
  return both(ctx, side.between, hit, Op::And, node);
}

// Whether a range of constants has a constant.
static Value has_constant(const Value::Range& range, const Value& x) {
  const auto number = [&](size_t i) { return range.bounds[i].exact()->integer; };
  const __int128 value = x.exact()->integer, start = number(0), stop = number(1), step = number(2);
  const bool between = step > 0 ? start <= value && value < stop : stop < value && value <= start;
  return Value::boolean(between && (value - start) % step == 0);
}

Value is_in_range(Context& ctx, const Value::Range& range, const Value& given, const Node* node) {
  if (!require_number(ctx, given, node, "'in' of a range")) return Value::unknown();
  const std::optional<Value> x = whole_of(given);
  if (!x) return Value::boolean(false);
  if (x->exact() && std::ranges::all_of(range.bounds, &Value::is_constant))
    return has_constant(range, *x);
  if (is_bool(x->code()))
    return has_integer(ctx, range, convert(ctx, *x, TypeCode::i4, node), node);
  if (!is_float(x->code())) return has_integer(ctx, range, *x, node);
  const Value whole = convert(ctx, *x, TypeCode::i8, node);
  const Value same = compare(ctx, CompareOp::Eq, convert(ctx, whole, x->code(), node), *x, node);
  return both(ctx, same, has_integer(ctx, range, whole, node), Op::And, node);
}

Value position_in_range(Context& ctx, const Value::Range& range, const Value& given,
                        const Node* node) {
  Value x = whole_of(given).value_or(Value::unknown());
  if (x.is_unknown()) return x;
  if (is_bool(x.code())) x = convert(ctx, x, TypeCode::i4, node);
  if (is_float(x.code())) x = convert(ctx, x, TypeCode::i8, node);
  const Side side = side_of(ctx, range, x, node);
  const TypeCode code = side.distance.code();
  const Value position = is_one(range.bounds[2]) ? side.distance
                                                 : floor_divide(ctx, BinaryOp::FloorDiv, code,
                                                                side.distance, side.stride, node);
  return convert(ctx, position, code == TypeCode::u4 ? TypeCode::weak_int : TypeCode::i8, node);
}

// The position that an index means, from 0; the kernel fails where the range has none.
static Value position_of_index(Context& ctx, const Value& index, const Value& size,
                               const Node* node) {
  const auto is_small = [](const Value& v) {
    return is_within(limits_of(v), limits_of(TypeCode::i4));
  };
  const TypeCode code =
      is_small(index) && is_small(size) ? ctx.policy.int_literal(0) : TypeCode::i8;
  const Value count = convert(ctx, size, code, node);
  const auto holds = [&](CompareOp op, const Value& a, const Value& b) {
    return compare(ctx, op, a, b, node);
  };
  Value inside = holds(CompareOp::Lt, index, count), at = index;
  if (const Limits limits = limits_of(index); limits.least < 0) {
    const Value lowest = holds(CompareOp::GtE, index, negative(ctx, count, node));
    inside = both(ctx, inside, lowest, Op::And, node);
    const Value below = holds(CompareOp::Lt, index, Value::constant_int(TypeCode::weak_int, 0));
    const Value from_end = same_type(ctx, BinaryOp::Add, code, index, count, node);
    at = below.exact() ? from_end
                       : select(ctx, below, from_end, index, Value::number(code, nullptr), node);
  }
  if (!inside.exact())
    fail_unless(ctx, inside, node, {"IndexError", {"range object index out of range"}});
  return at;
}

Value number_of_range(Context& ctx, const Value::Range& range, const Value& index,
                      const Node* node) {
  if (!index.is_number() || is_float(index.code()))
    return wrong_kind(
        ctx, DiagCode::index_type, node, index,
        {type_text(index), index.is_number() ? "convert it with int()" : "give one integer"});
  const Value size = range_size(ctx, range, node);
  if (size.is_unknown()) return size;
  const Exact* constant = index.exact();
  if (constant && size.exact()) {
    const __int128 count = size.exact()->integer;
    const __int128 at = constant->integer + (constant->integer < 0 ? count : 0);
    if (at < 0 || at >= count)
      return error(ctx, DiagCode::range_index, node, {to_text(constant->integer), to_text(count)});
    return range_element(ctx, range, Value::constant_int(ctx.policy.int_literal(at), at), node);
  }
  return range_element(ctx, range, position_of_index(ctx, index, size, node), node);
}

Value part_of_range(Context& ctx, const Value::Range& range, const Value::Slice& slice,
                    const Node* node) {
  const auto part = slice_of_axis(
      ctx, slice, [&] { return convert(ctx, range_size(ctx, range, node), TypeCode::i8, node); },
      node);
  if (!part) return Value::unknown();
  const auto wide = [&](BinaryOp op, const Value& a, const Value& b) {
    return same_type(ctx, op, TypeCode::i8, a, b, node);
  };
  const auto whole = [&](const Value& v) { return convert(ctx, v, TypeCode::i8, node); };
  const Value &first = range.bounds[0], &step = range.bounds[2];
  const Value start = wide(BinaryOp::Add, whole(first), wide(BinaryOp::Mult, part->start, step));
  const Value by = wide(BinaryOp::Mult, part->step, step);
  const Value stop = wide(BinaryOp::Add, start, wide(BinaryOp::Mult, part->extent, by));
  return Value::Range{{start, stop, by}, range.code};
}

Value equal_ranges(Context& ctx, const Value::Range& a, const Value::Range& b, const Node* node) {
  const auto same = [&](const Value& x, const Value& y) {
    return compare(ctx, CompareOp::Eq, x, y, node);
  };
  const Value size = range_size(ctx, a, node);
  const auto at_most = [&](int count) {
    return compare(ctx, CompareOp::LtE, size, Value::constant_int(TypeCode::weak_int, count), node);
  };
  const Value steps = both(ctx, at_most(1), same(a.bounds[2], b.bounds[2]), Op::Or, node);
  const Value numbers =
      both(ctx, at_most(0), both(ctx, same(a.bounds[0], b.bounds[0]), steps, Op::And, node), Op::Or,
           node);
  return both(ctx, same(size, range_size(ctx, b, node)), numbers, Op::And, node);
}

}  // namespace cuda_device::frontend
