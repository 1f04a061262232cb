#include "runtime/cuda/gpu_event.h"

#include "runtime/cuda/gpu.h"
#include "runtime/cuda/poll.h"

namespace cuda_device::cuda {

int GpuEvent::device() const { return context_.gpu().number(); }

// On a lost GPU nothing is done any more, and nothing needs to be waited for: error() says why.
bool GpuEvent::ready() const {
  if (context_.lost()) return true;
  const CUresult result = driver().event_query(event_);
  if (result == kNotReady) return false;
  context_.note(result);
  if (!context_.lost()) driver().check(result, "asking for an event");
  return true;
}

bool GpuEvent::done() const {
  if (context_.lost()) return true;
  const CurrentContext current(context_.handle());
  const BesideCaptures allowed;
  return ready();
}

// As a stream's wait: by the driver's own, which is over at once, what kernels have printed comes.
bool GpuEvent::wait(int milliseconds) {
  if (context_.lost()) return true;
  const CurrentContext current(context_.handle());
  const BesideCaptures allowed;
  if (!poll([this] { return ready(); }, milliseconds)) return false;
  if (!context_.lost()) context_.check(driver().event_synchronize(event_), "waiting for an event");
  return true;
}

void GpuEvent::when_done(std::function<void()> then) {
  if (done()) return then();
  context_.call_after(event_, std::move(then));
}

double GpuEvent::milliseconds_since(const runtime::Event& earlier) const {
  const auto& start = static_cast<const GpuEvent&>(earlier);
  context_.throw_if_lost();
  const CurrentContext current(context_.handle());
  float milliseconds = 0;
  const CUresult result = driver().event_elapsed(&milliseconds, start.event_, event_);
  if (result == kNotReady)
    throw std::runtime_error(
        "an event that was not recorded or is not done yet has no time: record() both, sync() the "
        "later one");
  context_.check(result, "asking for the time between two events");
  return static_cast<double>(milliseconds);
}

}  // namespace cuda_device::cuda
