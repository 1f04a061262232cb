// What the caller of a launch keeps alive until the launch is done derives from this.
#pragma once

namespace cuda_device::abi {

struct Owner {
  Owner* next = nullptr;  // in a list of finished ones
};

}  // namespace cuda_device::abi
