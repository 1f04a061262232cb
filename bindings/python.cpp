#include "bindings/python.h"

#include <unistd.h>

namespace cuda_device::bindings {
namespace {

// The first destructor that an unwinding of this thread comes to, and the last.
class SleepIfUnwound {
 public:
  ~SleepIfUnwound() {
    while (armed_) pause();
  }
  void disarm() { armed_ = false; }

 private:
  volatile bool armed_ = true;
};

// Not in the destructor itself: what leaves one ends the process before anything else is asked.
[[gnu::noinline]] void take_gil(PyThreadState* state) noexcept(false) {
  SleepIfUnwound guard;
  PyEval_RestoreThread(state);
  guard.disarm();
}

}  // namespace

WithoutGil::~WithoutGil() { take_gil(state_); }

WithGil::WithGil() {
  SleepIfUnwound guard;
  state_ = PyGILState_Ensure();
  guard.disarm();
}

std::string escaped_text(nb::handle text) {
  if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw nb::python_error();
  PyErr_Clear();
  nb::object bytes = checked(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  return {PyBytes_AS_STRING(bytes.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

std::string type_text(nb::handle object) {
  nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
  nb::object module = optional_attr(type, nb::str("__module__"));
  nb::object name = optional_attr(type, nb::str("__qualname__"));
  if (!name || !PyUnicode_Check(name.ptr())) return Py_TYPE(object.ptr())->tp_name;
  std::string text = to_string(name);
  if (!module || !PyUnicode_Check(module.ptr())) return text;
  std::string from = to_string(module);
  const bool bare = from == "builtins" || from == "__main__" || from == "cuda.device._core";
  return bare ? text : from + "." + text;
}

bool is_enum_member(nb::handle object) {
  return nb::isinstance(object, nb::module_::import_("enum").attr("Enum"));
}

std::string shown(nb::handle object) {
  constexpr Py_ssize_t kLongest = 40;
  nb::object text = nb::steal(PyObject_Repr(object.ptr()));
  if (!text) {
    // Python refuses to print thousands of digits; the repr of a user's class may raise anything.
    if (!PyErr_ExceptionMatches(PyExc_Exception)) throw nb::python_error();
    PyErr_Clear();
    return PyLong_Check(object.ptr()) ? "a very large int" : "'" + type_text(object) + "'";
  }
  if (PyUnicode_GET_LENGTH(text.ptr()) <= kLongest) return to_string(text);
  return to_string(checked(PyUnicode_Substring(text.ptr(), 0, kLongest - 3))) + "...";
}

namespace {

// The thread that ends the interpreter destroys what modules still hold; others must not touch it.
bool ends_the_interpreter() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() && PyGILState_Check();
#else
  return _Py_IsFinalizing() && PyGILState_Check();
#endif
}

}  // namespace

void drop_anywhere(PyObject* object) {
  if (Py_IsInitialized()) {
    const WithGil gil;
    Py_DECREF(object);
  } else if (ends_the_interpreter()) {
    Py_DECREF(object);
  }
}

}  // namespace cuda_device::bindings
