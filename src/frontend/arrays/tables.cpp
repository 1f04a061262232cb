// Constant arrays: global arrays of NumPy's, bytes, and long tuples of constants.
#include "frontend/arrays/tables.h"

#include <algorithm>
#include <cstring>

#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "support/float_format.h"

namespace cuda_device::frontend {
namespace {

constexpr uint32_t kTableAlign = 16;  // the widest load

std::vector<int64_t> c_strides(const std::vector<int64_t>& shape, int64_t step) {
  std::vector<int64_t> strides(shape.size());
  for (size_t k = shape.size(); k-- > 0; step *= shape[k]) strides[k] = step;
  return strides;
}

void append(std::string& bytes, ScalarKind format, const Exact& value) {
  const int64_t bits =
      is_float(format) ? float_bits(format, value.real) : static_cast<int64_t>(value.integer);
  const char* first = reinterpret_cast<const char*>(&bits);
  bytes.append(first, first + bytes_of(format));
}

}  // namespace

static Value number_at(TypeCode code, const char* at) {
  const ScalarKind format = scalar_of(code).value();
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(bytes_of(format)));
  if (is_float(format))
    return Value::constant(code, {0, float_of_bits(format, static_cast<int64_t>(bits))});
  if (is_bool(format)) return Value::boolean(bits != 0);
  const int unused = 64 - bits_of(format);
  if (is_signed_int(format))
    return Value::constant_int(code, static_cast<int64_t>(bits << unused) >> unused);
  return Value::constant_int(code, static_cast<__int128>(bits));
}

Value constant_at(const DataType& type, const char* at) {
  if (type.is_record()) {
    Value::Record record{type.record, {}};
    for (const RecordField& field : type.record->fields)
      record.fields.push_back(constant_at(field.type, at + field.offset));
    return record;
  }
  if (!type.is_number()) return Value::none();
  if (!is_complex(type.code)) return number_at(type.code, at);
  const TypeCode part = component_of(type.code);
  const uint32_t after = bytes_of(DataType::number(part));
  return Value::Complex{type.code, {number_at(part, at), number_at(part, at + after)}};
}

// Tables of one content are one.
Value constant_table(Context& ctx, const std::string& name, const DataType& element,
                     std::vector<int64_t> shape, std::string bytes) {
  ir::Allocation table;
  table.name = name;
  table.type = array_type(element, static_cast<int>(shape.size()), ir::AddressSpace::Global);
  table.strides = c_strides(shape, table.type.element_bytes());
  table.shape = std::move(shape);
  table.align = std::max(kTableAlign, table.type.element_align());
  table.contents = std::move(bytes);
  auto& all = ctx.session.allocations;
  const auto same = std::ranges::find_if(all, [&](const ir::Allocation& other) {
    return other.type == table.type && other.shape == table.shape &&
           other.contents == table.contents && other.name == name;
  });
  const auto index = static_cast<uint32_t>(same - all.begin());
  Value::Array array{name, element, table.type, Value::Allocation{index}, true};
  if (same == all.end()) all.push_back(std::move(table));
  return array;
}

std::optional<Value> table_element(Context& ctx, const Value::Array& array,
                                   const std::vector<Inst*>& operands) {
  const uint32_t* own = array.allocation();
  if (!own || operands[0]->op != Op::Array) return std::nullopt;
  const ir::Allocation& table = ctx.session.allocations.at(*own);
  const uint32_t bytes = table.type.element_bytes();
  if (!table.is_constant() || bytes != bytes_of(array.element)) return std::nullopt;
  int64_t offset = 0;
  for (size_t axis = 0; axis < table.shape.size(); ++axis) {
    const Inst* index = operands[1 + axis];
    if (index->op != Op::Const || index->imm < 0 || index->imm >= table.shape[axis])
      return std::nullopt;
    offset += index->imm * table.strides[axis];
  }
  return constant_at(array.element, table.contents.data() + offset);
}

std::optional<Value> table_of(Context& ctx, const std::vector<Value>& numbers, TypeCode code,
                              const Node* node) {
  const std::optional<ScalarKind> format = scalar_of(code);
  if (!format) return std::nullopt;
  std::string bytes;
  for (const Value& number : numbers) {
    if (!number.exact()) return std::nullopt;
    const Value converted = convert(ctx, number, code, node);
    if (!converted.exact()) return std::nullopt;
    append(bytes, *format, *converted.exact());
  }
  const DataType element = DataType::number(code_of(*format));
  return constant_table(ctx, "", element, {static_cast<int64_t>(numbers.size())}, std::move(bytes));
}

}  // namespace cuda_device::frontend
