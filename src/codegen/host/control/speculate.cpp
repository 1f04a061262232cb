#include "codegen/host/control/speculate.h"

#include <algorithm>

#include "ir/effects.h"

namespace cuda_device::codegen::host {

namespace {

constexpr size_t kMostInstructions = 8;

// A variable is set by masks, and so is who leaves.
bool is_cheap(const ir::Inst* inst) {
  if (ir::is_slot(inst->op) || ir::ends_block(inst->op)) return true;
  return ir::may_speculate(inst->op) && !ir::is_costly(inst->op);
}

}  // namespace

bool may_speculate(const ir::Block& block) {
  return block.insts.size() <= kMostInstructions &&
         std::all_of(block.insts.begin(), block.insts.end(), is_cheap);
}

}  // namespace cuda_device::codegen::host
