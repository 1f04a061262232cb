// `make test` samples what takes long; CUDA_DEVICE_LONG_TESTS=1 runs all of it.
#pragma once

#include <cstdlib>
#include <vector>

#include "support/scalar.h"

namespace cuda_device::codegen::test {

inline bool long_tests() { return std::getenv("CUDA_DEVICE_LONG_TESTS") != nullptr; }

// One of `n` things in three, other ones for another `seed`; all in a long run.
inline bool is_sampled(size_t n, size_t seed) { return long_tests() || (n + seed) % 3 == 0; }

// Every type, or one of each size and class.
inline std::vector<ScalarKind> sampled_kinds() {
  if (!long_tests())
    return {ScalarKind::Bool, ScalarKind::U8, ScalarKind::I32, ScalarKind::F64, ScalarKind::E4M3};
  std::vector<ScalarKind> kinds;
  for (int k = 0; k < kScalarCount; ++k) kinds.push_back(static_cast<ScalarKind>(k));
  return kinds;
}

}  // namespace cuda_device::codegen::test
