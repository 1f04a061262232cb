// How messages speak of the language of a kernel.
#pragma once

#include <string_view>

#include "frontend/policy.h"

namespace cuda_device::frontend {

struct LanguageNames {
  std::string_view decorator;     // of its kernels
  std::string_view own_prefix;    // of the names of its module
  std::string_view other_prefix;  // of the names of another language's module
};

const LanguageNames& language_names(const Policy& policy);

}  // namespace cuda_device::frontend
