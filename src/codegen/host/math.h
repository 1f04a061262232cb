// Functions of the math library that the runtime carries (SLEEF), called on native vectors.
#pragma once

#include <optional>
#include <string>

#include "codegen/host/target.h"
#include "ir/ir.h"

namespace cuda_device::codegen::host {

struct VectorFunction {
  std::string symbol;
  unsigned lanes;
};

// Of Exp to Lgamma, for float32 and float64; nothing for other operations.
std::optional<VectorFunction> vector_function(ir::Op op, ScalarKind kind, const Target& target);

// The only symbols an image may import.
bool is_known_import(const std::string& name);

}  // namespace cuda_device::codegen::host
