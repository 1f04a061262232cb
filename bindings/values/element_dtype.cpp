#include "bindings/values/element_dtype.h"

#include <array>

#include "bindings/numpy.h"
#include "bindings/values/vector_object.h"
#include "support/record_layout.h"

namespace cuda_device::bindings {
namespace {

nb::object make_dtype(ScalarKind scalar, int lanes) {
  nb::list fields;
  for (int i = 0; i < lanes; ++i)
    fields.append(nb::make_tuple(std::string(1, "xyzw"[i]), dtype_of_scalar(scalar)));
  const nb::handle type(reinterpret_cast<PyObject*>(vector_type(scalar, lanes)));
  const auto bytes = static_cast<uint32_t>(bytes_of(scalar));
  return nb::module_::import_("cuda.device._elements")
      .attr("element_dtype")(type, nb::module_::import_("numpy").attr("dtype")(fields),
                             vector_align(bytes, lanes));
}

}  // namespace

// Made when first asked for: small floats need ml_dtypes.
nb::object numpy_dtype_of_vector(ScalarKind scalar, int lanes) {
  static std::array<std::array<PyObject*, kMostVectorLanes>, kScalarCount> known = {};
  PyObject*& dtype = known[static_cast<size_t>(scalar)][static_cast<size_t>(lanes - 1)];
  if (!dtype) {
    nb::object made = make_dtype(scalar, lanes);
    if (!dtype) dtype = made.release().ptr();  // an import may let other threads run
  }
  return nb::borrow(dtype);
}

nb::object type_of_elements(PyObject* dtype) {
  const auto* descr = reinterpret_cast<PyArray_Descr*>(dtype);
  if (descr->type_num != NPY_VOID || descr->typeobj == &PyVoidArrType_Type) return {};
  static PyObject* const mark = interned("__cuda_device_type__").release().ptr();
  const nb::handle elements(reinterpret_cast<PyObject*>(descr->typeobj));
  nb::object type = optional_attr(elements, mark);
  return type.is_none() ? nb::object() : type;
}

void register_element_dtypes(nb::module_& module) {
  // NumPy gives a structured dtype the alignment of its fields; that of a float32x4 or of a struct
  // with align= is larger. For a dtype that nobody has seen yet; copies keep it.
  module.def(
      "set_alignment",
      [](nb::handle dtype, Py_ssize_t align) {
        if (!PyArray_DescrCheck(dtype.ptr())) throw nb::type_error("dtype expects a dtype");
        reinterpret_cast<PyArray_Descr*>(dtype.ptr())->alignment = align;
      },
      nb::arg("dtype"), nb::arg("align"));
}

}  // namespace cuda_device::bindings
