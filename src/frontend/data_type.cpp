// Sizes, alignments and offsets, as C++ lays them out (DEV-ABI-05, 06, 08).
#include "frontend/data_type.h"

#include <algorithm>
#include <array>

#include "support/dtype.h"
#include "support/record_layout.h"

namespace cuda_device::frontend {
namespace {

constexpr int kMostLanes = 4;

uint32_t bytes_of_number(TypeCode code) {
  const auto bytes = static_cast<uint32_t>(bits_of(code)) / 8;
  return is_complex(code) ? 2 * bytes : bytes;
}

RecordRef make_vector(TypeCode code, int lanes) {
  auto type = std::make_shared<RecordType>();
  type->kind = RecordType::Kind::Vector;
  type->name = std::string(name_of(code)) + "x" + std::to_string(lanes);
  const uint32_t component = bytes_of_number(code);
  for (int i = 0; i < lanes; ++i)
    type->fields.push_back(
        {std::string(1, "xyzw"[i]), DataType::number(code), component * static_cast<uint32_t>(i)});
  type->size = component * static_cast<uint32_t>(lanes);
  type->align = vector_align(component, lanes);
  return type;
}

// Vectors have integers and floats of a fixed format as components.
bool has_vectors(TypeCode code) { return !is_weak(code) && (is_int(code) || is_float(code)); }

using Vectors = std::array<std::array<RecordRef, kMostLanes>, kFixedCount>;

// Never changed after it is made, by the first thread that comes.
const Vectors& vectors() {
  static const Vectors all = [] {
    Vectors made;
    for (int i = 0; i < kFixedCount; ++i)
      for (int lanes = 1; lanes <= kMostLanes; ++lanes)
        if (const auto code = static_cast<TypeCode>(i); has_vectors(code))
          made[static_cast<size_t>(i)][static_cast<size_t>(lanes - 1)] = make_vector(code, lanes);
    return made;
  }();
  return all;
}

void add_leaves(const DataType& type, uint32_t offset, std::vector<DataLeaf>& leaves) {
  if (type.is_record()) {
    for (const RecordField& field : type.record->fields)
      add_leaves(field.type, offset + field.offset, leaves);
  } else if (type.is_number() && is_complex(type.code)) {
    const TypeCode part = component_of(type.code);
    leaves.push_back({offset, part});
    leaves.push_back({offset + bytes_of_number(part), part});
  } else if (type.is_number()) {
    leaves.push_back({offset, type.code});
  }
}

}  // namespace

uint32_t bytes_of(const DataType& type) {
  if (type.is_record()) return type.record->size;
  return type.is_number() ? bytes_of_number(type.code) : sizeof(void*);
}

uint32_t align_of(const DataType& type) {
  return type.is_record() ? type.record->align : bytes_of(type);
}

std::vector<DataLeaf> leaves_of(const DataType& type) {
  std::vector<DataLeaf> leaves;
  add_leaves(type, 0, leaves);
  return leaves;
}

bool is_atomic(const DataType& type) {
  return type.is_record() && type.record->kind == RecordType::Kind::Atomic;
}

const DataType& value_of_atomic(const DataType& atomic) { return atomic.record->fields[0].type; }

// Whether the type or some part of it is what `is` asks for.
template <class F>
static bool holds(const DataType& type, const F& is) {
  if (is(type)) return true;
  return type.is_record() &&
         std::ranges::any_of(type.record->fields,
                             [&](const RecordField& field) { return holds(field.type, is); });
}

bool holds_atomics(const DataType& type) { return holds(type, is_atomic); }

bool holds_arrays(const DataType& type) {
  return holds(type, [](const DataType& part) { return part.is_array(); });
}

static std::string tuple_text(const RecordType& type) {
  std::string text;
  for (const RecordField& field : type.fields)
    text += (text.empty() ? "" : ", ") + type_text(field.type);
  return "(" + text + (type.fields.size() == 1 ? ",)" : ")");
}

static std::string array_text(const DataType& array) {
  if (array.any_element && array.ndim == DataType::kAnyNdim) return "array";
  const std::string element = array.any_element ? "..." : std::string(name_of(array.code));
  const bool any = array.ndim == DataType::kAnyNdim;
  return "array[" + element + ", " + (any ? "..." : std::to_string(array.ndim)) + "]";
}

std::string type_text(const DataType& type) {
  if (type.is_array()) return array_text(type);
  if (type.is_record())
    return type.record->kind == RecordType::Kind::Tuple ? tuple_text(*type.record)
                                                        : type.record->name;
  return type.is_number() ? std::string(name_of(type.code)) : "None";
}

ir::Type array_type(const DataType& element, int ndim, ir::AddressSpace space) {
  if (element.is_number() && !is_complex(element.code))
    return ir::Type::array(*scalar_of(element.code), ndim, space);
  const uint32_t align = std::min(align_of(element), RecordLayout::kMostAlign);
  return ir::Type::array(ir::RecordSize{bytes_of(element), align}, ndim, space);
}

RecordRef vector_type(TypeCode code, int lanes) {
  if (lanes < 1 || lanes > kMostLanes || !has_vectors(code)) return nullptr;
  return vectors()[static_cast<size_t>(code)][static_cast<size_t>(lanes - 1)];
}

const RecordRef& mask_type() {
  static const RecordRef type = [] {
    auto made = std::make_shared<RecordType>();
    made->kind = RecordType::Kind::Mask;
    made->name = "WarpMask";
    made->fields.push_back({"", DataType::number(TypeCode::u4), 0});
    made->size = made->align = bytes_of_number(TypeCode::u4);
    return made;
  }();
  return type;
}

RecordRef vector_named(std::string_view name) {
  const size_t x = name.rfind('x');
  if (x == std::string_view::npos || x + 2 != name.size()) return nullptr;
  const std::optional<TypeCode> code = numeric_named(name.substr(0, x));
  return code ? vector_type(*code, name[x + 1] - '0') : nullptr;
}

}  // namespace cuda_device::frontend
