#include "codegen/codegen.h"
#include "ir/visitor.h"

namespace cuda_device::codegen {
namespace {

// Only the size and alignment of a record reach the runtime.
DtypeId dtype_of(ir::Type type, DtypeTable& dtypes) {
  if (!type.has_records()) return type.scalar();
  return dtypes.add({type.record().bytes, type.record().align, {}});
}

abi::ParamLayout layout_of_params(const ir::Function& f, DtypeTable& dtypes) {
  std::vector<abi::ParamSlot> slots;
  for (const ir::Param& p : f.params) {
    abi::ParamSlot slot;
    slot.is_array = p.type.is_array();
    slot.read_only = p.facts.read_only;
    slot.dtype = dtype_of(p.type, dtypes);
    slot.ndim = p.type.ndim;
    slots.push_back(slot);
  }
  return abi::layout_of(slots, dtypes);
}

uint8_t counted_axes(const ir::Function& f) {
  uint8_t axes = 0;
  ir::for_each_inst(f.body, [&](const ir::Inst& inst) {
    if (inst.op == ir::Op::Tid || inst.op == ir::Op::GridSize)
      axes = static_cast<uint8_t>(axes | 1 << inst.imm);
  });
  return axes;
}

}  // namespace

void describe(const ir::Function& f, abi::KernelImage& image) {
  image.name = f.name;
  image.params = layout_of_params(f, image.dtypes);
  image.static_shared = static_cast<uint32_t>(ir::memory_layout(f, ir::AddressSpace::Shared).bytes);
  image.dynamic_shared = ir::contains(f.body, ir::Op::DynamicShared);
  image.counted_axes = counted_axes(f);
  image.failures = f.failures;
  image.formats = f.formats;
}

}  // namespace cuda_device::codegen
