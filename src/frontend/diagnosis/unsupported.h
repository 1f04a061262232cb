// What is said of Python that kernels cannot contain, or cannot contain yet.
#pragma once

#include <string>

namespace cuda_device::frontend {

struct Refusal {
  std::string name;  // "the 'with' statement"
  std::string hint;  // what to write instead
  bool planned;
};

// By the name of Python's ast class.
Refusal refusal_of(const std::string& ast_class);

}  // namespace cuda_device::frontend
