// How a compilation is given up from inside: thrown between its steps once whoever waits for it
// asked it to stop, and caught at the compiler's door. No std::exception: nothing on the way is to
// take it for a failure.
#pragma once

#include <stop_token>

namespace cuda_device {

struct Interrupted {};

inline void throw_if_stopped(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Interrupted();
}

}  // namespace cuda_device
