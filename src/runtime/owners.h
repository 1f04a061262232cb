// References to the arguments of finished launches. A worker cannot drop a Python object: it puts
// the owner here, and a thread that holds the GIL takes it out.
#pragma once

namespace cuda_device::runtime {

void owner_finished(void* owner);
void* take_finished_owner();  // null when there is none

}  // namespace cuda_device::runtime
