#include "bindings/launch/elements.h"

#include <array>
#include <utility>

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

// The first part of a structured dtype that is nothing for kernels; empty: there is none.
std::string foreign_part(nb::handle dtype) {
  const PyArray_Descr* descr = descr_of(dtype);
  if (PyDataType_HASSUBARRAY(descr)) return foreign_part(nb::object(dtype.attr("base")));
  if (!PyDataType_HASFIELDS(descr)) {
    const bool complex = descr->type_num == NPY_CFLOAT || descr->type_num == NPY_CDOUBLE;
    const bool known = complex || scalar_of_type_number(descr->type_num);
    return known && PyArray_ISNBO(descr->byteorder) ? "" : text_of(dtype);
  }
  for (nb::handle place : nb::object(dtype.attr("fields").attr("values")()))
    if (std::string part = foreign_part(nb::object(place[0])); !part.empty()) return part;
  return "";
}

bool has_elements(const PyArray_Descr* descr) {
  return PyDataType_HASFIELDS(descr) && PyDataType_ELSIZE(descr) > 0 &&
         static_cast<uint64_t>(PyDataType_ELSIZE(descr)) <= RecordLayout::kMostBytes;
}

}  // namespace

// What a dtype that is asked for the first time says of its elements; `type` is a new reference.
static std::optional<Elements> read_dtype(PyObject* dtype) {
  const PyArray_Descr* descr = descr_of(dtype);
  if (descr->type_num == NPY_CFLOAT) return complex_numbers(ScalarKind::F32);
  if (descr->type_num == NPY_CDOUBLE) return complex_numbers(ScalarKind::F64);
  if (!has_elements(descr) || !foreign_part(dtype).empty()) return std::nullopt;
  const auto size = static_cast<uint32_t>(PyDataType_ELSIZE(descr));
  const auto align = static_cast<uint32_t>(PyDataType_ALIGNMENT(descr));
  nb::object type = type_of_elements(dtype);
  if (type.is_valid() && is_vector_type(reinterpret_cast<PyTypeObject*>(type.ptr())))
    return vectors(reinterpret_cast<PyTypeObject*>(type.ptr()));
  const bool is_class = type.is_valid() && is_struct_class(type);
  if (!is_class) type = canonical_dtype(dtype);
  const DtypeId id = layout(size, is_class ? align_of_struct(type) : align);
  return Elements{id, Kind::Record, ScalarKind::Bool, 0, type.release().ptr()};
}

// The dtypes of the last launches, by identity: to look at one takes longer than a launch.
const Elements* elements_of_dtype(PyObject* dtype) {
  struct Known {
    PyObject* dtype = nullptr;
    Elements elements;
  };
  constexpr size_t kMostKnown = 32;
  static std::array<Known, kMostKnown> known;  // references for good, but for those that are pushed out
  static size_t next = 0;
  for (const Known& k : known)
    if (k.dtype == dtype) return &k.elements;
  const std::optional<Elements> read = read_dtype(dtype);
  if (!read) return nullptr;
  Known& place = known[next++ % kMostKnown];
  const Known old = std::exchange(place, {nb::handle(dtype).inc_ref().ptr(), *read});
  Py_XDECREF(old.dtype);
  Py_XDECREF(old.elements.type);
  return &place.elements;
}

std::string foreign_part_of(PyObject* dtype) {
  std::string part = has_elements(descr_of(dtype)) ? foreign_part(dtype) : "";
  return part.empty() ? text_of(dtype) : part;
}

}  // namespace cuda_device::bindings
