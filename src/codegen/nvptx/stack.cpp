#include "codegen/nvptx/stack.h"

#include <algorithm>
#include <vector>

#include "codegen/nvptx/platform.h"
#include "ir/visitor.h"

namespace cuda_device::codegen::nvptx {
namespace {

// Measured: ptxas saves 16 to 100 bytes of registers that are in use across a call.
constexpr uint64_t kRegisters = 128;
constexpr uint64_t kWord = 8;

using Numbers = std::vector<size_t>;

Numbers called_by(const ir::Function& f) {
  Numbers called;
  ir::for_each_inst(f.body, [&](const ir::Inst& i) {
    if (i.op == ir::Op::Call) called.push_back(static_cast<size_t>(i.imm));
  });
  return called;
}

// Bytes of the local arrays that the function has itself.
uint64_t local_bytes(const ir::Function& f) {
  std::vector<bool> used(f.arrays.size());
  ir::for_each_inst(f.body, [&](const ir::Inst& i) {
    if (i.op == ir::Op::Array) used[static_cast<size_t>(i.imm)] = true;
  });
  uint64_t bytes = 0;
  for (size_t i = 0; i < used.size(); ++i) {
    const ir::Allocation& a = f.arrays[i];
    if (used[i] && !a.lent && a.type.space == ir::AddressSpace::Local) bytes += a.bytes() + a.align;
  }
  return bytes;
}

// Words of the kernel's arrays, which all functions are given: address, extents, strides.
uint64_t words_of_environment(const ir::Function& kernel) {
  const std::vector<bool> used = arrays_of_called(kernel);
  uint64_t words = 0;
  for (size_t i = 0; i < used.size(); ++i)
    if (used[i]) words += 1 + 2 * uint64_t{kernel.params[i].type.ndim};
  return words;
}

}  // namespace

bool calls_itself(const ir::Function& kernel) {
  std::vector<Numbers> called;
  for (const auto& f : kernel.functions) called.push_back(called_by(*f));
  for (size_t first = 0; first < called.size(); ++first) {
    std::vector<bool> reached(called.size());
    Numbers waiting = called[first];
    while (!waiting.empty()) {
      const size_t next = waiting.back();
      waiting.pop_back();
      if (next == first) return true;
      if (reached[next]) continue;
      reached[next] = true;
      waiting.insert(waiting.end(), called[next].begin(), called[next].end());
    }
  }
  return false;
}

uint32_t estimated_frame(const ir::Function& kernel) {
  const uint64_t environment = words_of_environment(kernel);
  uint64_t largest = 0;
  for (const auto& f : kernel.functions) {
    const uint64_t own = f->params.size() - f->kernel_params() + f->lent.size();
    largest = std::max(largest, local_bytes(*f) + kWord * (environment + own));
  }
  return static_cast<uint32_t>(
      std::min<uint64_t>((largest + kRegisters + 15) / 16 * 16, UINT32_MAX));
}

}  // namespace cuda_device::codegen::nvptx
