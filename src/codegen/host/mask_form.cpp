#include "codegen/host/mask_form.h"

namespace cuda_device::codegen::host {

void apply_mask_form(llvm::Module&, const Target&) {}

}  // namespace cuda_device::codegen::host
