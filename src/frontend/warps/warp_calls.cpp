// Operations of a warp: votes, shuffles, matches (DEV-WARP-06 to -25). A value that is made of
// several scalars is taken apart, and its words are moved, or compared, one by one.
#include <functional>

#include "frontend/arrays/arrays.h"
#include "frontend/calls/handlers.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/control/control.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/records/records.h"
#include "frontend/warps/warps.h"
#include "frontend/warps/words.h"
#include "support/record_layout.h"

namespace cuda_device::frontend {
namespace {

constexpr uint32_t kMostBytes = 8;
// Bits at once, on GPUs.
constexpr unsigned kMostMoved = 32, kMostMatched = 64;

Value missing(Context& ctx, const Arguments& a, const Intrinsic& i, const char* parameter) {
  return error(ctx, DiagCode::missing_argument, a.node,
               {i.short_name(), parameter, "its parameters are " + i.parameter_names()});
}

std::string parameter_of(const Intrinsic& i, const char* parameter) {
  return "'" + std::string(parameter) + "' of " + i.short_name() + "()";
}

// The mask of a call. Where threads of a warp cannot wait for each other, all of them must be here.
Inst* mask_argument(Context& ctx, const Arguments& a, const Intrinsic& i, const Value& given,
                    const Node* node) {
  const Value mask = as_mask(ctx, given, node, parameter_of(i, "mask"));
  if (mask.is_unknown()) return nullptr;
  ctx.at(a.node);
  Inst* bits = inst_of(ctx, mask_bits(mask), node);
  ctx.builder.op(Op::WarpCheck, {bits},
                 failure_number(ctx, a.node->span,
                                {"NotImplementedError",
                                 {"lanes of the mask of " + i.short_name() +
                                  "() do not come to it, and may come to a barrier or to another "
                                  "operation of their warp, which lanes of a vector cannot wait "
                                  "for; give it the lanes that come here alone, or write "
                                  "@kernel(execution=\"threads\")"}}));
  return bits;
}

struct Extent {
  uint64_t bytes, align;
};

// In memory; that of a tuple is laid out as the struct of its parts.
Extent extent_of(const Value& v) {
  if (v.is_record()) return {v.record().type->size, v.record().type->align};
  if (v.is_number() || v.is_complex()) {
    const DataType type = DataType::number(v.code());
    return {bytes_of(type), align_of(type)};
  }
  MemberLayout members;
  for (const Value& part : v.parts()) {
    const Extent own = extent_of(part);
    members.add(own.bytes, own.align);
  }
  return {members.size(), members.align()};
}

bool is_data(const Value& v) {
  if (v.is_number()) return true;
  if (!v.is_aggregate()) return false;
  for (const Value& part : v.parts())
    if (!is_data(part)) return false;
  return true;
}

// The value of a shuffle or a match; unknown, after an error, where it is none.
Value data_argument(Context& ctx, const Given& given, const Intrinsic& i) {
  const Value value = vector_of_position(ctx, *given.value);
  if (value.is_unknown() || is_data(value)) return value;
  return wrong_kind(ctx, DiagCode::warp_value_type, given.node, value,
                    {i.short_name(), type_text(value)});
}

Value each_scalar(const Value& v, const std::function<Value(const Value&)>& f) {
  if (!v.is_aggregate()) return f(v);
  std::vector<Value> parts;
  parts.reserve(v.parts().size());
  for (const Value& part : v.parts()) parts.push_back(each_scalar(part, f));
  return v.with_parts(std::move(parts));
}

// A lane, or how far away it is: an int32. Of an integer of 64 bits the low half is taken.
Inst* lane_argument(Context& ctx, const Given& given, const Intrinsic& i, const char* parameter) {
  if (given.value->is_unknown()) return nullptr;
  const Value v = number_of_mask(ctx, *given.value, given.node);
  if (!v.is_number() || !(is_int(v.code()) || is_bool(v.code()))) {
    wrong_kind(ctx, DiagCode::warp_lane_type, given.node, v,
               {parameter_of(i, parameter), type_text(v)});
    return nullptr;
  }
  if (v.exact() && (v.exact()->integer < 0 || v.exact()->integer >= kLanes)) {
    error(ctx, DiagCode::warp_lane_range, given.node,
          {parameter_of(i, parameter), to_text(v.exact()->integer)});
    return nullptr;
  }
  return inst_of(ctx, convert(ctx, v, TypeCode::i4, given.node), given.node);
}

const char* last_parameter(const Intrinsic& i) {
  if (i.op == Op::Shuffle) return "src_lane";
  return i.op == Op::ShuffleXor ? "flag" : "delta";
}

std::vector<Inst*> scalars_of(Context& ctx, const Value& value, const Node* node) {
  std::vector<Inst*> scalars;
  each_scalar(value, [&](const Value& scalar) {
    scalars.push_back(inst_of(ctx, scalar, node));
    return scalar;
  });
  return scalars;
}

Inst* matched(Context& ctx, Op op, Inst* mask, const Value& value, const Node* node) {
  const std::vector<Inst*> scalars = scalars_of(ctx, value, node);
  Inst* lanes = nullptr;
  for (Inst* word : Words(ctx, scalars, kMostMatched).packed()) {
    Inst* found = ctx.builder.op(op, {mask, word});
    lanes = lanes ? ctx.builder.op(Op::And, {lanes, found}) : found;
  }
  return lanes ? lanes : mask;
}

Value mask_of(Inst* bits) { return mask_of_bits(Value::number(TypeCode::u4, bits)); }

}  // namespace

Value call_active_mask(Context& ctx, const Arguments&, const Intrinsic&) {
  return mask_of(ctx.builder.op(Op::ActiveMask, {}));
}

// (1 << lane_id) - 1
Value call_lanemask_lt(Context& ctx, const Arguments&, const Intrinsic&) {
  Inst* one = ctx.builder.const_int(ir::kU32, 1);
  Inst* lane = ctx.builder.typed(Op::Convert, ir::kU32, {ctx.builder.op(Op::LaneId, {})});
  return mask_of(ctx.builder.op(Op::Sub, {ctx.builder.op(Op::Shl, {one, lane}), one}));
}

Value call_syncwarp(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const auto given = named_arguments(ctx, a, i);
  if (!given) return Value::unknown();
  const Value all = Value::constant_int(TypeCode::weak_int, -1);
  const Given& mask = (*given)[0];
  Inst* bits =
      mask_argument(ctx, a, i, mask.value ? *mask.value : all, mask.value ? mask.node : a.node);
  if (!bits) return Value::unknown();
  ctx.builder.op(Op::WarpSync, {bits});
  return Value::none();
}

Value call_warp_vote(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const auto given = named_arguments(ctx, a, i);
  if (!given) return Value::unknown();
  const Given &mask = (*given)[0], &pred = (*given)[1];
  if (!mask.value) return missing(ctx, a, i, "mask");
  if (!pred.value) return missing(ctx, a, i, "pred");
  const Value holds = predicate(ctx, pred, i.short_name(), a.node);
  if (holds.is_unknown()) return holds;
  Inst* bits = mask_argument(ctx, a, i, *mask.value, mask.node);
  if (!bits) return Value::unknown();
  Inst* result = ctx.builder.op(i.op, {bits, inst_of(ctx, holds, a.node)});
  return i.op == Op::Ballot ? mask_of(result) : Value::number(TypeCode::b1, result);
}

Value call_shuffle(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const auto given = named_arguments(ctx, a, i);
  if (!given) return Value::unknown();
  const Given &mask = (*given)[0], &moved = (*given)[1], &lane = (*given)[2];
  if (!mask.value) return missing(ctx, a, i, "mask");
  if (!moved.value) return missing(ctx, a, i, "value");
  if (!lane.value) return missing(ctx, a, i, last_parameter(i));
  const Value value = data_argument(ctx, moved, i);
  if (value.is_unknown()) return value;
  if (const uint64_t bytes = extent_of(value).bytes; bytes > kMostBytes)
    return error(ctx, DiagCode::warp_value_size, moved.node,
                 {i.short_name(), type_text(value), std::to_string(bytes)});
  Inst* number = lane_argument(ctx, lane, i, last_parameter(i));
  Inst* bits = number ? mask_argument(ctx, a, i, *mask.value, mask.node) : nullptr;
  if (!bits) return Value::unknown();
  const std::vector<Inst*> scalars = scalars_of(ctx, value, moved.node);
  const auto others = Words(ctx, scalars, kMostMoved).moved([&](Inst* word) {
    return ctx.builder.op(i.op, {bits, word, number});
  });
  auto next = others.begin();
  return each_scalar(value,
                     [&](const Value& scalar) { return Value::number(scalar.code(), *next++); });
}

Value call_match(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const auto given = named_arguments(ctx, a, i);
  if (!given) return Value::unknown();
  const Given &mask = (*given)[0], &compared = (*given)[1], &flag = (*given)[2];
  if (!mask.value) return missing(ctx, a, i, "mask");
  if (!compared.value) return missing(ctx, a, i, "value");
  const bool is_flag = !flag.value || is_mask(*flag.value) ||
                       (flag.value->is_number() && !is_float(flag.value->code()));
  if (!is_flag)
    return wrong_kind(ctx, DiagCode::warp_lane_type, flag.node, *flag.value,
                      {parameter_of(i, "flag"), type_text(*flag.value)});
  const Value value = data_argument(ctx, compared, i);
  if (value.is_unknown()) return value;
  Inst* bits = mask_argument(ctx, a, i, *mask.value, mask.node);
  if (!bits) return Value::unknown();
  Inst* lanes = matched(ctx, i.op, bits, value, compared.node);
  if (i.op == Op::MatchAny) return mask_of(lanes);
  Inst* none = ctx.builder.const_int(ir::kU32, 0);
  const Value all = Value::number(TypeCode::b1, ctx.builder.op(Op::Ne, {lanes, none}));
  return Value::tuple({mask_of(lanes), all});
}

}  // namespace cuda_device::frontend
