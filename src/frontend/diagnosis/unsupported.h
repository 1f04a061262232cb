// Diagnostics for Python that kernels cannot contain, or cannot contain yet.
#pragma once

#include <string>

#include "frontend/policy.h"

namespace cuda_device::frontend {

struct Refusal {
  std::string name;  // "the 'with' statement"
  std::string hint;  // what to write instead
  bool planned;
};

// The refusal of a Python construct, by the name of its class in Python's ast.
Refusal refusal_of(const Policy& policy, const std::string& ast_class);

}  // namespace cuda_device::frontend
