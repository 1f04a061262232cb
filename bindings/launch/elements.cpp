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

// The first part of a structured dtype that is nothing for kernels; empty: there is none. A member
// of a struct that is None is a void without fields.
std::string foreign_part(nb::handle dtype, bool of_struct = false) {
  const PyArray_Descr* descr = descr_of(dtype);
  if (PyDataType_HASSUBARRAY(descr)) return foreign_part(nb::object(dtype.attr("base")));
  if (!PyDataType_HASFIELDS(descr)) {
    if (of_struct && descr->type_num == NPY_VOID) return "";
    const bool complex = descr->type_num == NPY_CFLOAT || descr->type_num == NPY_CDOUBLE;
    const bool known = complex || scalar_of_type_number(descr->type_num);
    return known && PyArray_ISNBO(descr->byteorder) ? "" : text_of(dtype);
  }
  of_struct = of_struct || stands_for_struct(dtype);
  for (nb::handle place : nb::object(dtype.attr("fields").attr("values")()))
    if (std::string part = foreign_part(nb::object(place[0]), of_struct); !part.empty())
      return part;
  return "";
}

bool has_elements(const PyArray_Descr* descr) {
  return PyDataType_HASFIELDS(descr) && PyDataType_ELSIZE(descr) > 0 &&
         static_cast<uint64_t>(PyDataType_ELSIZE(descr)) <= RecordLayout::kMostBytes;
}

}  // namespace

DtypeId read_elements(const Call& call, PyObject* dtype, ElementWord& word) {
  std::string foreign;
  const std::optional<Elements> elements = elements_of_dtype(dtype, foreign);
  if (!elements) call.fail(DiagCode::argument_dtype, {"arrays of '" + foreign + "'"});
  word = {elements->kind, elements->item, elements->lanes, 0,
          elements->type.is_valid() ? call.type_index(elements->type.ptr()) : 0};
  return elements->dtype;
}

namespace {

std::optional<Elements> find_elements(PyObject* dtype, std::string& reason) {
  const PyArray_Descr* descr = descr_of(dtype);
  reason = text_of(dtype);
  if (descr->type_num == NPY_CFLOAT) return complex_numbers(ScalarKind::F32);
  if (descr->type_num == NPY_CDOUBLE) return complex_numbers(ScalarKind::F64);
  if (!has_elements(descr)) return std::nullopt;
  if (std::string part = foreign_part(dtype); !part.empty()) {
    reason = part;
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

std::optional<Elements> elements_of_dtype(PyObject* dtype, std::string& reason) {
  KnownElements& known = known_at(dtype);
  if (known.dtype.ptr() == dtype)
    if (std::optional<Elements> found = recalled(known)) return found;
  std::optional<Elements> found = find_elements(dtype, reason);
  if (found) remember(known, dtype, *found);
  return found;
}

}  // namespace cuda_device::bindings
