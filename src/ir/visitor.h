// Visits every instruction of a block and of the regions inside.
#pragma once

#include "ir/ir.h"

namespace cuda_device::ir {

// Calls f on every instruction of the block and of the regions inside, in order.
template <class F>
void for_each_inst(const Block& block, F&& f) {
  for (Inst* inst : block.insts) {
    f(*inst);
    for (const Block& region : inst->regions) for_each_inst(region, f);
  }
}

// Calls f on every instruction in the regions of an instruction, in order.
template <class F>
void for_each_inside(const Inst& inst, F&& f) {
  for (const Block& region : inst.regions) for_each_inst(region, f);
}

// Whether p holds for some instruction of the block or of the regions inside.
template <class P>
bool any_inst(const Block& block, const P& p) {
  for (const Inst* inst : block.insts) {
    if (p(*inst)) return true;
    for (const Block& region : inst->regions)
      if (any_inst(region, p)) return true;
  }
  return false;
}

template <class P>
bool any_inside(const Inst& inst, const P& p) {
  for (const Block& region : inst.regions)
    if (any_inst(region, p)) return true;
  return false;
}

// Counts the instructions of the block and of the regions inside for which p holds.
template <class P>
size_t count_insts(const Block& block, const P& p) {
  size_t count = 0;
  for_each_inst(block, [&](const Inst& inst) { count += p(inst); });
  return count;
}

inline size_t count_insts(const Block& block) {
  return count_insts(block, [](const Inst&) { return true; });
}

}  // namespace cuda_device::ir
