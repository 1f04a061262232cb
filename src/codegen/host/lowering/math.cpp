#include "codegen/host/lowering/math.h"

#include "ir/evaluate.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using ir::Op;

namespace {

// The bound of the error in tenths of an ulp, as the library spells it.
const char* bound_of(Op op) {
  if (op == Op::Hypot) return "u05";
  return op == Op::Erfc ? "u15" : "u10";
}

// The letter of a vector's element type, as the library spells it.
std::string letter_of(ScalarKind kind) {
  switch (compute_format(kind)) {
    case ComputeFormat::F32:
      return "f";
    case ComputeFormat::F64:
      return "d";
  }
  CD_UNREACHABLE("unknown float");
}

}  // namespace

// op.def names functions as C does, and so does the library.
std::optional<VectorFunction> vector_function(Op op, ScalarKind kind, const Target& target) {
  if (ir::is_exact(op)) return std::nullopt;
  const unsigned lanes = target.native_lanes(static_cast<unsigned>(bytes_of(kind)));
  const std::string type = letter_of(kind) + std::to_string(lanes);
  return VectorFunction{
      "Sleef_" + std::string(ir::info(op).text) + type + "_" + bound_of(op) + target.info().sleef,
      lanes};
}

std::optional<VectorFunction> instead_of_avx512(const std::string& symbol, const Target& there) {
  if (!symbol.starts_with("Sleef_")) return std::nullopt;
  Target avx512;
  for (int number = 0; number < ir::kOpCount; ++number) {
    const auto op = static_cast<Op>(number);
    for (ScalarKind kind : kComputedFloats) {
      const auto function = vector_function(op, kind, avx512);
      if (function && function->symbol == symbol) return vector_function(op, kind, there);
    }
  }
  return std::nullopt;
}

bool is_known_import(const std::string& name) {
  static constexpr const char* kFromC[] = {
#define HOST_IMPORT(name, result, parameters) #name,
#include "abi/host_imports.def"
  };
  constexpr const char* kForTests = "cd_opaque";  // the runtime has none
  return name.starts_with("Sleef_") || name == kForTests || llvm::is_contained(kFromC, name);
}

}  // namespace cuda_device::codegen::host
