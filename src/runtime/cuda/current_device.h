// Which device a thread's launches go to that name none.
#pragma once

namespace cuda_device::cuda {

// The number of the device: the host where it was chosen, else the GPU of the current context, else
// GPU 0, else the host. Throws DriverError.
int current_device();

// Throws where there is no such device. A GPU's context becomes the thread's current one.
void set_current_device(int number);

}  // namespace cuda_device::cuda
