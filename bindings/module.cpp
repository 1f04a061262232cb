// cuda.device._core: the compiler's and runtime's side of the package.
#include <cmath>

#include "bindings/launch/launch.h"
#include "bindings/numpy.h"
#include "bindings/runtime/inspection.h"
#include "bindings/runtime/streams.h"
#include "bindings/source/function_object.h"

namespace cuda_device::bindings {

NB_MODULE(_core, module) {
  import_numpy();
  register_function_types(module);
  register_streams(module);
  register_launch(module);
  register_inspection(module);
  // One rounding, which Python 3.11 cannot do.
  module.def("fma64", [](double a, double b, double c) { return std::fma(a, b, c); });
  module.def("fma32", [](float a, float b, float c) { return std::fmaf(a, b, c); });
}

}  // namespace cuda_device::bindings
