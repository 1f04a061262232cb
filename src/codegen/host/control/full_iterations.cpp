// The loop of the iterations that all lanes of a gang make (analysis::has_full_iterations).
#include "analysis/loops/trips.h"
#include "codegen/host/control/control.h"
#include "codegen/host/control/counter.h"

namespace cuda_device::codegen::host {

using llvm::Value;

bool Control::may_run_in_full(const Inst& inst) const {
  const Exits& e = exits(inst);
  return !e.breaks && !e.continues && !e.escapes &&
         analysis::has_full_iterations(inst, c_.analysis());
}

// Ends with a branch to `head`, with the lanes that make one more iteration, or to `exit`.
void Control::iterate_in_full(const Inst& inst, const Mask& mask, Counter& counter, LaneSets& sets,
                              llvm::BasicBlock* head, Join& exit) {
  llvm::BasicBlock *all = c_.new_block("for_all"), *some = c_.new_block("for_some"),
                   *next = c_.new_block("for_all_next"), *rest = c_.new_block("for_rest");
  c_.b.CreateCondBr(counter.all_enter(), all, some);
  c_.start(some);
  iterate_where(counter.enters(true), mask, sets, head, exit);
  c_.start(all);
  const Lanes now = counter.load();
  parts_.slots.store(static_cast<uint32_t>(inst.imm), now, mask,
                     c_.analysis().store_blends[inst.id]);
  Join latch(c_.masks, "latch");
  Frame frame;
  frame.inst = &inst;
  frames_.push_back(frame);
  emit_block(inst.regions[0], mask, latch, latch);
  frames_.pop_back();
  latch.finish();
  c_.b.CreateCondBr(counter.all_go_on(now), next, rest);
  c_.start(next);
  counter.advance();
  c_.b.CreateBr(all);
  c_.start(rest);
  Value* goes_on = counter.goes_on(now, true);
  counter.advance();
  iterate_where(goes_on, mask, sets, head, exit);
}

}  // namespace cuda_device::codegen::host
