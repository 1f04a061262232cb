#include "codegen/host/control/speculate.h"

#include <algorithm>

namespace cuda_device::codegen::host {

using ir::Op;

namespace {

constexpr size_t kMostInstructions = 8;

bool is_exit(Op op) {
  return op == Op::Break || op == Op::Continue || op == Op::Leave || op == Op::Return;
}

bool is_cheap(const ir::Inst* inst) {
  const ir::Effect effect = ir::info(inst->op).effect;
  if (effect == ir::Effect::Slot || is_exit(inst->op)) return true;
  return effect == ir::Effect::Pure && !ir::is_expensive(inst->op);
}

}  // namespace

bool may_speculate(const ir::Block& block) {
  return block.insts.size() <= kMostInstructions &&
         std::all_of(block.insts.begin(), block.insts.end(), is_cheap);
}

}  // namespace cuda_device::codegen::host
