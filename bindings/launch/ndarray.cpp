// NumPy arrays as arguments, natively: their own __dlpack__ refuses what we take (read-only, odd
// strides).
#include <array>

#include "bindings/launch/call.h"
#include "bindings/launch/elements.h"
#include "bindings/memory/watched.h"
#include "bindings/numpy.h"

namespace cuda_device::bindings {
namespace {

constexpr int8_t kNoScalar = -1;

// Scalar kinds by NumPy's type number: a lookup instead of a switch in the launch path.
const std::array<int8_t, NPY_NTYPES_LEGACY>& scalar_table() {
  static const auto table = [] {
    std::array<int8_t, NPY_NTYPES_LEGACY> t;
    for (int i = 0; i < NPY_NTYPES_LEGACY; ++i) {
      std::optional<ScalarKind> scalar = scalar_of_type_number(i);
      t[i] = scalar ? static_cast<int8_t>(*scalar) : kNoScalar;
    }
    return t;
  }();
  return table;
}

std::string dtype_text(PyArrayObject* array) {
  nb::object descr = nb::borrow(reinterpret_cast<PyObject*>(PyArray_DESCR(array)));
  return to_string(nb::object(nb::str(descr)));
}

[[noreturn]] void refuse_dtype(const Call& call, PyArrayObject* array) {
  if (is_planned_format(reinterpret_cast<PyObject*>(PyArray_DESCR(array))))
    call.fail(DiagCode::argument_not_yet, {"an array of '" + dtype_text(array) + "'"});
  call.fail(DiagCode::argument_dtype, {"arrays of '" + dtype_text(array) + "'"});
}

ScalarKind scalar_of_other_module(const Call& call, PyArrayObject* array) {
  const std::optional<ScalarKind> scalar = scalar_of_type_number(PyArray_TYPE(array));
  if (!scalar) refuse_dtype(call, array);
  return *scalar;
}

ScalarKind scalar_of(const Call& call, PyArrayObject* array) {
  int number = PyArray_TYPE(array);
  const int8_t scalar = number < NPY_NTYPES_LEGACY ? scalar_table()[number] : kNoScalar;
  if (scalar == kNoScalar) return scalar_of_other_module(call, array);
  if (!PyArray_ISNOTSWAPPED(array))
    call.fail(DiagCode::argument_byte_order, {"arrays of '" + dtype_text(array) + "'"});
  return static_cast<ScalarKind>(scalar);
}

// Fields, or complex numbers: not a number that takes one register.
bool has_numbers(PyArrayObject* array) {
  const int number = PyArray_TYPE(array);
  return number != NPY_VOID && number != NPY_CFLOAT && number != NPY_CDOUBLE;
}

DtypeId record_of(const Call& call, PyArrayObject* array, ElementWord& word) {
  if (!PyArray_ISNOTSWAPPED(array))
    call.fail(DiagCode::argument_byte_order, {"arrays of '" + dtype_text(array) + "'"});
  return read_elements(call, reinterpret_cast<PyObject*>(PyArray_DESCR(array)), word);
}

}  // namespace

void refuse_masked(const Call& call, PyObject* object) {
  static auto* const type =  // as long as the process
      new nb::object(nb::module_::import_("numpy.ma").attr("MaskedArray"));
  if (PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(type->ptr())))
    call.fail(DiagCode::argument_masked, {"'" + type_text(object) + "'"});
}

void add_ndarray(Call& call, PyObject* object) {
  auto* array = reinterpret_cast<PyArrayObject*>(object);
  if (PyArray_BASE(array) && watched_by(object).is_gone()) fail_freed(call);
  call.live_on_host();
  ElementWord word{};
  const bool numbers = has_numbers(array);
  const DtypeId dtype = numbers ? scalar_of(call, array) : record_of(call, array, word);
  const int ndim = PyArray_NDIM(array);
  if (ndim > abi::kMaxDims) call.fail(DiagCode::argument_dims, {std::to_string(ndim)});
  call.add_array({dtype, ndim, !PyArray_ISWRITEABLE(array), false,
                  reinterpret_cast<uint64_t>(PyArray_DATA(array)), PyArray_DIMS(array),
                  PyArray_STRIDES(array)},
                 numbers ? nullptr : &word);
  if (call.asynchronous()) call.owners().keep(object);
}

}  // namespace cuda_device::bindings
