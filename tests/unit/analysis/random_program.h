// Small random kernels over integers, full of control flow. They end, they store only into elements
// of their own thread, and they index in bounds.
#pragma once

#include <memory>
#include <random>

#include "ir/interpreter.h"

namespace cuda_device::analysis::testing {

struct RandomProgram {
  std::unique_ptr<ir::Function> function;
  ir::Grid grid;
  // Parameter 0: int32 read from; 1: int64, one row of results for each thread; 2: a scalar n.
  static constexpr int64_t kInput = 64;
  static constexpr int64_t kResults = 4;
};

struct RandomOptions {
  bool opaque = false;    // calls of which nothing is known (op.def), at any place
  bool barriers = false;  // in block-uniform control, between code in which threads diverge
};
RandomProgram random_program(uint64_t seed, RandomOptions options = {});

}  // namespace cuda_device::analysis::testing
