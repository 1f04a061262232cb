#include "abi/kernel_image.h"

namespace cuda_device::abi {

ParamLayout layout_of(const std::vector<ParamSlot>& without_offsets) {
  ParamLayout layout;
  for (ParamSlot slot : without_offsets) {
    uint32_t align = slot.is_array ? 8 : static_cast<uint32_t>(bytes_of(slot.scalar));
    slot.size = slot.is_array ? 8 + 16u * slot.ndim : align;
    slot.offset = (layout.size + align - 1) / align * align;
    layout.size = slot.offset + slot.size;
    layout.slots.push_back(slot);
  }
  layout.size = (layout.size + 7) / 8 * 8;
  return layout;
}

}  // namespace cuda_device::abi
