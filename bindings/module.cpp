// cuda.device._core: the compiler's and runtime's side of the package.
#include <cmath>

#include "bindings/launch/launch.h"
#include "bindings/memory/memory.h"
#include "bindings/numpy.h"
#include "bindings/runtime/devices.h"
#include "bindings/runtime/inspection.h"
#include "bindings/runtime/streams.h"
#include "bindings/source/function_object.h"
#include "bindings/values/atomic_access.h"
#include "bindings/values/element_dtype.h"
#include "bindings/values/struct_values.h"
#include "bindings/values/vector_object.h"
#include "support/targets.h"

namespace cuda_device::bindings {

namespace {

// Types, entities and the list of finished launches are the process's, and hold objects of one
// interpreter; NumPy is not made for more than one either.
void refuse_sub_interpreters() {
  if (PyInterpreterState_Get() == PyInterpreterState_Main()) return;
  throw nb::import_error(
      "cuda.device cannot be used in a sub-interpreter; use the main interpreter, or processes "
      "(multiprocessing)");
}

// A free-threaded Python takes its GIL for a module that does not say it can do without, such as
// this one: kernels, their variants and the key of the last launch are changed under it. Unless it
// was told not to.
void refuse_without_gil() {
  const nb::module_ sys = nb::module_::import_("sys");
  if (!nb::hasattr(sys, "_is_gil_enabled") || nb::cast<bool>(sys.attr("_is_gil_enabled")())) return;
  throw nb::import_error("cuda.device needs Python's GIL: leave out PYTHON_GIL=0 and -X gil=0");
}

}  // namespace

NB_MODULE(_core, module) {
  refuse_sub_interpreters();
  refuse_without_gil();
  module.attr("__version__") = CD_VERSION;
  import_numpy();
  register_function_types(module);
  register_streams(module);
  register_devices(module);
  register_launch(module);
  register_inspection(module);
  register_buffers(module);
  register_arrays(module);
  register_vectors(module);
  register_element_dtypes(module);
  register_struct_values(module);
  register_atomic_access(module);
  // (what to write, the name that is meant) in place of a name from elsewhere, or None. Of a name
  // that means one thing in host code and another in a kernel, the former.
  module.def("foreign_name_hint", [](const std::string& name) -> nb::object {
#define FOREIGN_NAME(spelling, ours, entity)
#define HOST(spelling, ours) \
  if (name == spelling) return nb::make_tuple(ours, "");
#include "support/foreign_names.def"
#define FOREIGN_NAME(spelling, ours, entity) \
  if (name == spelling) return nb::make_tuple(ours, entity);
#define HOST(spelling, ours)
#include "support/foreign_names.def"
    return nb::none();
  });
  // The architectures that have selectors, oldest first.
  nb::list versions;
  for (int version : kSmVersions) versions.append(version);
  module.attr("sm_versions") = nb::tuple(versions);
  // One rounding, which Python 3.11 cannot do.
  module.def("fma64", [](double a, double b, double c) { return std::fma(a, b, c); });
  module.def("fma32", [](float a, float b, float c) { return std::fmaf(a, b, c); });
}

}  // namespace cuda_device::bindings
