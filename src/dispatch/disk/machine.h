// What the compiler sees of this CPU, as bytes, without the compiler.
#pragma once

#include <string>

namespace cuda_device::dispatch {

// CPUs with the same bytes get the same code. Empty where this is not known.
const std::string& machine_identity();
std::string read_machine_identity();  // asked anew: slow in virtual machines

}  // namespace cuda_device::dispatch
