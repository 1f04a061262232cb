// How a stream behaves towards others of its device.
#pragma once

namespace cuda_device::abi {

struct StreamOptions {
  bool nonblocking = true;  // does not wait for the device's default stream by itself
  bool has_priority = false;
  int priority = 0;  // the lower, the more urgent
};

}  // namespace cuda_device::abi
