#include "codegen/nvptx/architecture.h"

#include "codegen/codegen.h"
#include "support/check.h"
#include "support/diagnostic.h"

namespace cuda_device::codegen {
namespace nvptx {
namespace {

struct Architecture {
  int sm;
  int first_version;  // of PTX that knows it
};

constexpr Architecture kArchitectures[] = {{75, 63}, {80, 70},  {86, 71}, {89, 78},
                                           {90, 78}, {100, 86}, {120, 87}};

// That LLVM 22 can write.
constexpr int kVersions[] = {63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77,
                             78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};

const Architecture& architecture(int sm) {
  for (const Architecture& a : kArchitectures) {
    if (a.sm == sm) return a;
  }
  CD_UNREACHABLE("unknown architecture sm_" + std::to_string(sm));
}

std::string dotted(int version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

}  // namespace

int ptx_version(int sm, int wanted) {
  const int first = architecture(sm).first_version;
  int best = 0;
  for (int version : kVersions) {
    if (wanted == 0 || version <= wanted) best = version;
  }
  if (best >= first) return best;
  throw DiagnosticError(Diagnostic{DiagCode::ptx_too_old,
                                   {},
                                   {"sm_" + std::to_string(sm), dotted(first), dotted(wanted)},
                                   {},
                                   ""});
}

Machine machine_of(int sm, int ptx_version) {
  return {"nvptx64-nvidia-cuda", "sm_" + std::to_string(sm), "+ptx" + std::to_string(ptx_version)};
}

Conversions conversions_of(int sm, int ptx_version) {
  return {.float16 = true, .bfloat16 = sm >= 80, .float8 = sm >= 89 && ptx_version >= 81};
}

}  // namespace nvptx

std::vector<int> ptx_architectures() {
  std::vector<int> all;
  for (const nvptx::Architecture& a : nvptx::kArchitectures) all.push_back(a.sm);
  return all;
}

}  // namespace cuda_device::codegen
