// Python's warnings about a text that it has compiled before.
#pragma once

#include "bindings/python.h"

namespace cuda_device::bindings {

// While one lives there are none: they were given at the import, and may be errors.
class NoWarnings {
 public:
  NoWarnings() : scope_(nb::module_::import_("warnings").attr("catch_warnings")()) {
    scope_.attr("__enter__")();
    nb::module_::import_("warnings").attr("simplefilter")("ignore");
  }
  ~NoWarnings() { scope_.attr("__exit__")(nb::none(), nb::none(), nb::none()); }
  NoWarnings(const NoWarnings&) = delete;
  NoWarnings& operator=(const NoWarnings&) = delete;

 private:
  nb::object scope_;
};

}  // namespace cuda_device::bindings
