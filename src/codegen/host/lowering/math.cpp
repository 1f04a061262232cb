#include "codegen/host/lowering/math.h"

#include "support/check.h"

namespace cuda_device::codegen::host {

using ir::Op;

namespace {

struct Entry {
  Op op;
  const char* name;
  const char* bound;  // of the error, in tenths of an ulp, as the library spells it
};

constexpr Entry kFunctions[] = {
    {Op::Exp, "exp", "u10"},     {Op::Exp2, "exp2", "u10"},     {Op::Expm1, "expm1", "u10"},
    {Op::Log, "log", "u10"},     {Op::Log2, "log2", "u10"},     {Op::Log10, "log10", "u10"},
    {Op::Log1p, "log1p", "u10"}, {Op::Sin, "sin", "u10"},       {Op::Cos, "cos", "u10"},
    {Op::Tan, "tan", "u10"},     {Op::Asin, "asin", "u10"},     {Op::Acos, "acos", "u10"},
    {Op::Atan, "atan", "u10"},   {Op::Atan2, "atan2", "u10"},   {Op::Sinh, "sinh", "u10"},
    {Op::Cosh, "cosh", "u10"},   {Op::Tanh, "tanh", "u10"},     {Op::Asinh, "asinh", "u10"},
    {Op::Acosh, "acosh", "u10"}, {Op::Atanh, "atanh", "u10"},   {Op::Pow, "pow", "u10"},
    {Op::Hypot, "hypot", "u05"}, {Op::Cbrt, "cbrt", "u10"},     {Op::Erf, "erf", "u10"},
    {Op::Erfc, "erfc", "u15"},   {Op::Tgamma, "tgamma", "u10"}, {Op::Lgamma, "lgamma", "u10"},
};

// Of vectors, as the library spells them.
std::string letter_of(ScalarKind kind) {
  switch (compute_format(kind)) {
    case ComputeFormat::F32:
      return "f";
    case ComputeFormat::F64:
      return "d";
  }
  CD_UNREACHABLE("unknown float");
}

const char* instruction_set(MaskForm form) {
  switch (form) {
    case MaskForm::Avx512:
      return "avx512f";
    case MaskForm::Avx2:
      return "avx2";
    case MaskForm::Sse4:
      return "sse4";
  }
  return "";
}

}  // namespace

std::optional<VectorFunction> vector_function(Op op, ScalarKind kind, const Target& target) {
  for (const Entry& entry : kFunctions) {
    if (entry.op != op) continue;
    const unsigned lanes = target.native_lanes(static_cast<unsigned>(bytes_of(kind)));
    const std::string type = letter_of(kind) + std::to_string(lanes);
    return VectorFunction{std::string("Sleef_") + entry.name + type + "_" + entry.bound +
                              instruction_set(target.form),
                          lanes};
  }
  return std::nullopt;
}

std::optional<VectorFunction> instead_of_avx512(const std::string& symbol, const Target& there) {
  if (!symbol.starts_with("Sleef_")) return std::nullopt;
  Target avx512;
  for (const Entry& entry : kFunctions)
    for (ScalarKind kind : kComputedFloats)
      if (vector_function(entry.op, kind, avx512)->symbol == symbol)
        return vector_function(entry.op, kind, there);
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
