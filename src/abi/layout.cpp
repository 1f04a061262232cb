#include "abi/kernel_image.h"

namespace cuda_device::abi {
namespace {

uint32_t rounded_up(uint32_t size, uint32_t align) { return (size + align - 1) / align * align; }

}  // namespace

ParamLayout layout_of(const std::vector<ParamSlot>& without_offsets, const DtypeTable& dtypes) {
  ParamLayout layout;
  for (ParamSlot slot : without_offsets) {
    slot.item = dtypes.bytes_of(slot.dtype);
    slot.size = slot.is_array ? 8 + 16u * slot.ndim : slot.item;
    slot.offset = rounded_up(layout.size, slot.is_array ? 8 : dtypes.align_of(slot.dtype));
    layout.size = slot.offset + slot.size;
    layout.slots.push_back(slot);
  }
  layout.size = rounded_up(layout.size, kParamsAlign);
  return layout;
}

}  // namespace cuda_device::abi
