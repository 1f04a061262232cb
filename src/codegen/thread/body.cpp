#include "codegen/thread/body.h"

#include <algorithm>

#include "analysis/blocks/waiting_loops.h"
#include "codegen/thread/calls.h"
#include "codegen/thread/counter.h"
#include "codegen/thread/opaque.h"
#include "ir/atomic.h"
#include "ir/effects.h"
#include "support/check.h"

namespace cuda_device::codegen::thread {

using ir::Inst;
using ir::Op;
using llvm::Value;

namespace {

// Whether the loop is that of an atomic's `wait`.
bool is_wait(const Inst& loop) {
  return loop.op == Op::While && std::ranges::any_of(loop.regions[0].insts, [](const Inst* i) {
           return ir::info(i->op).imm == ir::ImmKind::Atomic &&
                  ir::AtomicSpec::decoded(i->imm)->waits;
         });
}

}  // namespace

Body::Body(EmitContext& context, Platform& platform)
    : BranchControl(context.b, ""),
      c_(context),
      platform_(platform),
      arrays_(context, platform),
      memory_(context, platform, arrays_) {}

void Body::emit() {
  if (c_.depth) check_depth(c_, platform_);
  make_slots();
  emit_block(c_.function.body);
  if (!open()) return;
  if (c_.function.results.empty())
    c_.b.CreateRetVoid();
  else
    c_.b.CreateUnreachable();  // after what never ends
}

// ------------------------------------------------------------------------------------- slots

bool Body::narrow_slot(size_t slot) const {
  const ir::Type type = c_.function.slots[slot].type;
  return type.is_int() && type.bits() == 64 && c_.analysis.slot_ranges[slot].fits_i32();
}

void Body::make_slots() {
  for (size_t i = 0; i < c_.function.slots.size(); ++i) {
    const ScalarKind kind = c_.function.slots[i].type.scalar();
    slots_.push_back(c_.variable(narrow_slot(i) ? c_.b.getInt32Ty() : c_.type(kind)));
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
    return define(i, platform_.position(i));
    case Op::Const:
      return define(i, constant_of(c_.llvm(), i.type.scalar(), i.imm));
    case Op::Param:
      if (i.type.is_array()) return;  // Arrays is asked where it is used
      return define(i, is_own_parameter(c_, i) ? own_parameter(c_, i)
                                               : platform_.scalar(static_cast<uint32_t>(i.imm)));
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
      observe(c_.operand(i, 0), 1 + static_cast<uint64_t>(i.imm));
      return store_slot(static_cast<size_t>(i.imm), c_.operand(i, 0));
#define ACCESS(name, ...) case Op::name:
#include "ir/op.def"
      define_read(i, memory_.emit(i));
      return await(i);
    case Op::AtomicSecond:
      return define_read(i, c_.second.at(i.operands[0]));
    case Op::Fence:
      return platform_.fence(i);
#define BARRIER(name, ...) case Op::name:
#include "ir/op.def"
      return define_read(i, platform_.barrier(i));
#define WARP(name, ...) case Op::name:
#include "ir/op.def"
      return define_read(i, platform_.meet_warp(i));
    case Op::WarpCheck:
      return;  // threads wait for each other
    case Op::Call:
      return call(i);
    case Op::CallResult:
      return define_read(i, further_result(c_, i));
    case Op::Check:
      return platform_.check(c_.operand(i, 0), static_cast<uint32_t>(i.imm), &i);
    case Op::Print:
      return platform_.print(i);
    case Op::Opaque:
      return define_read(i, emit_opaque(c_, i));
    case Op::While:
    case Op::For:
      return loop(i);
    case Op::If:
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

void Body::call(const Inst& i) {
  Value* first = emit_call(c_, platform_, arrays_, i);
  if (!i.type.is_none()) define_read(i, first);
}

// What other threads may have changed.
void Body::define_read(const Inst& i, Value* v) {
  if (!v) return;
  define(i, v);
  observe(v);
}

// --------------------------------------------------------------------------------------- control

Value* Body::condition(const Inst& i) { return c_.operand(i, 0); }

void Body::leave_function(const Inst& i) {
  emit_return(c_, i);
  close();
}

void Body::loop(const Inst& i) {
  const bool takes_turns = platform_.takes_turns(i);
  if (takes_turns) {
    Turns turns{c_.variable(c_.b.getInt64Ty()), analysis::only_wait(i)};
    c_.b.CreateStore(c_.b.getInt64(0), turns.state);
    if (turns.read) {
      turns.address = c_.variable(c_.b.getPtrTy());
      turns.value = c_.variable(c_.b.getInt64Ty());
      c_.b.CreateStore(llvm::Constant::getNullValue(c_.b.getPtrTy()), turns.address);
      c_.b.CreateStore(c_.b.getInt64(0), turns.value);
    }
    turns_.push_back(turns);
  }
  if (is_wait(i)) platform_.begin_wait();
  emit_control(i);
  if (takes_turns) turns_.pop_back();
}

void Body::begin_iteration(const Inst& i) {
  if (is_wait(i)) platform_.look_again();
  if (!platform_.takes_turns(i)) return;
  const Turns& turns = turns_.back();
  Value* state = c_.b.CreateLoad(c_.b.getInt64Ty(), turns.state);
  if (turns.read) {
    const Platform::Word word{c_.b.CreateLoad(c_.b.getPtrTy(), turns.address),
                              c_.b.CreateLoad(c_.b.getInt64Ty(), turns.value),
                              static_cast<unsigned>(turns.read->type.bits()) / 8};
    platform_.turn(i, state, &word);
    c_.b.CreateStore(llvm::Constant::getNullValue(c_.b.getPtrTy()), turns.address);
  } else {
    platform_.turn(i, state, nullptr);
  }
  c_.b.CreateStore(c_.b.getInt64(0), turns.state);
}

// Where the operation has set the word to another value than it read, others may wait for that one:
// then the thread does not wait for the word alone.
void Body::await(const Inst& i) {
  if (turns_.empty() || turns_.back().read != &i) return;
  Value* address = memory_.address(i);
  Value* read = c_.value(i);
  Value* nowhere = llvm::Constant::getNullValue(address->getType());
  if (i.op == Op::AtomicCas) {
    Value* swapped = c_.b.CreateICmpEQ(read, c_.operand(i, i.operands.size() - 2));
    address = c_.b.CreateSelect(swapped, nowhere, address);
  } else if (i.op == Op::AtomicRmw) {
    Value* same = c_.b.CreateICmpEQ(read, c_.operand(i, i.operands.size() - 1));
    address = c_.b.CreateSelect(same, address, nowhere);
  }
  c_.b.CreateStore(address, turns_.back().address);
  c_.b.CreateStore(c_.bits_in_64(read), turns_.back().value);
}

// Two iterations that read the same and keep the same in the same slots have the same state: each
// value is chained to those before, by the step that the runtime goes on with
// (runtime/host/fibres/cycle.h). `where`: zero, or of a slot.
void Body::observe(Value* v, uint64_t where) {
  if (turns_.empty()) return;
  Value* wide = c_.bits_in_64(v);
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15, kOfPlace = 0xd1342543de82ef95;
  for (const Turns& turns : turns_) {
    llvm::AllocaInst* state = turns.state;
    Value* before = c_.b.CreateLoad(c_.b.getInt64Ty(), state);
    Value* turned = c_.b.CreateIntrinsic(c_.b.getInt64Ty(), llvm::Intrinsic::fshl,
                                         {before, before, c_.b.getInt64(23)});
    Value* mixed =
        c_.b.CreateAdd(c_.b.CreateXor(turned, wide), c_.b.getInt64(1 + where * kOfPlace));
    c_.b.CreateStore(c_.b.CreateMul(mixed, c_.b.getInt64(kFactor)), state);
  }
}

void Body::for_loop(const Inst& i) {
  llvm::BasicBlock *head = new_block("for"), *body = new_block("do"), *next = new_block("next"),
                   *finished = new_block("finished"), *exit = new_block("endfor");
  Counter counter(c_, i);
  counter.begin(c_.variable(counter.type()));
  go_to(head);
  start(head);
  Value* now = counter.load();
  c_.b.CreateCondBr(counter.before_stop(now), body, finished);
  start(body);
  Value* value = counter.value_of(now);
  store_slot(static_cast<size_t>(i.imm), value);
  observe(value);
  iterate(i, i.regions[0], exit, next);
  start(next);
  if (Value* past = counter.advance()) {
    c_.b.CreateCondBr(past, finished, head);
  } else {
    c_.b.CreateBr(head);
  }
  finish_loop(i.regions[1], finished, exit);
}

}  // namespace cuda_device::codegen::thread
