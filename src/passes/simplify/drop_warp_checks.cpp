#include "passes/simplify/drop_warp_checks.h"

#include <vector>

#include "analysis/blocks/meetings_apart.h"

namespace cuda_device::passes {
namespace {

void drop(ir::Block& block, const std::vector<bool>& missed) {
  std::erase_if(block.insts, [&](const ir::Inst* inst) {
    return inst->op == ir::Op::WarpCheck && !missed[inst->id];
  });
  for (ir::Inst* inst : block.insts)
    for (ir::Block& region : inst->regions) drop(region, missed);
}

}  // namespace

void drop_warp_checks(ir::Function& f) { drop(f.body, analysis::missed_by_lanes_that_stay(f)); }

}  // namespace cuda_device::passes
