// Python and nanobind as every file of bindings/ uses them. Objects are nb::object; a failed call
// of the C API is nb::python_error, and no C++ exception leaves bindings/.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

namespace cuda_device::bindings {

namespace nb = nanobind;

// Takes a new reference that the C API returned; null becomes the exception that Python has set.
inline nb::object checked(PyObject* new_reference) {
  if (!new_reference) throw nb::python_error();
  return nb::steal(new_reference);
}

inline void checked(int status) {
  if (status < 0) throw nb::python_error();
}

// Attribute or null where there is none; other errors are thrown.
inline nb::object optional_attr(nb::handle object, nb::handle name) {
  PyObject* found = nullptr;
#if PY_VERSION_HEX >= 0x030D0000
  checked(PyObject_GetOptionalAttr(object.ptr(), name.ptr(), &found));
#else
  checked(_PyObject_LookupAttr(object.ptr(), name.ptr(), &found));  // makes no exception to drop
#endif
  return nb::steal(found);
}

// What a class or one of its bases has by a name, as it stands there; null where there is nothing.
inline nb::object class_attr(nb::handle cls, nb::handle name) {
  return nb::borrow(_PyType_Lookup(reinterpret_cast<PyTypeObject*>(cls.ptr()), name.ptr()));
}

inline nb::object interned(const char* text) { return checked(PyUnicode_InternFromString(text)); }

// The text where UTF-8 cannot hold it (lone surrogates): those are escaped as Python does,
// "\\ud800". Throws what Python has set where that is something else.
std::string escaped_text(nb::handle text);

inline std::string to_string(nb::handle text) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  return data ? std::string(data, static_cast<size_t>(size)) : escaped_text(text);
}

// "list", "torch.Tensor": how messages call the type of an object.
std::string type_text(nb::handle object);

// Whether it is a member of an enumeration, of whatever class.
bool is_enum_member(nb::handle object);

// An object for a message: its repr, cut where it is long.
std::string shown(nb::handle object);

// Lets go of the GIL while it lives. In place of nanobind's: when the process ends, Python ends a
// daemon thread that wants the GIL again, by unwinding its stack, which no destructor survives and
// which would drop references without the GIL. Such a thread sleeps until the process is gone.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil();

 private:
  PyThreadState* const state_;
};

// Takes the GIL, on a thread that Python knows; the same holds of it.
class WithGil {
 public:
  WithGil();
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;
  ~WithGil() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

// Lets go of a reference with the GIL held or not, and where there is no interpreter any more.
void drop_anywhere(PyObject* object);

}  // namespace cuda_device::bindings
