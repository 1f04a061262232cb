// References to the arguments of finished launches. A worker cannot drop a Python object: it puts
// the owner here, and a thread that holds the GIL takes it out.
#pragma once

#include "abi/owner.h"

namespace cuda_device::runtime {

void owner_finished(abi::Owner* owner);  // null: none
abi::Owner* take_finished_owners();      // all there are, linked; null when there is none

}  // namespace cuda_device::runtime
