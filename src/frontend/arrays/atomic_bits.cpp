#include "frontend/arrays/atomic_bits.h"

#include <bit>

#include "frontend/operators/convert.h"
#include "support/check.h"

namespace cuda_device::frontend {
namespace {

constexpr uint32_t kHalf = 8;

TypeCode unsigned_of(uint32_t bytes) {
  switch (bytes) {
    case 1:
      return TypeCode::u1;
    case 2:
      return TypeCode::u2;
    case 4:
      return TypeCode::u4;
    default:
      return TypeCode::u8;
  }
}

ir::Type unsigned_type(uint32_t bytes) { return ir::Type::of(*scalar_of(unsigned_of(bytes))); }

// The numbers that a value is made of, in the order of leaves_of.
void add_numbers(Context& ctx, const Value& value, const Node* node, std::vector<Inst*>& numbers) {
  if (value.is_number()) numbers.push_back(inst_of(ctx, value, node));
  if (!value.is_aggregate()) return;
  for (const Value& part : value.parts()) add_numbers(ctx, part, node, numbers);
}

// What an integer of `half` bytes holds at a leaf.
Inst* number_at(Context& ctx, Inst* bits, uint32_t offset, TypeCode code) {
  const ir::Type whole = bits->type, leaf = ir::Type::of(*scalar_of(code));
  Inst* part = bits;
  if (offset > 0)
    part = ctx.builder.op(Op::Shr, {part, ctx.builder.const_int(whole, int64_t{offset} * 8)});
  const ir::Type raw = unsigned_type(static_cast<uint32_t>(bytes_of(leaf.scalar())));
  if (raw != whole) part = ctx.builder.typed(Op::Convert, raw, {part});
  if (leaf.is_bool()) return ctx.builder.op(Op::Ne, {part, ctx.builder.const_int(raw, 0)});
  return leaf == raw ? part : ctx.builder.typed(Op::Bitcast, leaf, {part});
}

// The value of a type whose numbers are taken one after the other.
Value composed(const DataType& type, std::vector<Inst*>::const_iterator& next) {
  if (type.is_record()) {
    Value::Record record{type.record, {}};
    for (const RecordField& field : type.record->fields)
      record.fields.push_back(composed(field.type, next));
    return record;
  }
  if (!type.is_number()) return Value::none();
  if (!is_complex(type.code)) return Value::number(type.code, *next++);
  const TypeCode part = component_of(type.code);
  const Value real = Value::number(part, *next++);
  return Value::Complex{type.code, {real, Value::number(part, *next++)}};
}

}  // namespace

uint32_t atomic_bytes(const DataType& type) { return std::bit_ceil(bytes_of(type)); }

uint64_t value_bits(const DataType& type, uint32_t half) {
  uint64_t bits = 0;
  for (const DataLeaf& leaf : leaves_of(type)) {
    if (leaf.offset / kHalf != half) continue;
    const auto bytes = static_cast<uint32_t>(bytes_of(*scalar_of(leaf.code)));
    bits |= (~uint64_t{0} >> (64 - 8 * bytes)) << (8 * (leaf.offset % kHalf));
  }
  return bits;
}

bool has_padding(const DataType& type) {
  if (carrier_of(type) == Carrier::Number) return false;
  int bytes = 0;
  for (const DataLeaf& leaf : leaves_of(type)) bytes += bytes_of(*scalar_of(leaf.code));
  return static_cast<uint32_t>(bytes) < atomic_bytes(type);
}

Carrier carrier_of(const DataType& type) {
  if (atomic_bytes(type) > kHalf) return Carrier::Pair;
  const bool plain = type.is_number() && !is_complex(type.code) && !is_bool(type.code) &&
                     !is_storage_only(*scalar_of(type.code));
  return plain ? Carrier::Number : Carrier::Integer;
}

DataType carrier_type(const DataType& type) {
  switch (carrier_of(type)) {
    case Carrier::Number:
      return type;
    case Carrier::Integer:
      return DataType::number(unsigned_of(atomic_bytes(type)));
    case Carrier::Pair:
      return DataType::of(vector_type(TypeCode::i8, 2));
  }
  CD_UNREACHABLE("unknown carrier");
}

Inst* raw_bits(Context& ctx, Inst* number) {
  const ir::Type raw = unsigned_type(static_cast<uint32_t>(bytes_of(number->type.scalar())));
  if (number->type == raw) return number;
  const Op op = number->type.is_bool() ? Op::Convert : Op::Bitcast;
  return ctx.builder.typed(op, raw, {number});
}

std::vector<Inst*> bits_of_value(Context& ctx, const DataType& type, const Value& value,
                                 const Node* node) {
  if (carrier_of(type) == Carrier::Number) return {inst_of(ctx, value, node)};
  const uint32_t half = std::min(atomic_bytes(type), kHalf);
  const ir::Type whole = unsigned_type(half);
  std::vector<Inst*> bits(atomic_bytes(type) / half, nullptr), numbers;
  add_numbers(ctx, value, node, numbers);
  const std::vector<DataLeaf> leaves = leaves_of(type);
  CD_CHECK(leaves.size() == numbers.size(), "a value with other numbers than its type");
  for (size_t k = 0; k < leaves.size(); ++k) {
    Inst* part = raw_bits(ctx, numbers[k]);
    if (part->type != whole) part = ctx.builder.typed(Op::Convert, whole, {part});
    const uint32_t offset = leaves[k].offset % half;
    if (offset > 0)
      part = ctx.builder.op(Op::Shl, {part, ctx.builder.const_int(whole, int64_t{offset} * 8)});
    Inst*& all = bits[leaves[k].offset / half];
    all = all ? ctx.builder.op(Op::Or, {all, part}) : part;
  }
  for (Inst*& b : bits) {
    if (!b) b = ctx.builder.const_int(whole, 0);
    if (bits.size() == 2) b = ctx.builder.typed(Op::Bitcast, ir::kI64, {b});
  }
  return bits;
}

Value value_of_bits(Context& ctx, const DataType& type, const std::vector<Inst*>& bits) {
  if (carrier_of(type) == Carrier::Number) return Value::number(type.code, bits[0]);
  const uint32_t half = std::min(atomic_bytes(type), kHalf);
  std::vector<Inst*> numbers;
  for (const DataLeaf& leaf : leaves_of(type)) {
    Inst* raw = raw_bits(ctx, bits[leaf.offset / half]);
    numbers.push_back(number_at(ctx, raw, leaf.offset % half, leaf.code));
  }
  auto next = numbers.cbegin();
  return composed(type, next);
}

}  // namespace cuda_device::frontend
