#include "codegen/host/control/block_control.h"

#include "codegen/host/control/counter.h"
#include "codegen/host/control/loop_hints.h"
#include "ir/effects.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using analysis::Region;
using analysis::RegionSlots;
using ir::Op;
using llvm::Value;

namespace {

bool threads_leave(const ir::Function& f, const analysis::BlockLevel& level) {
  return level.has_barrier() && ir::any_inst(f.body, [&](const ir::Inst& i) {
           return i.op == Op::Return && !level.contains(i);
         });
}

// So many that each loop over gangs, unrolled, would make a kernel of many lines wait for LLVM.
// A network of few steps gains by it: vectors stay in registers from one step to the next.
bool has_many_regions(const ir::Function& f) {
  constexpr size_t kMany = 64;
  const auto is_barrier = [](const ir::Inst& i) { return ir::is_barrier(i.op); };
  return ir::count_insts(f.body, is_barrier) > kMany;
}

}  // namespace

BlockControl::BlockControl(const Parts& parts, Arena& arena)
    : BranchControl(parts.context.b, "block_"),
      c_(parts.context),
      parts_(parts),
      arena_(arena),
      level_(c_.source.function),
      live_before_(c_.source.function),
      spill_slots_(c_, parts.slots, arena),
      threads_leave_(threads_leave(c_.source.function, level_)),
      many_regions_(has_many_regions(c_.source.function)) {}

void BlockControl::create() {
  const ir::Function& f = c_.source.function;
  crossing_ = analysis::SlotSet(f.slots.size());
  if (level_.has_barrier()) crossing_ = crossing_slots(f, level_);
  cleared_ = crossing_;
  cleared_.keep(analysis::liveness(f).entry);
  spill_slots_.create(crossing_);
  if (threads_leave_) live_ = arena_.cells(c_.masks.type());
  anyone_ = c_.variable(c_.b.getInt1Ty(), "anyone");
}

void BlockControl::emit(const std::array<Value*, 3>& first, Value* count,
                        const analysis::BlockRuns& runs) {
  if (runs.blocks > 1) return run_of_blocks(first, count, runs);
  parts_.position.enter_block(first[0], first[1], first[2]);
  one_block();
}

// A kernel without a barrier is one region.
void BlockControl::run_of_blocks(const std::array<Value*, 3>& first, Value* count,
                                 const analysis::BlockRuns& runs) {
  const ir::Block& body = c_.source.function.body;
  const Region whole{&body, 0, body.insts.size()};
  const RegionSlots slots = slots_of(live_before_, whole, crossing_);
  spill_slots_.begin_region(slots);
  Value* line = c_.b.getInt32(runs.line);
  count_to(c_.b.getInt32(runs.lines), "line_number", [&](Value* number) {
    Value* gangs_before = c_.b.CreateMul(number, line);
    count_to(c_.b.CreateMul(count, line), "gang_of_line", [&](Value* gang) {
      Value* block = c_.b.CreateAdd(first[0], c_.b.CreateUDiv(gang, line));
      parts_.position.enter_block(block, first[1], first[2]);
      gang_of_region(whole, slots, c_.b.CreateAdd(gangs_before, c_.b.CreateURem(gang, line)));
    });
  });
}

void BlockControl::one_block() {
  end_ = c_.new_block("block_done");
  begin_block();
  emit_block(c_.source.function.body);
  go_to(end_);
  start(end_);
}

// All threads are there, and variables hold zero.
void BlockControl::begin_block() {
  if (!level_.has_barrier()) return;
  ir::for_each_inst(c_.source.function.body, [&](const Inst& i) {
    if (i.op != Op::Const) return;
    parts_.values.define_uniform(i, i.type.scalar(),
                                 constant_of(c_.llvm(), i.type.scalar(), i.imm));
  });
  if (cleared_.empty() && !threads_leave_) return;
  for_each_gang([&](Value* gang) {
    if (threads_leave_) arena_.store(live_, gang, c_.masks.lanes(parts_.position.enter_gang(gang)));
    cleared_.for_each([&](size_t slot) { spill_slots_.clear(static_cast<uint32_t>(slot), gang); });
  });
}

// ------------------------------------------------------------------------------------------------
// block level

void BlockControl::emit_block(const ir::Block& b) {
  for_each_part(
      b, level_,
      [&](const Region& r) {
        if (open()) region(r);
      },
      [&](const Inst& i) {
        if (open()) inst(i);
      });
}

void BlockControl::inst(const Inst& i) {
  const auto place = c_.lines.at(i.span);
  if (ir::is_barrier(i.op)) return barrier(i);
  emit_control(i);
}

llvm::Value* BlockControl::condition(const Inst& i) {
  define_operands(i);
  return parts_.values.scalar(*i.operands[0], ScalarKind::Bool);
}

void BlockControl::for_loop(const Inst& i) {
  define_operands(i);
  Counter counter(c_, parts_.values, i);
  counter.begin();
  llvm::BasicBlock *head = new_block("for"), *next = new_block("next"),
                   *finished = new_block("finished"), *exit = new_block("endfor");
  c_.b.CreateCondBr(counter.enters(false), head, finished);
  start(head);
  const Lanes now = counter.load();
  set_everywhere(static_cast<uint32_t>(i.imm), now);
  iterate(i, i.regions[0], exit, next);
  start(next);
  Value* goes_on = counter.goes_on(now, false);
  counter.advance();
  c_.b.CreateCondBr(goes_on, head, finished);
  finish_loop(i.regions[1], finished, exit);
}

// Between two regions nothing is left to wait for; what remains is to ask all threads.
void BlockControl::barrier(const Inst& i) {
  if (i.op == Op::Barrier) return;
  const Inst& word = *i.operands[0];  // a variable, a constant, the answer of another barrier
  const auto slot = static_cast<uint32_t>(word.imm);
  const bool is_variable = word.op == Op::SlotLoad;
  llvm::AllocaInst* sum = c_.variable(c_.b.getInt32Ty(), "threads");
  c_.b.CreateStore(c_.b.getInt32(0), sum);
  for_each_gang([&](Value* gang) {
    const Mask mask = enter_gang(gang);
    if (is_variable) spill_slots_.fetch(slot, gang);
    Lanes asked = is_variable ? parts_.slots.load(slot) : parts_.values.of(word);
    asked.anchor = parts_.values.here();
    Value* lanes = parts_.values.vector(asked);
    // Those that change the answer: whether all say yes is whether none says no.
    const Mask counted =
        ir::neutral_vote(i.op) ? c_.masks.without(mask, lanes) : c_.masks.both(mask, lanes);
    Value* bits = c_.b.CreateBitCast(c_.masks.lanes(counted), c_.b.getIntNTy(c_.width()));
    Value* count = c_.b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits);
    Value* before = c_.b.CreateLoad(c_.b.getInt32Ty(), sum);
    c_.b.CreateStore(c_.b.CreateAdd(before, c_.b.CreateZExtOrTrunc(count, c_.b.getInt32Ty())), sum);
  });
  Value* total = c_.b.CreateLoad(c_.b.getInt32Ty(), sum);
  Value* zero = c_.b.getInt32(0);
  switch (i.op) {
    case Op::Barrier:
      break;
    case Op::BarrierCount:
      return parts_.values.define_uniform(i, ScalarKind::I32, total);
    case Op::BarrierOr:
      return parts_.values.define_uniform(i, ScalarKind::Bool, c_.b.CreateICmpNE(total, zero));
    case Op::BarrierAnd:
      return parts_.values.define_uniform(i, ScalarKind::Bool, c_.b.CreateICmpEQ(total, zero));
#define OP(name, ...) case Op::name:
#define BARRIER(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("a barrier without a vote");
}

// ------------------------------------------------------------------------------------------------
// regions

template <class Body>
void BlockControl::for_each_gang(Body&& body) {
  count_to(parts_.position.gang_count(), "gang_number", body);
}

// The same number, of which LLVM does not know that it counts.
Value* BlockControl::hidden(Value* number) {
  llvm::Type* type = number->getType();
  llvm::InlineAsm* same = llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, false), "",
                                               "=r,0", /*hasSideEffects=*/false);
  return c_.b.CreateCall(same, {number});
}

template <class Body>
void BlockControl::count_to(Value* count, const char* name, Body&& body) {
  llvm::BasicBlock* before = c_.b.GetInsertBlock();
  llvm::BasicBlock *loop = c_.new_block("gang"), *done = c_.new_block("gangs_done");
  c_.b.CreateBr(loop);
  c_.start(loop);
  llvm::PHINode* now = c_.b.CreatePHI(c_.b.getInt32Ty(), 2, name);
  now->addIncoming(c_.b.getInt32(0), before);
  body(c_.source.effort == Effort::Bounded ? hidden(now) : now);
  // Told that it does not wrap, LLVM does not look for a proof in all that is before it.
  Value* next = c_.b.CreateAdd(now, c_.b.getInt32(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  now->addIncoming(next, c_.b.GetInsertBlock());
  llvm::Instruction* back = c_.b.CreateCondBr(c_.b.CreateICmpULT(next, count), loop, done);
  hint(back, {.keep_rolled = many_regions_, .keep_inside = c_.source.effort == Effort::Bounded});
  c_.start(done);
}

template <class Body>
void BlockControl::if_any(const Mask& mask, Body&& body) {
  if (!mask.may_be_empty) return body();
  llvm::BasicBlock *some = c_.new_block("gang_lives"), *none = c_.new_block("gang_done");
  c_.b.CreateCondBr(c_.masks.any(mask), some, none);
  c_.start(some);
  body();
  c_.b.CreateBr(none);
  c_.start(none);
}

Mask BlockControl::enter_gang(Value* gang) {
  const Mask threads = parts_.position.enter_gang(gang);
  if (!threads_leave_) return threads;
  Mask live = Mask::of(arena_.load(live_, gang, c_.masks.type()), true);
  live.each = c_.b.CreateAndReduce(live.lanes);
  return live;
}

void BlockControl::leave_gang(const Mask& mask, Value* gang) {
  arena_.store(live_, gang, c_.masks.lanes(mask));
  Value* anyone = c_.b.CreateLoad(c_.b.getInt1Ty(), anyone_);
  c_.b.CreateStore(c_.b.CreateOr(anyone, c_.masks.any(mask)), anyone_);
}

void BlockControl::region(const Region& r) {
  const RegionSlots slots = slots_of(live_before_, r, crossing_);
  if (level_.has_barrier() && !slots.effects) return;
  const bool asks = threads_leave_ && slots.returns;
  spill_slots_.begin_region(slots);
  if (asks) c_.b.CreateStore(c_.b.getFalse(), anyone_);
  for_each_gang([&](Value* gang) { gang_of_region(r, slots, gang); });
  if (!asks) return;
  llvm::BasicBlock* go_on = c_.new_block("some_live");
  c_.b.CreateCondBr(c_.b.CreateLoad(c_.b.getInt1Ty(), anyone_), go_on, end_);
  c_.start(go_on);
}

void BlockControl::gang_of_region(const Region& r, const RegionSlots& slots, Value* gang) {
  Mask mask = enter_gang(gang);
  if_any(mask, [&] {
    mask.may_be_empty = false;
    parts_.slots.clear(slots.named);
    const Mask left = Control(parts_).emit_region(
        r.insts(), mask, [&](uint32_t inst) { spill_slots_.before(inst, slots, gang); },
        [&](uint32_t inst) { spill_slots_.after(inst, slots, gang); });
    if (threads_leave_ && slots.returns) leave_gang(left, gang);
  });
}

// ------------------------------------------------------------------------------------------------
// values of the block

void BlockControl::define_operands(const Inst& i) {
  for (const Inst* operand : i.operands)
    if (operand->op == Op::SlotLoad) define_for_block(*operand);
}

// One for the block: where threads may diverge, they have been asked
// (passes/barriers/predicate_barrier_regions.h).
void BlockControl::define_for_block(const Inst& load) {
  const auto slot = static_cast<uint32_t>(load.imm);
  parts_.values.define_uniform(load, parts_.slots.held(slot), spill_slots_.load_shared(slot));
}

void BlockControl::set_everywhere(uint32_t slot, const Lanes& value) {
  if (spill_slots_.is_shared(slot))
    return spill_slots_.store_shared(slot, parts_.slots.in_width_of(slot, value));
  for_each_gang([&](Value* gang) {
    parts_.slots.store(slot, value, Mask::all_lanes(), false);
    spill_slots_.put_back(slot, gang);
  });
}

}  // namespace cuda_device::codegen::host
