#include "codegen/host/masks/mask_form.h"

#include "codegen/host/masks/known_masks.h"
#include "codegen/host/masks/lane_masks.h"
#include "codegen/host/masks/masked_increments.h"

namespace cuda_device::codegen::host {

void apply_mask_form(llvm::Module& module, const Target& target, const Tuning& tuning) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    take_known_masks(function, tuning.on(Heuristic::known_masks));
    if (!target.info().mask_registers)
      use_lane_masks(function, target.native_lanes(4));
    else if (tuning.on(Heuristic::masked_increments))
      use_masked_increments(function);
  }
}

}  // namespace cuda_device::codegen::host
