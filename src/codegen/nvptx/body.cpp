#include "codegen/nvptx/body.h"

#include "codegen/nvptx/atomics.h"
#include "codegen/nvptx/counter.h"
#include "codegen/nvptx/position.h"
#include "codegen/nvptx/reports.h"
#include "codegen/nvptx/warps.h"
#include "ir/effects.h"
#include "support/check.h"

namespace cuda_device::codegen::nvptx {

using ir::Inst;
using ir::Op;
using llvm::Value;

namespace {

llvm::Intrinsic::ID reduction(Op op) {
  switch (op) {
    case Op::BarrierCount:
      return llvm::Intrinsic::nvvm_barrier_cta_red_popc_aligned_all;
    case Op::BarrierAnd:
      return llvm::Intrinsic::nvvm_barrier_cta_red_and_aligned_all;
    case Op::BarrierOr:
      return llvm::Intrinsic::nvvm_barrier_cta_red_or_aligned_all;
    default:
      CD_UNREACHABLE("no barrier with a result");
  }
}

// Barrier to BarrierOr; null where there is no result. LLVM's intrinsics are convergent and may
// touch any memory: nothing moves across them. All use barrier 0, which counts the threads that
// have not left.
Value* emit_barrier(EmitContext& c, const Inst& inst) {
  Value* barrier = c.b.getInt32(0);
  if (inst.op != Op::Barrier)
    return c.b.CreateIntrinsic(reduction(inst.op), {barrier, c.operand(inst, 0)});
  c.b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {barrier});
  return nullptr;
}

}  // namespace

Body::Body(EmitContext& context)
    : BranchControl(context.b, ""),
      c_(context),
      params_(context),
      arrays_(context, params_),
      memory_(context, arrays_) {}

void Body::emit() {
  make_slots();
  emit_block(c_.function.body);
  if (open()) c_.b.CreateRetVoid();
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
    const ScalarKind kind = c_.function.slots[i].type.scalar();
    slots_.push_back(variable(narrow_slot(i) ? c_.b.getInt32Ty() : c_.type(kind)));
    c_.b.CreateStore(llvm::Constant::getNullValue(slots_[i]->getAllocatedType()), slots_[i]);
  }
}

Value* Body::load_slot(size_t slot) {
  Value* v = c_.b.CreateLoad(slots_[slot]->getAllocatedType(), slots_[slot]);
  return narrow_slot(slot) ? c_.b.CreateSExt(v, c_.b.getInt64Ty()) : v;
}

void Body::store_slot(size_t slot, Value* v) {
  if (narrow_slot(slot)) v = c_.b.CreateTrunc(v, c_.b.getInt32Ty());
  c_.b.CreateStore(v, slots_[slot]);
}

// ------------------------------------------------------------------------------ instructions

void Body::emit_block(const ir::Block& b) {
  for (const Inst* i : b.insts) {
    if (!open()) return;
    inst(*i);
  }
}

void Body::inst(const Inst& i) {
  const auto place = c_.lines.at(i.span);
  switch (i.op) {
#define SCALAR(name, ...) case Op::name:
#include "ir/op.def"
    return define(i, arithmetic(i));
#define POSITION(name, ...) case Op::name:
#include "ir/op.def"
    return define(i, emit_position(c_, i));
    case Op::Const:
      return define(i, constant_of(c_.llvm(), i.type.scalar(), i.imm));
    case Op::Param:
      if (i.type.is_array()) return;  // Arrays is asked where it is used
      return define(i, params_.scalar(static_cast<uint32_t>(i.imm)));
    case Op::Array:
    case Op::DynamicShared:
    case Op::View:
      return;
    case Op::Extent:
    case Op::Stride:
      return define(i, array_number(i));
    case Op::SlotLoad:
      return define(i, load_slot(static_cast<size_t>(i.imm)));
    case Op::SlotStore:
      return store_slot(static_cast<size_t>(i.imm), c_.operand(i, 0));
#define ACCESS(name, ...) case Op::name:
#include "ir/op.def"
      if (Value* element = memory_.emit(i)) define(i, element);
      return;
    case Op::AtomicSecond:
      return define(i, emit_second(c_, i));
    case Op::Fence:
      return emit_fence(c_, i);
    case Op::Barrier:
      emit_barrier(c_, i);
      return;
    case Op::BarrierCount:
    case Op::BarrierAnd:
    case Op::BarrierOr:
      return define(i, emit_barrier(c_, i));
    case Op::WarpSync:
      return emit_warp_sync(c_, i);
    case Op::ActiveMask:
    case Op::VoteAll:
    case Op::VoteAny:
    case Op::VoteEq:
    case Op::Ballot:
      return define(i, emit_vote(c_, i));
    case Op::Shuffle:
    case Op::ShuffleUp:
    case Op::ShuffleDown:
    case Op::ShuffleXor:
      return define(i, emit_shuffle(c_, i));
    case Op::MatchAny:
    case Op::MatchAll:
      return define(i, emit_match(c_, i));
    case Op::WarpCheck:
      return;  // threads wait for each other
    case Op::Check:
      return emit_check(c_, i);
    case Op::Print:
      return emit_print(c_, i);
    case Op::Opaque:
      return define(i, emit_opaque(c_, i));
    case Op::If:
    case Op::While:
    case Op::For:
    case Op::Scope:
    case Op::Break:
    case Op::Continue:
    case Op::Leave:
    case Op::Return:
      return emit_control(i);
    case Op::Yield:
      return;
  }
}

// Where it is not negative it stays as it is.
Value* Body::wrapped(const Inst& i) {
  const ScalarKind kind = i.operands[0]->type.scalar();
  Value* index = c_.operand(i, 0);
  if (!c_.analysis.range(*i.operands[0]).non_negative())
    return c_.arithmetic.wrap(kind, index, c_.operand(i, 1));
  if (bits_of(kind) == 64) return index;
  return c_.b.CreateZExt(index, c_.b.getInt64Ty(), "", /*IsNonNeg=*/true);
}

Value* Body::arithmetic(const Inst& i) {
  if (i.op == Op::Wrap) return wrapped(i);
  llvm::SmallVector<Value*, 3> operands;
  for (size_t k = 0; k < i.operands.size(); ++k) operands.push_back(c_.operand(i, k));
  const size_t typed = i.op == Op::Select ? 1 : 0;
  return c_.arithmetic.emit(i.op, i.operands[typed]->type.scalar(), i.type.scalar(), operands);
}

Value* Body::array_number(const Inst& i) {
  const Inst& array = *i.operands[0];
  return i.op == Op::Extent ? arrays_.extent(array, i.imm) : arrays_.stride(array, i.imm);
}

// What the ranges know: a number, or that 32 bits hold it. A truncation to the 32 bits lets LLVM
// compute all that leads there in 32 bits.
void Body::define(const Inst& i, Value* v) {
  const bool integer = i.type.is_int();
  if (integer && i.op != Op::Const) {
    const analysis::Range& r = c_.analysis.range(i);
    if (ir::is_pure(i.op) && !r.unsigned_overflow && r.lo == r.hi) {
      v = constant_of(c_.llvm(), i.type.scalar(), r.lo);
    } else if (i.type.bits() == 64 && r.fits_i32() && !llvm::isa<llvm::CastInst>(v)) {
      v = c_.b.CreateSExt(c_.b.CreateTrunc(v, c_.b.getInt32Ty()), v->getType());
    }
  }
  c_.values[i.id] = v;
}

// --------------------------------------------------------------------------------------- control

Value* Body::condition(const Inst& i) { return c_.operand(i, 0); }

void Body::leave_kernel() {
  c_.b.CreateRetVoid();
  close();
}

void Body::for_loop(const Inst& i) {
  llvm::BasicBlock *head = new_block("for"), *body = new_block("do"), *next = new_block("next"),
                   *finished = new_block("finished"), *exit = new_block("endfor");
  Counter counter(c_, i);
  counter.begin(variable(counter.type()));
  go_to(head);
  start(head);
  Value* now = counter.load();
  c_.b.CreateCondBr(counter.before_stop(now), body, finished);
  start(body);
  store_slot(static_cast<size_t>(i.imm), counter.value_of(now));
  iterate(i, i.regions[0], exit, next);
  start(next);
  if (Value* past = counter.advance()) {
    c_.b.CreateCondBr(past, finished, head);
  } else {
    c_.b.CreateBr(head);
  }
  finish_loop(i.regions[1], finished, exit);
}

}  // namespace cuda_device::codegen::nvptx
