// The symbols that a host image may import: a fixed list of C functions, and SLEEF's by their
// prefix.
#pragma once

#include <string>

namespace cuda_device::runtime {

// Null when the name is not on the list or SLEEF lacks it.
void* host_symbol(const std::string& name);

}  // namespace cuda_device::runtime
