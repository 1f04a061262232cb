// Why an object cannot be read as an array, as data. Every protocol of interop reports this way.
#pragma once

#include <string>
#include <vector>

#include "support/diagnostic.h"

namespace cuda_device::interop {

// A diagnostic without its first argument: which argument of which call the object is, only the
// caller knows.
struct Refusal {
  DiagCode code;
  std::vector<std::string> args;
};

}  // namespace cuda_device::interop
