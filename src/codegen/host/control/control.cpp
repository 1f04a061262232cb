#include "codegen/host/control/control.h"

#include <algorithm>

#include "ir/effects.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using analysis::Guard;
using ir::Op;
using llvm::Value;

// A variable is set under a mask, and an exit takes lanes off it.
static bool is_cheap(const ir::Inst* inst) {
  if (ir::is_slot(inst->op) || ir::ends_block(inst->op)) return true;
  return ir::may_speculate(inst->op) && !ir::is_costly(inst->op);
}

// Whether a region costs less than the branch around it and may run with no lane active: it has
// only cheap total operations, stores to slots, and exits.
static bool may_speculate(const ir::Block& block) {
  constexpr size_t kMostInstructions = 8;
  return block.insts.size() <= kMostInstructions && std::ranges::all_of(block.insts, is_cheap);
}

Mask Control::emit_region(std::span<Inst* const> insts, const Mask& mask, const OnInst& before,
                          const OnInst& after) {
  Join done(c_.masks, "gang_end");
  done_ = &done;
  gang_mask_ = mask;
  if (parts_.warps.has_checks()) returned_ = lane_set("returned");
  if (Remaining remaining = emit_insts(insts, mask, done, &before, &after)) done.arrive(*remaining);
  if (done.reached()) return done.finish();
  c_.start(c_.new_block("never"));
  return Mask::no_lane();
}

void Control::emit_block(const ir::Block& block, const Mask& mask, Join& end, Join& dead) {
  if (Remaining remaining = emit_insts(block, mask, dead)) end.arrive(*remaining);
}

Control::Remaining Control::emit_insts(std::span<Inst* const> insts, Mask mask, Join& dead,
                                       const OnInst* before, const OnInst* after) {
  for (uint32_t k = 0; k < insts.size(); ++k) {
    if (before) (*before)(k);
    const Remaining remaining = emit_inst(*insts[k], mask, dead);
    if (!remaining || remaining->none) return remaining;
    if (after) (*after)(k);
    const bool fewer = !same(*remaining, mask);
    mask = *remaining;
    if (fewer && mask.may_be_empty && k + 1 < insts.size()) require_any(mask, dead);
  }
  return mask;
}

// Execution goes on only with a lane active: what follows may load, loop and call.
void Control::require_any(Mask& mask, Join& otherwise) {
  Value* any = c_.masks.any(mask);
  llvm::BasicBlock* next = c_.new_block("some");
  c_.b.CreateCondBr(any, next, otherwise.edge(Mask::no_lane()));
  c_.start(next);
  mask.may_be_empty = false;
}

Control::Remaining Control::emit_inst(const Inst& inst, const Mask& mask, Join& dead) {
  const auto place = c_.lines.at(inst.span);
  switch (inst.op) {
#define SCALAR(name, ...) case Op::name:
#define GIVEN(name, ...) case Op::name:
#include "ir/op.def"
    parts_.pure.emit(inst);
    return mask;
#define POSITION(name, ...) case Op::name:
#include "ir/op.def"
    parts_.position.emit(inst);
    return mask;
    case Op::SlotLoad:
      parts_.values.define(inst, parts_.slots.load(static_cast<uint32_t>(inst.imm)));
      return mask;
    case Op::SlotStore:
      parts_.slots.store(static_cast<uint32_t>(inst.imm), parts_.values.of(*inst.operands[0]), mask,
                         c_.analysis().store_blends[inst.id]);
      return mask;
#define ACCESS(name, ...) case Op::name:
#include "ir/op.def"
      parts_.access.emit(inst, mask);
      return mask;
    case Op::AtomicSecond:
      parts_.access.emit_second(inst);
      return mask;
    case Op::Fence:
      parts_.access.emit_fence(inst);
      return mask;
#define WARP(name, ...) case Op::name:
#include "ir/op.def"
      parts_.warps.emit(inst, mask);
      return mask;
    case Op::WarpCheck:
      emit_warp_check(inst, mask);
      return mask;
    case Op::Check:
      emit_check(inst, mask);
      return mask;
    case Op::Print:
      parts_.reports.print(inst, mask);
      return mask;
    case Op::Opaque:
      parts_.reports.opaque(inst, mask);
      return mask;
    case Op::If:
      return emit_if(inst, mask, dead);
    case Op::While:
      return divergent(inst) ? emit_divergent_while(inst, mask)
                             : emit_uniform_while(inst, mask, dead);
    case Op::For:
      if (parts_.scalarized_loops[inst.id]) return emit_scalarized(inst, mask);
      return divergent(inst) ? emit_divergent_for(inst, mask) : emit_uniform_for(inst, mask, dead);
    case Op::Scope:
      return emit_scope(inst, mask, dead);
    case Op::Yield:
      return mask;
    case Op::Break:
    case Op::Continue:
    case Op::Leave:
    case Op::Return:
      return emit_exit(inst, mask);
    case Op::Call:
    case Op::CallResult:
      break;  // execution_plan: threads run one by one
#define BARRIER(name, ...) case Op::name:
#include "ir/op.def"
      break;  // between regions: BlockControl
  }
  CD_UNREACHABLE("a barrier inside of a region");
}

// ------------------------------------------------------------------------------------------------
// if

Control::Remaining Control::emit_if(const Inst& inst, const Mask& mask, Join& dead) {
  if (parts_.values.of(*inst.operands[0]).uniform()) return emit_uniform_if(inst, mask, dead);
  if (emit_failing_if(inst, mask)) return mask;
  constexpr int kMostGuards = 2;  // one in another: with each, there is one version more
  const bool may_split = (mask.all() || mask.each) && guards_passed_ < kMostGuards;
  return may_split && guard(inst) != Guard::None ? emit_guard(inst, mask, dead)
                                                 : emit_divergent_if(inst, mask);
}

static bool is_never(Value* condition) {
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(condition);
  return constant && constant->isZero();
}

Control::Remaining Control::emit_uniform_if(const Inst& inst, const Mask& mask, Join& dead) {
  Value* condition = parts_.values.scalar(*inst.operands[0], ScalarKind::Bool);
  Join join(c_.masks, "endif");
  llvm::BasicBlock* sides[2];
  for (size_t i = 0; i < 2; ++i)
    sides[i] = inst.regions[i].empty() ? nullptr : c_.new_block(i == 0 ? "then" : "else");
  if (!sides[0] && !sides[1]) return mask;
  auto target = [&](size_t i) { return sides[i] ? sides[i] : join.edge(mask); };
  llvm::BasicBlock* to = target(0);
  c_.b.CreateCondBr(condition, to, target(1));
  for (size_t i = 0; i < 2; ++i) {
    if (!sides[i]) continue;
    c_.start(sides[i]);
    emit_block(inst.regions[i], mask, join, dead);
  }
  if (!join.reached()) return std::nullopt;
  const Mask after = join.finish();
  return exits(inst).escapes ? after : mask;
}

// Twice: for gangs that pass with all their lanes, without a mask, and for the others.
Control::Remaining Control::emit_guard(const Inst& inst, const Mask& mask, Join& dead) {
  const bool then = guard(inst) == Guard::Then;
  Value* pass = all_lanes_have(*inst.operands[0], then);
  if (!mask.all()) pass = c_.b.CreateAnd(mask.each, pass);
  if (is_never(pass)) return emit_divergent_if(inst, mask);
  Join join(c_.masks, "endguard");
  llvm::BasicBlock *whole = c_.new_block("all_pass"), *part = c_.new_block("not_all_pass");
  c_.b.CreateCondBr(pass, whole, part, llvm::MDBuilder(c_.llvm()).createLikelyBranchWeights());
  c_.start(whole);
  ++guards_passed_;
  emit_block(inst.regions[then ? 0 : 1], Mask::all_lanes(), join, dead);
  --guards_passed_;
  c_.start(part);
  if (Remaining remaining = emit_divergent_if(inst, mask)) join.arrive(*remaining);
  if (!join.reached()) return std::nullopt;
  const Mask after = join.finish();
  return exits(inst).escapes ? after : mask;
}

// An if without an else region branches around it all on what all lanes share of the condition.
Control::Remaining Control::emit_divergent_if(const Inst& inst, const Mask& mask) {
  const Condition condition = condition_of(*inst.operands[0]);
  if (!condition.shared) return emit_sides(inst, condition, mask);
  if (!inst.regions[1].empty()) return emit_sides(inst, lanes_of(*inst.operands[0]), mask);
  Join join(c_.masks, "endif");
  llvm::BasicBlock* some = c_.new_block("may_be");
  c_.b.CreateCondBr(condition.shared, some, join.edge(mask));
  c_.start(some);
  join.arrive(emit_sides(inst, condition, mask));
  const Mask after = join.finish();
  return exits(inst).escapes ? after : mask;
}

Mask Control::emit_sides(const Inst& inst, const Condition& condition, const Mask& mask) {
  Mask then_mask = c_.masks.both(mask, condition.lanes);
  Mask else_mask = c_.masks.without(mask, condition.lanes);
  if (mask.all()) {
    then_mask.some = condition.some;
    if (condition.each) else_mask.some = c_.b.CreateNot(condition.each);
  }
  const Mask after_then = emit_side(inst.regions[0], then_mask);
  const Mask after_else = emit_side(inst.regions[1], else_mask);
  return exits(inst).escapes ? c_.masks.either(after_then, after_else) : mask;
}

// Runs the region if it has a lane, or anyway where that is cheaper.
Mask Control::emit_side(const ir::Block& side, Mask mask) {
  if (side.empty() || mask.none) return mask;
  Join end(c_.masks, "rejoin");
  if (c_.uses(Heuristic::speculate) && may_speculate(side)) {
    // Exits to where all lanes go jump; they do not occur under a varying condition.
    const Remaining remaining = emit_insts(side, mask, end);
    CD_CHECK(remaining && !end.reached(), "a speculated region that branches");
    return *remaining;
  }
  if (mask.may_be_empty) require_any(mask, end);
  emit_block(side, mask, end, end);
  return end.finish();
}

// ---------------------------------------------------------------------------------------------
// exits

Control::Remaining Control::emit_scope(const Inst& inst, const Mask& mask, Join& dead) {
  Join exit(c_.masks, "endscope");
  Frame frame;
  frame.inst = &inst;
  frame.divergent = divergent(inst);
  frame.exit = &exit;
  if (frame.divergent && exits(inst).escapes) frame.left = lane_set("left");
  frames_.push_back(frame);
  emit_block(inst.regions[0], mask, exit, frame.divergent ? exit : dead);
  frames_.pop_back();
  if (!exit.reached()) return std::nullopt;
  Mask after = exit.finish();
  if (!exits(inst).escapes) return mask;
  return frame.left ? c_.masks.either(after, read(frame.left)) : after;
}

Control::Frame& Control::target_of(const Inst& exit) {
  int64_t skip = exit.op == Op::Leave ? exit.imm : 0;
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    const bool is_scope = frame->inst->op == Op::Scope;
    if (is_scope == (exit.op == Op::Leave) && skip-- == 0) return *frame;
  }
  CD_UNREACHABLE("an exit without a target");
}

Control::Remaining Control::emit_exit(const Inst& inst, const Mask& mask) {
  if (inst.op == Op::Return) {
    if (!same(mask, gang_mask_)) {
      add(returned_, mask);
      return Mask::no_lane();
    }
    done_->arrive(Mask::no_lane());
    return std::nullopt;
  }
  Frame& frame = target_of(inst);
  const bool to_latch = inst.op == Op::Continue;
  if (!frame.divergent) {
    (to_latch ? frame.latch : frame.exit)->arrive(mask);
    return std::nullopt;
  }
  add(to_latch ? frame.continued : frame.left, mask);
  return Mask::no_lane();
}

// ---------------------------------------------------------------------------------------- sets of
// lanes

llvm::AllocaInst* Control::lane_set(const char* name) {
  llvm::AllocaInst* set = c_.variable(c_.masks.type(), name);
  assign(set, Mask::no_lane());
  return set;
}

void Control::assign(llvm::AllocaInst* set, const Mask& mask) {
  c_.b.CreateStore(c_.masks.lanes(mask), set);
}

void Control::add(llvm::AllocaInst* set, const Mask& mask) {
  if (set && !mask.none) assign(set, c_.masks.either(read(set), mask));
}

Mask Control::read(llvm::AllocaInst* set) {
  return Mask::of(c_.b.CreateLoad(c_.masks.type(), set), true);
}

}  // namespace cuda_device::codegen::host
