// The arrays that a kernel allocates: their sizes and places.
#include <algorithm>

#include "ir/ir.h"
#include "ir/visitor.h"

namespace cuda_device::ir {

uint64_t Allocation::bytes() const {
  auto last = uint64_t{type.element_bytes()};
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) return 0;
    last += static_cast<uint64_t>(shape[axis] - 1) * static_cast<uint64_t>(strides[axis]);
  }
  return last;
}

std::string_view kind_of(const Allocation& a) {
  if (a.is_constant()) return "constant";
  return a.type.space == AddressSpace::Shared ? "shared" : "local";
}

MemoryLayout memory_layout(const Function& f, AddressSpace space) {
  MemoryLayout layout;
  for (const Allocation& a : f.arrays) {
    layout.offsets.push_back(0);
    if (a.type.space != space || a.lent) continue;
    layout.bytes = (layout.bytes + a.align - 1) / a.align * a.align;
    layout.offsets.back() = layout.bytes;
    layout.bytes += a.bytes();
    layout.align = std::max(layout.align, a.align);
  }
  return layout;
}

bool contains(const Block& block, Op op) {
  return any_inst(block, [op](const Inst& inst) { return inst.op == op; });
}

}  // namespace cuda_device::ir
