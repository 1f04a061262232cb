// The clock of workers, in ns of CLOCK_MONOTONIC.
#pragma once

#include <time.h>

#include <cstdint>

namespace cuda_device::runtime::fibres {

inline int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * int64_t{1000000000} + time.tv_nsec;
}

inline void sleep_for(int64_t ns) {
  const timespec time{ns / 1000000000, ns % 1000000000};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

}  // namespace cuda_device::runtime::fibres
