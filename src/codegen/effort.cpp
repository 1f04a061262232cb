#include "codegen/effort.h"

#include "ir/visitor.h"

namespace cuda_device::codegen {

Effort effort_for(const ir::Function& f) {
  constexpr size_t kLong = 4000;  // instructions, of about a thousand lines; LLVM takes a second
  size_t count = 0;  // Function::inst_count() counts those that passes have removed as well
  ir::for_each_inst(f.body, [&](const ir::Inst&) { ++count; });
  return count > kLong ? Effort::Bounded : Effort::Full;
}

}  // namespace cuda_device::codegen
