// Functions of the math library that the runtime carries (SLEEF), called on native vectors.
#pragma once

#include <optional>
#include <string>

#include "codegen/host/machine/target.h"
#include "ir/ir.h"

namespace cuda_device::codegen::host {

struct VectorFunction {
  std::string symbol;
  unsigned lanes;
};

// The function for one of Exp to Lgamma, for the formats that arithmetic is done in; nothing for
// other operations.
std::optional<VectorFunction> vector_function(ir::Op op, ScalarKind kind, const Target& target);

// The one of `there` that computes what AVX-512's of this name does, if it is one of those.
std::optional<VectorFunction> instead_of_avx512(const std::string& symbol, const Target& there);

// The only symbols an image may import.
bool is_known_import(const std::string& name);

}  // namespace cuda_device::codegen::host
