#include "codegen/host/effort.h"

namespace cuda_device::codegen::host {

Effort effort_for(const ir::Function& f) {
  constexpr size_t kLong = 4000;  // instructions, of about a thousand lines; LLVM takes a second
  return f.inst_count() > kLong ? Effort::Bounded : Effort::Full;
}

}  // namespace cuda_device::codegen::host
