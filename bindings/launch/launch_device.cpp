#include "bindings/launch/launch_device.h"

#include "bindings/errors.h"
#include "bindings/launch/call.h"
#include "bindings/runtime/devices.h"

namespace cuda_device::bindings {

// Memory that both reach leaves the choice to where it is at home: pinned memory is the host's,
// managed memory a GPU's. A target that tests have set is one of the host.
int LaunchDevice::settled() const {
  if (!undecided()) return device_;
  if (managed_ >= 0 && cd_rt_gpu_count() > 0) return managed_;
  if (managed_ >= 0 || pinned_ || *cd_rt_target()) return kHostDevice;
  dispatch::Outcome outcome;
  const int current = cd_rt_current_device(&outcome);
  throw_unless_ok(outcome);
  return current;
}

namespace {

std::string how_to_copy(int to) {
  if (to == kHostDevice)
    return "copy it to the host, for example with cupy.asnumpy(a) or PyTorch's a.cpu()";
  const std::string number = std::to_string(to);
  return "copy it to GPU " + number +
         ", for example with cupy.asarray(a) or PyTorch's a.to('cuda:" + number + "')";
}

}  // namespace

// The array being read lives on `device`; the launch does not run there so far.
void Call::settle(int device) {
  if (where_.undecided()) return where_.decide(device, position_);
  const std::string here = device_text(device), there = device_text(where_.device());
  if (where_.has_stream())
    fail(DiagCode::argument_other_device, {here, there, how_to_copy(where_.device())});
  fail(DiagCode::argument_mixed,
       {here, argument_text(where_.decided_by()), there, how_to_copy(where_.device())});
}

void Call::live_on_gpu(int number) {
  if (!where_.runs_on(number)) settle(number);
}

}  // namespace cuda_device::bindings
