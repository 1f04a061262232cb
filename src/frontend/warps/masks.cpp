// Warp masks: what they are made of, their lanes and operators.
#include "frontend/warps/warps.h"

#include "frontend/calls/handlers.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/control/control.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

constexpr __int128 kFull = 0xffffffff, kLowest = -(__int128{1} << 31);

bool is_pattern(__int128 value) { return kLowest <= value && value <= kFull; }
bool is_integer(const Value& v) { return v.is_number() && is_int(v.code()); }
Value pattern(__int128 value) { return Value::constant_int(TypeCode::u4, value & kFull); }

// An integer with a bit for each lane as a uint32; nothing: it is none. Of one of 64 bits the low
// half is taken.
std::optional<Value> bits_of_integer(Context& ctx, const Value& v, const Node* node) {
  if (!is_integer(v)) return std::nullopt;
  if (v.exact())
    return is_pattern(v.exact()->integer) ? std::optional(pattern(v.exact()->integer))
                                          : std::nullopt;
  return convert(ctx, v, TypeCode::u4, node);
}

// A lane that is known to exist, or one that is known at run time.
bool check_lane(Context& ctx, const Value& index, const Node* node) {
  if (index.is_unknown()) return false;
  if (index.is<Value::Slice>()) {
    error(
        ctx, DiagCode::index_type, node,
        {"a slice", "lanes are asked for one by one; several at once are the bits of mask & bits"});
    return false;
  }
  if (!is_integer(index)) {
    wrong_kind(
        ctx, DiagCode::index_type, node, index,
        {type_text(index), index.is_number() ? "convert it with int()" : "give one integer"});
    return false;
  }
  const bool known = index.exact() != nullptr;
  if (!known || (index.exact()->integer >= 0 && index.exact()->integer < kLanes)) return true;
  error(ctx, DiagCode::mask_lane_range, node, {to_text(index.exact()->integer)});
  return false;
}

// The bit of a lane: of those that do not exist, none.
Value lane_bit(Context& ctx, const Value& index, const Node* node) {
  const Value one = Value::constant_int(TypeCode::u4, 1);
  return same_type(ctx, BinaryOp::LShift, TypeCode::u4, one,
                   convert(ctx, index, TypeCode::u4, node), node);
}

bool is_bitwise(BinaryOp op) {
  return op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
}
bool is_shift(BinaryOp op) { return op == BinaryOp::LShift || op == BinaryOp::RShift; }

}  // namespace

bool is_mask(const Value& v) { return v.is_record() && v.record().type == mask_type(); }

const Value& mask_bits(const Value& mask) { return mask.record().fields[0]; }

Value mask_of_bits(Value bits) {
  if (bits.is_unknown()) return bits;
  return Value::Record{mask_type(), {std::move(bits)}};
}

Value number_of_mask(Context& ctx, const Value& v, const Node* node) {
  return is_mask(v) ? convert(ctx, mask_bits(v), TypeCode::i4, node) : v;
}

Value as_mask(Context& ctx, const Value& v, const Node* node, const std::string& what) {
  if (v.is_unknown() || is_mask(v)) return v;
  if (const auto bits = bits_of_integer(ctx, v, node)) return mask_of_bits(*bits);
  if (is_integer(v) && v.exact())
    return error(ctx, DiagCode::mask_range, node, {to_text(v.exact()->integer)});
  return wrong_kind(ctx, DiagCode::mask_type, node, v, {what, type_text(v)});
}

Value construct_mask(Context& ctx, const Arguments& a) {
  if (a.has_unknown()) return Value::unknown();
  if (!a.named.empty() && (a.named[0].first != "bits" || !a.positional.empty()))
    return error(ctx, DiagCode::unexpected_keyword, a.node,
                 {"WarpMask", a.named[0].first, "its parameter is bits"});
  if (a.positional.size() + a.named.size() != 1)
    return error(ctx, DiagCode::intrinsic_count, a.node,
                 {"WarpMask", count_text(1, "argument"), were_given(a.positional.size()),
                  "give it an integer, a bit for each lane"});
  const Value& bits = a.positional.empty() ? a.named[0].second : a.positional[0];
  return as_mask(ctx, bits, a.positional.empty() ? a.node : argument_node(a, 0), "WarpMask()");
}

Value mask_lane(Context& ctx, const Value& mask, const Value& index, const Node* node) {
  if (!check_lane(ctx, index, node)) return Value::unknown();
  const Value bit = lane_bit(ctx, index, node);
  const Value there = same_type(ctx, BinaryOp::BitAnd, TypeCode::u4, mask_bits(mask), bit, node);
  return truth(ctx, there, node);
}

Value with_lane(Context& ctx, const Value& mask, const Value& index, const Value& value,
                const Node* index_node, const Node* node) {
  if (value.is_unknown() || !check_lane(ctx, index, index_node)) return Value::unknown();
  if (!value.is_number() || !is_bool(value.code()))
    return wrong_kind(ctx, DiagCode::mask_lane_value, node, value, {type_text(value)});
  const Value& bits = mask_bits(mask);
  const Value bit = lane_bit(ctx, index, index_node);
  const Value with = same_type(ctx, BinaryOp::BitOr, TypeCode::u4, bits, bit, node);
  const Value all = Value::constant_int(TypeCode::u4, kFull);
  const Value others = same_type(ctx, BinaryOp::BitXor, TypeCode::u4, bit, all, node);
  const Value without = same_type(ctx, BinaryOp::BitAnd, TypeCode::u4, bits, others, node);
  if (value.exact()) return mask_of_bits(value.exact()->integer != 0 ? with : without);
  const Value joined = Value::number(TypeCode::u4, nullptr);
  return mask_of_bits(select(ctx, value, with, without, joined, node));
}

// Bits beyond the width are gone, whatever the count: one of 64 bits counts in 64.
static Value shifted(Context& ctx, BinaryOp op, const Value& mask, const Value& count,
                     const Node* node) {
  Value by = count;
  const TypeCode code = bits_of(count.code()) > kLanes ? TypeCode::u8 : TypeCode::u4;
  if (count.exact()) {
    const __int128 lanes = count.exact()->integer;
    if (lanes < 0) return error(ctx, DiagCode::negative_shift, node, {to_text(lanes)});
    if (lanes >= kLanes) return mask_of_bits(pattern(0));
    by = pattern(lanes);
  }
  const Value moved = same_type(ctx, op, code, convert(ctx, mask_bits(mask), code, node),
                                convert(ctx, by, code, node), node);
  return mask_of_bits(convert(ctx, moved, TypeCode::u4, node));
}

std::optional<Value> mask_binary(Context& ctx, BinaryOp op, const Value& a, const Value& b,
                                 const Node* node, const Node* left, const Node* right) {
  if (is_shift(op) && is_mask(a) && is_integer(number_of_mask(ctx, b, right)))
    return shifted(ctx, op, a, number_of_mask(ctx, b, right), node);
  const bool integers = (is_mask(a) || is_integer(a)) && (is_mask(b) || is_integer(b));
  if (!is_bitwise(op) || !integers) return std::nullopt;
  const Value x = as_mask(ctx, a, left, "an operator of masks"),
              y = as_mask(ctx, b, right, "an operator of masks");
  if (x.is_unknown() || y.is_unknown()) return Value::unknown();
  return mask_of_bits(same_type(ctx, op, TypeCode::u4, mask_bits(x), mask_bits(y), node));
}

Value mask_complement(Context& ctx, const Value& mask) {
  const Value& bits = mask_bits(mask);
  if (bits.exact()) return mask_of_bits(pattern(~bits.exact()->integer));
  return mask_of_bits(Value::number(TypeCode::u4, ctx.builder.op(Op::Not, {bits.inst()})));
}

// A negative integer of 64 bits that stands for a mask, as that; others as they are.
static Value compared_wide(Context& ctx, const Value& v, const Node* node) {
  if (is_unsigned(v.code())) return v;
  const Value wide = convert(ctx, v, TypeCode::i8, node);
  const auto is = [&](CompareOp op, __int128 bound) {
    return compare(ctx, op, wide, Value::constant_int(TypeCode::i8, bound), node);
  };
  const Value negative =
      both(ctx, is(CompareOp::Lt, 0), is(CompareOp::GtE, kLowest), Op::And, node);
  const Value bits = same_type(ctx, BinaryOp::BitAnd, TypeCode::i8, wide,
                               Value::constant_int(TypeCode::i8, kFull), node);
  return select(ctx, negative, bits, wide, abstract_of(wide), node);
}

Value compared_bits(Context& ctx, const Value& v, const Node* node) {
  if (is_mask(v)) return mask_bits(v);
  if (is_integer(v) && !v.exact() && bits_of(v.code()) > kLanes) return compared_wide(ctx, v, node);
  const auto bits = bits_of_integer(ctx, v, node);
  return bits ? *bits : v;
}

// ------------------------------------------------------------------------------------------------
// methods

// mask.with_lane(i, val)
static Value call_with_lane(Context& ctx, const Value& mask, const Arguments& a) {
  Intrinsic signature;
  signature.name = name_of(Method::WithLane);
  signature.parameters = "i val";
  const std::string hint = "its parameters are " + signature.parameter_names();
  if (a.positional.size() > 2)
    return error(
        ctx, DiagCode::intrinsic_count, a.node,
        {signature.name, count_text(2, "argument"), were_given(a.positional.size()), hint});
  const auto given = named_arguments(ctx, a, signature);
  if (!given) return Value::unknown();
  const Given &lane = (*given)[0], &val = (*given)[1];
  if (!lane.value || !val.value)
    return error(ctx, DiagCode::missing_argument, a.node,
                 {signature.name, lane.value ? "val" : "i", hint});
  ctx.at(a.node);
  return with_lane(ctx, mask, *lane.value, *val.value, lane.node, val.node);
}

std::optional<Value> mask_attribute(const Value& mask, const std::string& name) {
  for (const Method method : {Method::WithLane, Method::BitCount})
    if (name == name_of(method))
      return Value(Value::BoundMethod{method, std::make_shared<Value>(mask)});
  return std::nullopt;
}

Value call_mask_method(Context& ctx, const Value& mask, Method method, const Arguments& a) {
  if (method == Method::WithLane) return call_with_lane(ctx, mask, a);
  return call_number_method(ctx, mask_bits(mask), method, a);
}

}  // namespace cuda_device::frontend
