// A kernel that applies every operation of op.def to one type.
#pragma once

#include <memory>

#include "ir/ir.h"

namespace cuda_device::codegen::test {

enum class Which : uint8_t {
  All,
  Exact,  // only those whose bits every target has to give, without a library
};

// Parameters: one array for each scalar type, in order. Thread i reads elements of its type at i *
// kRowOperands and on, and stores the results at i * kRowResults and on of the array of the
// result's type.
inline constexpr int64_t kRowOperands = 3;
inline constexpr int64_t kRowResults = 128;
std::unique_ptr<ir::Function> all_operations(ScalarKind kind, Which which);

}  // namespace cuda_device::codegen::test
