#include "codegen/nvptx/body.h"

#include "codegen/nvptx/barriers.h"
#include "codegen/nvptx/counter.h"
#include "codegen/nvptx/position.h"
#include "codegen/nvptx/reports.h"
#include "support/check.h"

namespace cuda_device::codegen::nvptx {

using ir::Inst;
using ir::Op;

Body::Body(EmitContext& context)
    : c_(context), params_(context), arrays_(context, params_), memory_(context, arrays_) {}

void Body::emit() {
  make_slots();
  block(c_.function.body);
  if (open_) c_.b.CreateRetVoid();
}

llvm::AllocaInst* Body::variable(llvm::Type* type) {
  llvm::BasicBlock& entry = c_.kernel->getEntryBlock();
  llvm::IRBuilder<> top(&entry, entry.begin());
  return top.CreateAlloca(type);
}

// ------------------------------------------------------------------------------------- slots

bool Body::narrow_slot(size_t slot) const {
  const ir::Type type = c_.function.slots[slot].type;
  return type.is_int() && type.bits() == 64 && c_.analysis.slot_ranges[slot].fits_i32();
}

void Body::make_slots() {
  for (size_t i = 0; i < c_.function.slots.size(); ++i) {
    const ScalarKind kind = c_.function.slots[i].type.scalar;
    slots_.push_back(variable(narrow_slot(i) ? c_.b.getInt32Ty() : c_.type(kind)));
    c_.b.CreateStore(llvm::Constant::getNullValue(slots_[i]->getAllocatedType()), slots_[i]);
  }
}

llvm::Value* Body::load_slot(size_t slot) {
  Value v = c_.b.CreateLoad(slots_[slot]->getAllocatedType(), slots_[slot]);
  return narrow_slot(slot) ? c_.b.CreateSExt(v, c_.b.getInt64Ty()) : v;
}

void Body::store_slot(size_t slot, Value v) {
  if (narrow_slot(slot)) v = c_.b.CreateTrunc(v, c_.b.getInt32Ty());
  c_.b.CreateStore(v, slots_[slot]);
}

// ------------------------------------------------------------------------------ instructions

void Body::block(const ir::Block& b) {
  for (const Inst* i : b.insts) {
    if (!open_) return;
    inst(*i);
  }
}

void Body::inst(const Inst& i) {
  const auto place = c_.lines.at(i.span);
  switch (i.op) {
    case Op::SlotStore:
      return store_slot(static_cast<size_t>(i.imm), c_.operand(i, 0));
    case Op::Store:
      return memory_.store(i);
    case Op::If:
      return branch(i);
    case Op::While:
      return while_loop(i);
    case Op::For:
      return for_loop(i);
    case Op::Scope:
      return scope(i);
    case Op::Break:
    case Op::Continue:
    case Op::Leave:
    case Op::Return:
      return jump(i);
    case Op::Yield:
      return;
    case Op::Barrier:
      emit_barrier(c_, i);
      return;
    case Op::Check:
      return emit_check(c_, i);
    case Op::Print:
      return emit_print(c_, i);
    default:
      if (!i.type.is_array()) define(i, computed(i));
  }
}

// Where it is not negative it stays as it is.
llvm::Value* Body::wrapped(const Inst& i) {
  const ScalarKind kind = i.operands[0]->type.scalar;
  Value index = c_.operand(i, 0);
  if (!c_.analysis.range(*i.operands[0]).non_negative())
    return c_.arithmetic.wrap(kind, index, c_.operand(i, 1));
  if (bits_of(kind) == 64) return index;
  return c_.b.CreateZExt(index, c_.b.getInt64Ty(), "", /*IsNonNeg=*/true);
}

llvm::Value* Body::computed(const Inst& i) {
  switch (i.op) {
    case Op::Const:
      return constant_of(c_.llvm(), i.type.scalar, i.imm);
    case Op::Param:
      return params_.scalar(static_cast<uint32_t>(i.imm));
    case Op::SlotLoad:
      return load_slot(static_cast<size_t>(i.imm));
    case Op::Extent:
    case Op::Stride:
      return array_number(i);
    case Op::Load:
      return memory_.load(i);
    case Op::Wrap:
      return wrapped(i);
    case Op::BarrierCount:
    case Op::BarrierAnd:
    case Op::BarrierOr:
      return emit_barrier(c_, i);
    case Op::ThreadIdx:
    case Op::BlockIdx:
    case Op::BlockDim:
    case Op::GridDim:
    case Op::Tid:
    case Op::GridSize:
    case Op::LaneId:
      return emit_position(c_, i);
    default: {
      llvm::SmallVector<Value, 3> operands;
      for (size_t k = 0; k < i.operands.size(); ++k) operands.push_back(c_.operand(i, k));
      const size_t typed = i.op == Op::Select ? 1 : 0;
      return c_.arithmetic.emit(i.op, i.operands[typed]->type.scalar, i.type.scalar, operands);
    }
  }
}

llvm::Value* Body::array_number(const Inst& i) {
  const Inst& array = *i.operands[0];
  return i.op == Op::Extent ? arrays_.extent(array, i.imm) : arrays_.stride(array, i.imm);
}

// What the ranges know: a number, or that 32 bits hold it. A truncation to the 32 bits lets LLVM
// compute all that leads there in 32 bits.
void Body::define(const Inst& i, Value v) {
  const bool integer = i.type.is_int();
  if (integer && i.op != Op::Const) {
    const analysis::Range& r = c_.analysis.range(i);
    if (ir::info(i.op).effect == ir::Effect::Pure && !r.unsigned_overflow && r.lo == r.hi) {
      v = constant_of(c_.llvm(), i.type.scalar, r.lo);
    } else if (i.type.bits() == 64 && r.fits_i32() && !llvm::isa<llvm::CastInst>(v)) {
      v = c_.b.CreateSExt(c_.b.CreateTrunc(v, c_.b.getInt32Ty()), v->getType());
    }
  }
  c_.values[i.id] = v;
}

// --------------------------------------------------------------------------------------- control

void Body::go_to(llvm::BasicBlock* target) {
  if (open_) c_.b.CreateBr(target);
  open_ = false;
}

void Body::start(llvm::BasicBlock* block) {
  c_.b.SetInsertPoint(block);
  open_ = true;
}

void Body::branch(const Inst& i) {
  llvm::BasicBlock *then = c_.new_block("then"), *otherwise = c_.new_block("else");
  llvm::BasicBlock* after = c_.new_block("after");
  c_.b.CreateCondBr(c_.operand(i, 0), then, otherwise);
  start(then);
  block(i.regions[0]);
  go_to(after);
  start(otherwise);
  block(i.regions[1]);
  go_to(after);
  // A block that nothing goes to is removed later; what is added to it does no harm.
  start(after);
}

void Body::iteration(const Inst& i, llvm::BasicBlock* exit, llvm::BasicBlock* next) {
  frames_.push_back({&i, exit, next});
  block(i.regions[i.regions.size() - 2]);
  frames_.pop_back();
  go_to(next);
}

void Body::while_loop(const Inst& i) {
  llvm::BasicBlock *head = c_.new_block("head"), *body = c_.new_block("body");
  llvm::BasicBlock *done = c_.new_block("done"), *exit = c_.new_block("exit");
  go_to(head);
  start(head);
  block(i.regions[0]);
  c_.b.CreateCondBr(c_.operand(*i.regions[0].insts.back(), 0), body, done);
  start(body);
  iteration(i, exit, head);
  start(done);
  block(i.regions[2]);
  go_to(exit);
  start(exit);
}

void Body::for_loop(const Inst& i) {
  llvm::BasicBlock *head = c_.new_block("head"), *body = c_.new_block("body");
  llvm::BasicBlock *next = c_.new_block("next"), *done = c_.new_block("done");
  llvm::BasicBlock* exit = c_.new_block("exit");
  Counter counter(c_, i);
  counter.begin(variable(counter.type()));
  go_to(head);
  start(head);
  Value now = counter.load();
  c_.b.CreateCondBr(counter.before_stop(now), body, done);
  start(body);
  store_slot(static_cast<size_t>(i.imm), counter.value_of(now));
  iteration(i, exit, next);
  start(next);
  if (Value past = counter.advance()) {
    c_.b.CreateCondBr(past, done, head);
  } else {
    c_.b.CreateBr(head);
  }
  start(done);
  block(i.regions[1]);
  go_to(exit);
  start(exit);
}

void Body::scope(const Inst& i) {
  llvm::BasicBlock* exit = c_.new_block("left");
  frames_.push_back({&i, exit, nullptr});
  block(i.regions[0]);
  frames_.pop_back();
  go_to(exit);
  start(exit);
}

void Body::jump(const Inst& i) {
  if (i.op == Op::Return) {
    c_.b.CreateRetVoid();
    open_ = false;
    return;
  }
  int64_t scopes = i.op == Op::Leave ? i.imm : 0;
  for (size_t n = frames_.size(); n-- > 0;) {
    const bool is_scope = frames_[n].next == nullptr;
    if (is_scope != (i.op == Op::Leave) || scopes-- != 0) continue;
    return go_to(i.op == Op::Continue ? frames_[n].next : frames_[n].exit);
  }
  CD_UNREACHABLE("a jump without a target");
}

}  // namespace cuda_device::codegen::nvptx
