#include "passes/barriers/jumps.h"

namespace cuda_device::passes {

uint32_t add_flag(ir::Function& f) {
  f.slots.push_back({"", ir::kBool});
  return static_cast<uint32_t>(f.slots.size() - 1);
}

void set_before(ir::Function& f, ir::Block& b, const std::vector<ir::Inst*>& jumps, uint32_t flag) {
  for (size_t i = 0; i < b.insts.size(); ++i) {
    for (ir::Block& region : b.insts[i]->regions) set_before(f, region, jumps, flag);
    if (std::ranges::find(jumps, b.insts[i]) == jumps.end()) continue;
    ir::Block note;
    ir::Builder builder(f, note);
    builder.set_span(b.insts[i]->span);
    builder.slot_store(flag, builder.const_int(ir::kBool, 1));
    b.insts.insert(b.insts.begin() + static_cast<ptrdiff_t>(i), note.insts.begin(),
                   note.insts.end());
    i += note.insts.size();
  }
}

}  // namespace cuda_device::passes
