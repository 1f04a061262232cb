#include "codegen/param_layout.h"

namespace cuda_device::codegen {

abi::ParamLayout layout_of_params(const ir::Function& f) {
  std::vector<abi::ParamSlot> slots;
  for (const ir::Param& p : f.params) {
    abi::ParamSlot slot;
    slot.is_array = p.type.is_array();
    slot.scalar = p.type.scalar;
    slot.ndim = p.type.ndim;
    slots.push_back(slot);
  }
  return abi::layout_of(slots);
}

}  // namespace cuda_device::codegen
