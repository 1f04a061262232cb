#include "dispatch/events.h"

#include <stdexcept>

#include "dispatch/guarded.h"
#include "runtime/cuda/gpu.h"

namespace cuda_device::dispatch {

ForkMutex Event::mutex;

// An event of the host is published before it is queued: other threads then see that it is still to
// come.
void Event::record(Stream& stream, bool timing) {
  if (stream.gpu) return set(stream.gpu->record(timing));
  auto state = std::make_shared<runtime::EventState>();
  set(state);
  stream.host->record(std::move(state));
}

bool Event::is_done() const {
  const auto state = current();
  if (!state || state->done()) return true;
  cuda::look_for_losses();
  return false;
}

void Event::wait(int milliseconds, Outcome* outcome) const {
  const auto state = current();
  if (!state) return;
  if (!state->wait(milliseconds)) {
    cuda::look_for_losses();
    outcome->status = Status::Timeout;
  } else if (std::string error = state->error(); !error.empty()) {
    set_fault(outcome, std::move(error));
  }
}

double milliseconds_between(const Event& earlier, const Event& later) {
  const auto end = later.current(), begin = earlier.current();
  if (!begin || !end)
    throw std::runtime_error(
        "an event that was not recorded or is not done yet has no time: record() both, sync() "
        "the later one");
  if (begin->device() != end->device())
    throw std::runtime_error("two events of different devices have no common clock");
  return end->milliseconds_since(*begin);
}

}  // namespace cuda_device::dispatch
