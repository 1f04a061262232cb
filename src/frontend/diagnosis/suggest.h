// Names for people: the nearest of some candidates, and what other dialects call our things.
#pragma once

#include <string>
#include <vector>

#include "frontend/policy.h"

namespace cuda_device::frontend {

// The candidate at the smallest edit distance, if it is near enough to be meant; else "".
std::string closest(const std::string& name, const std::vector<std::string>& candidates);

// The text, and whether the entity is not implemented yet.
std::string with_status(std::string text, const std::string& entity);

// What to write in place of a name of CUDA C++, Numba or NumPy (support/foreign_names.def):
// "threadIdx" → "device.thread_idx", in the words of the kernel's language. Says so where that is
// not implemented yet; "" for names without counterpart.
std::string foreign_name_hint(const Policy& policy, const std::string& name);

// A name of cuda.device or math, written without its module: "sqrt" → "math.sqrt"; else "".
std::string name_in_module(const Policy& policy, const std::string& name);

// What to do in place of calling a function of the host, by its name as it is written.
std::string host_hint(const Policy& policy, const std::string& name);

// The statement that a file lacks in which the name of a well-known module is not defined; empty
// for other names.
std::string import_of(const std::string& name);

}  // namespace cuda_device::frontend
