// Finds jumps and what they stand in, for passes that redirect them.
#pragma once

#include <vector>

#include "analysis/tree.h"
#include "ir/ir.h"

namespace cuda_device::passes {

// What a loop's own continue and break may stand in.
inline bool is_iteration(const ir::Inst& i, size_t region) {
  return analysis::in_iteration({&i, region});
}

// Calls f(instruction, scopes between it and the block, whether a loop is between) for all in it.
template <class F>
void walk(const ir::Block& b, F&& f, int64_t scopes = 0, bool in_loop = false) {
  for (ir::Inst* inst : b.insts) {
    f(*inst, scopes, in_loop);
    for (size_t r = 0; r < inst->regions.size(); ++r)
      walk(inst->regions[r], f, scopes + (inst->op == ir::Op::Scope),
           in_loop || is_iteration(*inst, r));
  }
}

// The same for all in the regions of a control instruction; the scopes are those up to its block.
template <class F>
void walk_inside(const ir::Inst& control, F&& f, int64_t scopes = 0) {
  for (size_t r = 0; r < control.regions.size(); ++r)
    walk(control.regions[r], f, scopes + (control.op == ir::Op::Scope), is_iteration(control, r));
}

// A new variable of each thread, true or false.
uint32_t add_flag(ir::Function& f);
// Sets the flag before each of the jumps, which are somewhere in the block.
void set_before(ir::Function& f, ir::Block& b, const std::vector<ir::Inst*>& jumps, uint32_t flag);

}  // namespace cuda_device::passes
