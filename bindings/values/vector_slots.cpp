#include "bindings/values/vector_slots.h"

#include <cstring>

#include "bindings/errors.h"
#include "bindings/numpy.h"
#include "bindings/values/component.h"
#include "bindings/values/vector_object.h"
#include "support/print_format.h"

namespace cuda_device::bindings {
namespace {

// --- as a sequence ---

Py_ssize_t length(PyObject* self) { return vector_of(self).lanes; }

bool is_index(PyObject* self, Py_ssize_t index) {
  if (index >= 0 && index < length(self)) return true;
  PyErr_Format(PyExc_IndexError, "index out of range: %s has %d component%s",
               short_name(Py_TYPE(self)), static_cast<int>(length(self)),
               length(self) == 1 ? "" : "s");
  return false;
}

PyObject* get_item(PyObject* self, Py_ssize_t index) {
  if (!is_index(self, index)) return nullptr;
  const VectorObject& vector = vector_of(self);
  return guarded(
      [&] { return load_component(vector.scalar, vector.component(static_cast<int>(index))); });
}

int set_item(PyObject* self, Py_ssize_t index, PyObject* value) {
  if (!is_index(self, index)) return -1;
  if (!value) {
    PyErr_SetString(PyExc_TypeError, "components of a vector cannot be deleted");
    return -1;
  }
  VectorObject& vector = vector_of(self);
  const auto i = static_cast<int>(index);
  // Converted apart: what a user's __index__ raises or changes leaves the vector whole.
  unsigned char bytes[sizeof(uint64_t)] = {};
  PyObject* const done = guarded([&] {
    store_component(vector.scalar, bytes, value, {short_name(Py_TYPE(self)), i});
    std::memcpy(vector.component(i), bytes, static_cast<size_t>(vector.bytes_of_component()));
    return nb::none();
  });
  Py_XDECREF(done);
  return done ? 0 : -1;
}

nb::tuple components(PyObject* self) {
  const VectorObject& vector = vector_of(self);
  nb::object made = checked(PyTuple_New(vector.lanes));
  for (int i = 0; i < vector.lanes; ++i)
    PyTuple_SET_ITEM(made.ptr(), i,
                     load_component(vector.scalar, vector.component(i)).release().ptr());
  return nb::borrow<nb::tuple>(made);
}

// v[i], and v[1:3]: a tuple.
PyObject* subscript(PyObject* self, PyObject* index) {
  if (PySlice_Check(index))
    return guarded([&] { return checked(PyObject_GetItem(components(self).ptr(), index)); });
  const Py_ssize_t i = PyNumber_AsSsize_t(index, PyExc_IndexError);
  if (i == -1 && PyErr_Occurred()) return nullptr;
  return get_item(self, i < 0 ? i + length(self) : i);
}

PyObject* iterate(PyObject* self) {
  return guarded([&] { return checked(PyObject_GetIter(components(self).ptr())); });
}

// --- as a value ---

PyObject* compare(PyObject* a, PyObject* b, int operation) {
  const bool both = is_vector(a) && is_vector(b) && length(a) == length(b);
  if (!both || (operation != Py_EQ && operation != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return guarded([&] { return nb::bool_(have_equal_components(a, b) == (operation == Py_EQ)); });
}

PyObject* represent(PyObject* self) {
  return guarded([&] {
    const VectorObject& vector = vector_of(self);
    std::string text = "device." + std::string(short_name(Py_TYPE(self))) + "(";
    for (int i = 0; i < vector.lanes; ++i)
      text += (i ? ", " : "") +
              number_text(vector.scalar, component_bits(vector.scalar, vector.component(i)));
    return nb::str((text + ")").c_str());
  });
}

PyObject* reduce(PyObject* self, PyObject*) {
  return guarded([&] {
    return nb::make_tuple(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(self))), components(self));
  });
}

// An array without dimensions, of one element whose fields the components are.
nb::object element_of(PyObject* self, nb::handle dtype) {
  return nb::module_::import_("numpy").attr("array")(components(self), dtype);
}

// A new array of its components: a vector is no memory that others may hold on to.
nb::object array_of(PyObject* self, nb::handle dtype, nb::handle copy) {
  if (copy.ptr() == Py_False)
    throw nb::value_error("an array of a vector's components is a copy, and copy=False was given");
  if (PyArray_DescrCheck(dtype.ptr()) &&
      PyDataType_HASFIELDS(reinterpret_cast<PyArray_Descr*>(dtype.ptr())))
    return element_of(self, dtype);
  const VectorObject& vector = vector_of(self);
  auto* descr = reinterpret_cast<PyArray_Descr*>(dtype_of_scalar(vector.scalar).inc_ref().ptr());
  npy_intp extent = vector.lanes;
  nb::object array =
      checked(PyArray_NewFromDescr(&PyArray_Type, descr, 1, &extent, nullptr, nullptr, 0, nullptr));
  std::memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())), vector.data,
              vector.bytes());
  return dtype.is_none() ? array : array.attr("astype")(dtype);
}

PyObject* as_array(PyObject* self, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"dtype", "copy", nullptr};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O$O:__array__", const_cast<char**>(names),
                                   &dtype, &copy))
    return nullptr;
  return guarded([&] { return array_of(self, dtype, copy); });
}

PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, nullptr},  // hints: Vector[T]
    {"__array__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(as_array)),
     METH_VARARGS | METH_KEYWORDS,
     "A new array of the components, or of one element that has them as fields."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

std::vector<PyType_Slot> vector_slots() {
  std::vector<PyType_Slot> slots = {
      slot(Py_sq_length, length),
      slot(Py_sq_item, get_item),
      slot(Py_mp_subscript, subscript),
      slot(Py_sq_ass_item, set_item),
      slot(Py_tp_iter, iterate),
      slot(Py_tp_richcompare, compare),
      slot(Py_tp_hash, PyObject_HashNotImplemented),  // v[i] = x changes it (DEV-VEC-12)
      slot(Py_tp_repr, represent),
      slot(Py_tp_methods, methods)};
  add_operators(slots);
  return slots;
}

}  // namespace cuda_device::bindings
