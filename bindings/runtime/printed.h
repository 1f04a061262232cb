// What kernels print, written to sys.stdout.
#pragma once

namespace cuda_device::bindings {

// What launches that are done have printed so far. Throws what sys.stdout raises.
void write_printed();

}  // namespace cuda_device::bindings
