// How a compilation is given up from inside: thrown between its steps once its caller asked it to
// stop, and caught in the compiler's C interface. Not a std::exception: no handler on the way must
// take it for a failure.
#pragma once

#include <stop_token>

namespace cuda_device {

struct Interrupted {};

inline void throw_if_stopped(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Interrupted();
}

}  // namespace cuda_device
