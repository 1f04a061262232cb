#include "bindings/python.h"

namespace cuda_device::bindings {

std::string type_text(nb::handle object) {
  nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
  nb::object module = optional_attr(type, nb::str("__module__"));
  nb::object name = optional_attr(type, nb::str("__qualname__"));
  if (!name || !PyUnicode_Check(name.ptr())) return Py_TYPE(object.ptr())->tp_name;
  std::string text = to_string(name);
  if (!module || !PyUnicode_Check(module.ptr())) return text;
  std::string from = to_string(module);
  return from == "builtins" || from == "__main__" ? text : from + "." + text;
}

}  // namespace cuda_device::bindings
