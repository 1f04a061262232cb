#include "runtime/cuda/current_device.h"

#include "runtime/cuda/context.h"
#include "runtime/cuda/gpu.h"

namespace cuda_device::cuda {
namespace {

// What set_current_device chose, where that was the host; until another context becomes current.
thread_local bool host_chosen = false;
thread_local CUcontext chosen_beside = nullptr;

CUcontext current_context() {
  CUcontext current = nullptr;
  driver().check(driver().context_get(&current), "asking for the current context");
  return current;
}

}  // namespace

int current_device() {
  if (gpu_count() == 0) return runtime::kHostDevice;
  const Driver& d = driver();
  const CUcontext current = current_context();
  CUdevice device = 0;
  if (host_chosen && current == chosen_beside) return runtime::kHostDevice;
  if (!current) return 0;
  d.check(d.context_device(&device), "asking for the current GPU");
  for (int i = 0; i < d.devices; ++i)
    if (gpu(i).device() == device) return i;
  return 0;
}

void set_current_device(int number) {
  if (number != runtime::kHostDevice)
    driver().check(driver().context_set(gpu(number).context().handle()),
                   "making a GPU the current one");
  host_chosen = number == runtime::kHostDevice;
  if (host_chosen && gpu_count() > 0) chosen_beside = current_context();
}

}  // namespace cuda_device::cuda
