// A broken invariant of the compiler itself. Never a user's mistake; reported as a bug with how to
// report it.
#pragma once

#include <stdexcept>
#include <string>

namespace cuda_device {

struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] void internal_error(const char* file, int line, const std::string& message);

}  // namespace cuda_device

#define CD_CHECK(condition, message)                                              \
  do {                                                                            \
    if (!(condition)) ::cuda_device::internal_error(__FILE__, __LINE__, message); \
  } while (0)
#define CD_UNREACHABLE(message) ::cuda_device::internal_error(__FILE__, __LINE__, message)
