// Python's warnings about a text that it has compiled before.
#pragma once

#include "bindings/python.h"

namespace cuda_device::bindings {

// For a single call of Python's compiler, which gives none while this lives: they were given at the
// import, and may be errors. warnings.catch_warnings() would leave the filters of one thread to
// another: here the GIL is held, and what was put in is taken out.
class NoWarnings {
 public:
  NoWarnings() : filters_(nb::module_::import_("warnings").attr("filters")) {
    const nb::handle any(PyExc_Warning);
    ignore_ = nb::make_tuple("ignore", nb::none(), any, nb::none(), 0);
    if (PyList_Check(filters_.ptr())) checked(PyList_Insert(filters_.ptr(), 0, ignore_.ptr()));
  }
  ~NoWarnings() {
    if (!PyList_Check(filters_.ptr())) return;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(filters_.ptr()); ++i)
      if (PyList_GET_ITEM(filters_.ptr(), i) == ignore_.ptr()) {
        if (PyList_SetSlice(filters_.ptr(), i, i + 1, nullptr) < 0) PyErr_Clear();
        return;
      }
  }
  NoWarnings(const NoWarnings&) = delete;
  NoWarnings& operator=(const NoWarnings&) = delete;

 private:
  nb::object filters_, ignore_;
};

}  // namespace cuda_device::bindings
