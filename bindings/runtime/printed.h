// What kernels print, written to sys.stdout.
#pragma once

namespace cuda_device::bindings {

// What launches that are done have printed so far. Throws what sys.stdout raises.
void write_printed();
// Where something has failed that the caller is to hear, whatever becomes of the text.
void write_printed_beside_an_error();

}  // namespace cuda_device::bindings
