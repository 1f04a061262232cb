#include "passes/simplify/drop_assertions.h"

namespace cuda_device::passes {

static void drop(const ir::Function& f, ir::Block& block) {
  std::erase_if(block.insts, [&](const ir::Inst* inst) {
    if (inst->op == ir::Op::WarpCheck) return true;  // threads of a GPU wait for each other
    return inst->op == ir::Op::Check && f.failures[static_cast<size_t>(inst->imm)].assertion;
  });
  for (ir::Inst* inst : block.insts)
    for (ir::Block& region : inst->regions) drop(f, region);
}

void drop_assertions(ir::Function& f) { drop(f, f.body); }

}  // namespace cuda_device::passes
