#include "bindings/launch/elements.h"

#include <array>
#include <cstddef>

#include "bindings/launch/call.h"
#include "bindings/numpy.h"
#include "bindings/source/classes.h"
#include "bindings/values/element_dtype.h"
#include "bindings/values/vector_object.h"
#include "support/record_layout.h"

namespace cuda_device::bindings {
namespace {

using Kind = frontend::ArgumentType::Kind;

PyArray_Descr* descr_of(nb::handle dtype) { return reinterpret_cast<PyArray_Descr*>(dtype.ptr()); }

DtypeId layout(uint32_t size, uint32_t align) {
  return known_dtypes.add({size, std::min(align, RecordLayout::kMostAlign), {}});
}

Elements complex_numbers(ScalarKind part) {
  const auto bytes = 2 * static_cast<uint32_t>(bytes_of(part));
  return {layout(bytes, bytes), Kind::Complex, part};
}

Elements vectors(PyTypeObject* type) {
  const ScalarKind item = scalar_of_vector(type);
  const int lanes = lanes_of_vector(type);
  const auto bytes = static_cast<uint32_t>(bytes_of(item));
  return {layout(bytes * static_cast<uint32_t>(lanes), vector_align(bytes, lanes)), Kind::Vector,
          item, static_cast<uint8_t>(lanes)};
}

std::string text_of(nb::handle dtype) { return to_string(nb::object(nb::str(dtype))); }

bool stands_for_struct(nb::handle dtype) {
  const nb::object type = type_of_elements(dtype.ptr());
  return type.is_valid() && is_struct_class(type);
}

// A part of a structured dtype that is nothing for kernels, and the field that it is.
struct ForeignPart {
  std::string field;  // "a.b"; empty: the whole
  nb::object dtype;
  bool swapped;  // a number whose bytes are in the other order
};

// The first one. A member of a struct that is None is a void without fields.
std::optional<ForeignPart> foreign_part(nb::handle dtype, bool of_struct = false) {
  const PyArray_Descr* descr = descr_of(dtype);
  if (PyDataType_HASSUBARRAY(descr)) return foreign_part(nb::object(dtype.attr("base")), of_struct);
  if (!PyDataType_HASFIELDS(descr)) {
    if (of_struct && descr->type_num == NPY_VOID) return std::nullopt;
    const bool complex = descr->type_num == NPY_CFLOAT || descr->type_num == NPY_CDOUBLE;
    const bool known = complex || scalar_of_type_number(descr->type_num);
    if (known && PyArray_ISNBO(descr->byteorder)) return std::nullopt;
    return ForeignPart{"", nb::borrow(dtype), known};
  }
  of_struct = of_struct || stands_for_struct(dtype);
  const nb::object fields = nb::object(dtype.attr("fields"));
  for (nb::handle name : nb::object(dtype.attr("names"))) {
    auto part = foreign_part(nb::object(nb::object(fields[name])[0]), of_struct);
    if (!part) continue;
    const std::string own = to_string(nb::object(nb::str(name)));
    part->field = part->field.empty() ? own : own + "." + part->field;
    return part;
  }
  return std::nullopt;
}

interop::Refusal refusal_of(const ForeignPart& part) {
  const std::string text = part.field.empty() ? "arrays of '" + text_of(part.dtype) + "'"
                                              : "arrays whose field '" + part.field + "' is '" +
                                                    text_of(part.dtype) + "'";
  return {part.swapped ? DiagCode::argument_byte_order : DiagCode::argument_dtype, {text}};
}

// A record of no bytes, or of too many.
std::optional<interop::Refusal> refusal_of_size(nb::handle dtype) {
  const auto size = static_cast<uint64_t>(PyDataType_ELSIZE(descr_of(dtype)));
  if (size > 0 && size <= RecordLayout::kMostBytes) return std::nullopt;
  return interop::Refusal{DiagCode::argument_record_size,
                          {text_of(dtype), size > 0 ? std::to_string(size) : "no",
                           std::to_string(RecordLayout::kMostBytes)}};
}

}  // namespace

DtypeId read_elements(const Call& call, PyObject* dtype, ElementWord& word) {
  interop::Refusal refusal;
  const std::optional<Elements> elements = elements_of_dtype(dtype, refusal);
  if (!elements) call.fail(refusal);
  word = {elements->kind, elements->item, elements->lanes, 0,
          elements->type.is_valid() ? call.type_index(elements->type.ptr()) : 0};
  return elements->dtype;
}

namespace {

std::optional<Elements> find_elements(PyObject* dtype, interop::Refusal& refusal) {
  const PyArray_Descr* descr = descr_of(dtype);
  if (descr->type_num == NPY_CFLOAT) return complex_numbers(ScalarKind::F32);
  if (descr->type_num == NPY_CDOUBLE) return complex_numbers(ScalarKind::F64);
  std::optional<interop::Refusal> found;
  if (PyDataType_HASFIELDS(descr)) found = refusal_of_size(dtype);
  if (const auto part = foreign_part(dtype); part && !found) found = refusal_of(*part);
  if (found) {
    refusal = std::move(*found);
    return std::nullopt;
  }
  const auto size = static_cast<uint32_t>(PyDataType_ELSIZE(descr));
  const auto align = static_cast<uint32_t>(PyDataType_ALIGNMENT(descr));
  nb::object type = type_of_elements(dtype);
  if (type.is_valid() && is_struct_class(type))
    return Elements{layout(size, align_of_struct(type)), Kind::Record, ScalarKind::Bool, 0, type};
  if (type.is_valid() && is_atomic_type(type))
    return Elements{layout(size, align), Kind::Record, ScalarKind::Bool, 0, type};
  if (type.is_valid() && is_vector_type(reinterpret_cast<PyTypeObject*>(type.ptr())))
    return vectors(reinterpret_cast<PyTypeObject*>(type.ptr()));
  return Elements{layout(size, align), Kind::Record, ScalarKind::Bool, 0, canonical_dtype(dtype)};
}

// Those of late, by their dtype: finding them takes longer than all else of a launch. A struct is
// not kept: its methods keep the globals of its module, which may hold anything.
struct KnownElements {
  nb::object dtype;
  Elements elements;
  bool of_struct = false;
};

KnownElements& known_at(PyObject* dtype) {
  constexpr size_t kEntries = 64;
  static auto* const entries = new std::array<KnownElements, kEntries>();
  return (*entries)[reinterpret_cast<uintptr_t>(dtype) / alignof(std::max_align_t) % kEntries];
}

// Nothing where the struct is no more.
std::optional<Elements> recalled(const KnownElements& known) {
  Elements elements = known.elements;
  if (known.of_struct) elements.type = type_of_elements(known.dtype.ptr());
  if (known.of_struct && !elements.type.is_valid()) return std::nullopt;
  return elements;
}

void remember(KnownElements& known, PyObject* dtype, const Elements& elements) {
  known = {nb::borrow(dtype), elements, stands_for_struct(dtype)};
  if (known.of_struct) known.elements.type = {};
}

}  // namespace

nb::object type_of_records(nb::handle object) {
  if (!PyArray_DescrCheck(object.ptr()) || !PyDataType_HASFIELDS(descr_of(object))) return {};
  interop::Refusal refusal;
  const std::optional<Elements> elements = elements_of_dtype(object.ptr(), refusal);
  if (!elements) return {};
  return elements->type.is_valid() ? elements->type : type_of_elements(object.ptr());
}

std::optional<Elements> elements_of_dtype(PyObject* dtype, interop::Refusal& refusal) {
  KnownElements& known = known_at(dtype);
  if (known.dtype.ptr() == dtype)
    if (std::optional<Elements> found = recalled(known)) return found;
  std::optional<Elements> found = find_elements(dtype, refusal);
  if (found) remember(known, dtype, *found);
  return found;
}

}  // namespace cuda_device::bindings
