// Valid kernels drawn at random: nested control flow over slots of several types, every operation
// with a value. They end (loops count) and stay inside their arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ir/interpreter.h"
#include "ir/ir.h"
#include "unit/ir/opaque_trace.h"

namespace cuda_device::passes {

// `Opaque`: with calls of which nothing is known (op.def), anywhere.
enum class Calls : uint8_t { None, Opaque };
std::unique_ptr<ir::Function> random_kernel(uint64_t seed, Calls calls = Calls::None);

// What it leaves in its arrays, launched with two blocks of 8x2 threads; `seed` chooses their
// contents.
struct Outcome {
  std::vector<std::vector<char>> arrays;
  ir::OpaqueTrace::Calls calls;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};
Outcome run_kernel(const ir::Function& f, uint64_t seed);

}  // namespace cuda_device::passes
