#include "codegen/codegen.h"

namespace cuda_device::codegen {
namespace {

abi::ParamLayout layout_of_params(const ir::Function& f) {
  std::vector<abi::ParamSlot> slots;
  for (const ir::Param& p : f.params) {
    abi::ParamSlot slot;
    slot.is_array = p.type.is_array();
    slot.read_only = p.facts.read_only;
    slot.dtype = p.type.scalar;
    slot.ndim = p.type.ndim;
    slots.push_back(slot);
  }
  return abi::layout_of(slots);
}

}  // namespace

void describe(const ir::Function& f, abi::KernelImage& image) {
  image.name = f.name;
  image.params = layout_of_params(f);
  image.static_shared = static_cast<uint32_t>(ir::memory_layout(f, ir::AddressSpace::Shared).bytes);
  image.dynamic_shared = ir::contains(f.body, ir::Op::DynamicShared);
  image.failures = f.failures;
  image.formats = f.formats;
}

}  // namespace cuda_device::codegen
