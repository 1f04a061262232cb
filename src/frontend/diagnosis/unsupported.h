// Diagnostics for Python that kernels cannot contain, or cannot contain yet.
#pragma once

#include <string>

namespace cuda_device::frontend {

struct Refusal {
  std::string name;  // "the 'with' statement"
  std::string hint;  // what to write instead
  bool planned;
};

// The refusal of a Python construct, by the name of its class in Python's ast.
Refusal refusal_of(const std::string& ast_class);

}  // namespace cuda_device::frontend
