// While and For: with a mask of the lanes still in the loop where they may leave it at different
// times.
#include "analysis/loops/trips.h"
#include "codegen/host/control/control.h"
#include "codegen/host/control/counter.h"
#include "codegen/host/control/loop_hints.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using llvm::Value;

// The sets of lanes of a divergent loop. `finished` are those that its condition ended: they run
// the else region.
struct Control::LaneSets {
  llvm::AllocaInst* live = nullptr;
  llvm::AllocaInst* continued = nullptr;  // this iteration
  llvm::AllocaInst* left = nullptr;       // by break
  llvm::AllocaInst* finished = nullptr;
};

// Sets are kept only where the lanes after the loop, or those of its else region, cannot be known
// without.
Control::LaneSets Control::open_sets(const Inst& inst, const ir::Block& else_block,
                                     const Mask& mask) {
  const Exits& e = exits(inst);
  LaneSets sets;
  sets.live = lane_set("live");
  assign(sets.live, mask);
  if (e.continues) sets.continued = lane_set("continued");
  if (e.escapes && e.breaks) sets.left = lane_set("left");
  if (e.escapes || (e.breaks && !else_block.empty())) sets.finished = lane_set("finished");
  return sets;
}

void Control::next_iteration(Mask mask, LaneSets& sets, llvm::BasicBlock* head, Join& exit) {
  if (mask.none) return exit.arrive(mask);
  assign(sets.live, mask);
  if (mask.may_be_empty) require_any(mask, exit);
  c_.b.CreateBr(head);
}

// The lanes of `mask` where the condition holds, one for all or one a lane; the others have
// finished.
void Control::iterate_where(Value* condition, Mask mask, LaneSets& sets, llvm::BasicBlock* head,
                            Join& exit) {
  if (mask.none) return exit.arrive(mask);
  if (condition->getType()->isVectorTy()) {
    add(sets.finished, c_.masks.without(mask, condition));
    return next_iteration(c_.masks.both(mask, condition), sets, head, exit);
  }
  go_on_if(condition, mask, sets, exit);
  next_iteration(mask, sets, head, exit);
}

// Else all lanes of the mask have finished.
void Control::go_on_if(Value* condition, const Mask& mask, LaneSets& sets, Join& exit) {
  llvm::BasicBlock* again = c_.new_block("again");
  llvm::BasicBlock* stop = c_.new_block("stop");
  c_.b.CreateCondBr(condition, again, stop);
  c_.start(stop);
  add(sets.finished, mask);
  exit.arrive(Mask::no_lane());
  c_.start(again);
}

Control::Remaining Control::finish_divergent_loop(const Inst& inst, const ir::Block& else_block,
                                                  const Mask& mask, const LaneSets& sets) {
  const Mask finished = sets.finished ? read(sets.finished) : mask;
  const Mask behind_else = emit_side(else_block, finished);
  if (!exits(inst).escapes) return mask;
  return sets.left ? c_.masks.either(behind_else, read(sets.left)) : behind_else;
}

// All lanes together: through `finished`, by the condition, or straight to `exit`, by break.
Control::Remaining Control::finish_uniform_loop(const Inst& inst, const ir::Block& else_block,
                                                const Mask& mask, Join& finished, Join& exit,
                                                Join& dead) {
  if (finished.reached()) {
    finished.finish_unmasked();
    emit_block(else_block, mask, exit, dead);
  }
  if (!exit.reached()) return std::nullopt;
  const Mask after = exit.finish();
  return exits(inst).escapes ? after : mask;
}

// Ends an iteration that all lanes run together: none of them has left the loop for good, or all
// have. Returns false where surely all have.
bool Control::goes_on_together(Join& latch, const Mask& mask, Join& dead) {
  Mask left = latch.finish();
  if (left.none) {
    dead.arrive(left);
    return false;
  }
  if (!same(left, mask) && left.may_be_empty) require_any(left, dead);
  return true;
}

// ---------------------------------------------------------------------------------------------
// while

Control::Remaining Control::emit_uniform_while(const Inst& inst, const Mask& mask, Join& dead) {
  Join exit(c_.masks, "endwhile"), finished(c_.masks, "finished"), latch(c_.masks, "latch");
  llvm::BasicBlock* head = c_.new_block("while");
  llvm::BasicBlock* body = c_.new_block("do");
  c_.b.CreateBr(head);
  c_.start(head);
  const Inst& yield = *inst.regions[0].insts.back();
  if (!emit_insts(inst.regions[0], mask, dead)) {
    body->eraseFromParent();
    return std::nullopt;
  }
  Value* condition = parts_.values.scalar(*yield.operands[0], ScalarKind::Bool);
  c_.b.CreateCondBr(condition, body, finished.edge(mask));
  Frame frame;
  frame.inst = &inst;
  frame.exit = &exit;
  frame.latch = &latch;
  frames_.push_back(frame);
  c_.start(body);
  emit_block(inst.regions[1], mask, latch, dead);
  frames_.pop_back();
  if (latch.reached() && goes_on_together(latch, mask, dead)) c_.b.CreateBr(head);
  return finish_uniform_loop(inst, inst.regions[2], mask, finished, exit, dead);
}

Control::Remaining Control::emit_divergent_while(const Inst& inst, const Mask& mask) {
  Join exit(c_.masks, "endwhile"), latch(c_.masks, "latch");
  LaneSets sets = open_sets(inst, inst.regions[2], mask);
  llvm::BasicBlock* head = c_.new_block("while");
  c_.b.CreateBr(head);
  c_.start(head);
  Mask live = read(sets.live);
  live.may_be_empty = false;
  if (sets.continued) assign(sets.continued, Mask::no_lane());
  const Remaining tested = emit_insts(inst.regions[0], live, exit);
  if (tested && !tested->none) {
    const Condition condition = condition_of(*inst.regions[0].insts.back()->operands[0]);
    Mask inside = *tested;
    if (condition.shared) go_on_if(condition.shared, inside, sets, exit);
    if (condition.lanes) {
      add(sets.finished, c_.masks.without(inside, condition.lanes));
      inside = c_.masks.both(inside, condition.lanes);
      require_any(inside, exit);
    }
    Frame frame{&inst, true, &exit, &latch, sets.left, sets.continued};
    frames_.push_back(frame);
    emit_block(inst.regions[1], inside, latch, latch);
    frames_.pop_back();
    if (latch.reached()) {
      Mask next = latch.finish();
      if (sets.continued) next = c_.masks.either(next, read(sets.continued));
      next_iteration(next, sets, head, exit);
    }
  } else if (tested) {
    exit.arrive(*tested);
  }
  if (!exit.reached()) return std::nullopt;
  exit.finish_unmasked();
  return finish_divergent_loop(inst, inst.regions[2], mask, sets);
}

// -----------------------------------------------------------------------------------------------
// for

// LLVM counts what 64 lanes take as several times what 32 do, and leaves the loop: then rows of
// lanes that read the same memory one iteration apart (a filter's window) do not meet.
static bool is_short(const ir::Inst& loop, const analysis::Analysis& a) {
  constexpr uint64_t kMostInstructions = 512;
  return a.tuning.on(Heuristic::unroll_short_loops) &&
         analysis::unrolled_size(loop, a, kMostInstructions).has_value();
}

Control::Remaining Control::emit_uniform_for(const Inst& inst, const Mask& mask, Join& dead) {
  Join exit(c_.masks, "endfor"), finished(c_.masks, "finished"), latch(c_.masks, "latch");
  Counter counter(c_, parts_.values, inst);
  counter.begin();
  Value* enters = counter.enters(false);
  llvm::BasicBlock* head = c_.new_block("for");
  c_.b.CreateCondBr(enters, head, finished.edge(mask));
  c_.start(head);
  const Lanes now = counter.load();
  parts_.slots.store(static_cast<uint32_t>(inst.imm), now, mask,
                     c_.analysis().store_blends[inst.id]);
  Frame frame;
  frame.inst = &inst;
  frame.exit = &exit;
  frame.latch = &latch;
  frames_.push_back(frame);
  emit_block(inst.regions[0], mask, latch, dead);
  frames_.pop_back();
  if (latch.reached() && goes_on_together(latch, mask, dead)) {
    Value* goes_on = counter.goes_on(now, false);
    counter.advance();
    llvm::Instruction* back = c_.b.CreateCondBr(goes_on, head, finished.edge(mask));
    hint(back, {.unroll = is_short(inst, c_.analysis())});
  }
  return finish_uniform_loop(inst, inst.regions[1], mask, finished, exit, dead);
}

Control::Remaining Control::emit_divergent_for(const Inst& inst, const Mask& mask) {
  Join exit(c_.masks, "endfor"), latch(c_.masks, "latch");
  LaneSets sets = open_sets(inst, inst.regions[1], mask);
  Counter counter(c_, parts_.values, inst);
  counter.begin();
  Prefetcher& prefetcher = parts_.prefetcher;
  prefetcher.enter(inst, counter);
  llvm::BasicBlock* head = c_.new_block("for");
  const bool in_all = !counter.uniform_test();
  if (may_run_in_full(inst))
    iterate_in_full(inst, mask, counter, sets, head, exit);
  else
    iterate_where(counter.enters(in_all), mask, sets, head, exit);
  c_.start(head);
  prefetcher.next_iteration(inst);
  Mask live = read(sets.live);
  live.may_be_empty = false;
  if (sets.continued) assign(sets.continued, Mask::no_lane());
  const Lanes now = counter.load();
  parts_.slots.store(static_cast<uint32_t>(inst.imm), now, live,
                     c_.analysis().store_blends[inst.id]);
  frames_.push_back({&inst, true, &exit, &latch, sets.left, sets.continued});
  emit_block(inst.regions[0], live, latch, latch);
  frames_.pop_back();
  if (latch.reached()) {
    Mask next = latch.finish();
    if (sets.continued) next = c_.masks.either(next, read(sets.continued));
    Value* goes_on = counter.goes_on(now, in_all);
    counter.advance();
    iterate_where(goes_on, next, sets, head, exit);
  }
  exit.finish_unmasked();
  return finish_divergent_loop(inst, inst.regions[1], mask, sets);
}

}  // namespace cuda_device::codegen::host
