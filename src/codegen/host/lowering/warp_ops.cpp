#include "codegen/host/lowering/warp_ops.h"

#include <numeric>

#include "codegen/host/control/loop_hints.h"
#include "codegen/host/lowering/permute.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using ir::Inst;
using ir::Op;
using llvm::Value;

namespace {
constexpr unsigned kWarp = 32;
}  // namespace

WarpOps::WarpOps(EmitContext& context, LaneValues& values)
    : c_(context), values_(values), checked_(context.source.function.inst_count()) {
  find_checks(c_.source.function.body, false);
}

// Lanes diverge within control that is divergent, and return: those are not waited for.
void WarpOps::find_checks(const ir::Block& block, bool parted) {
  for (const Inst* inst : block.insts) {
    if (inst->op == Op::WarpCheck) {
      checked_[inst->id] = parted;
      has_checks_ = has_checks_ || parted;
    }
    const bool inside = parted || c_.analysis().divergent[inst->id];
    for (const ir::Block& region : inst->regions) find_checks(region, inside);
  }
}

void WarpOps::emit(const Inst& inst, const Mask& mask) {
  CD_CHECK(c_.width() == kWarp, "a gang that uses warps is one");
  switch (inst.op) {
    case Op::ActiveMask:
      return values_.define_uniform(inst, ScalarKind::U32, c_.masks.bits(mask));
    case Op::WarpSync:
      return;  // lanes are at one instruction, and memory is in the order of instructions
#define VOTE(name, ...) case Op::name:
#include "ir/op.def"
      return vote(inst, mask);
#define SHUFFLE(name, ...) case Op::name:
#include "ir/op.def"
      return shuffle(inst);
#define MATCH(name, ...) case Op::name:
#include "ir/op.def"
      return match(inst, mask);
#define OP(name, ...) case Op::name:
#define WARP(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("no operation of a warp");
}

// Those of the bits that are in the mask of the instruction: one number where all lanes have one
// mask, else one for each.
Value* WarpOps::of_mask(const Inst& inst, Value* bits) {
  const Inst& mask = *inst.operands[0];
  if (values_.of(mask).uniform())
    return c_.b.CreateAnd(values_.scalar(mask, ScalarKind::U32), bits);
  return c_.b.CreateAnd(values_.vector(mask, ScalarKind::U32), c_.b.CreateVectorSplat(kWarp, bits));
}

Value* WarpOps::is_empty(Value* bits) { return c_.b.CreateIsNull(bits); }

void WarpOps::define(const Inst& inst, Value* value) {
  const ScalarKind kind = inst.type.scalar(), held = values_.held_kind(inst);
  value = values_.resize(value, kind, held);
  if (!value->getType()->isVectorTy()) return values_.define_uniform(inst, held, value);
  values_.define_vector(inst, held, value);
}

Value* WarpOps::lanes_that_name(const Inst& named, Value* lanes, const Mask& mask) {
  Value* here = c_.masks.bits(mask);
  if (values_.of(named).uniform()) {
    Value* some = c_.b.CreateAnd(values_.scalar(named, ScalarKind::U32), lanes);
    return c_.b.CreateSelect(is_empty(some), llvm::Constant::getNullValue(here->getType()), here);
  }
  Value* each =
      c_.b.CreateAnd(values_.vector(named, ScalarKind::U32), c_.b.CreateVectorSplat(kWarp, lanes));
  Value* some = c_.b.CreateIsNotNull(each);
  return c_.masks.bits(c_.masks.both(mask, some));
}

// ------------------------------------------------------------------------------------------------

bool WarpOps::asks_all_lanes(const Inst& inst) {
  const Inst& mask = *inst.operands[0];
  if (!values_.of(mask).uniform()) return false;
  auto* bits = llvm::dyn_cast<llvm::ConstantInt>(values_.scalar(mask, ScalarKind::U32));
  return bits && bits->isMinusOne();
}

// Mask registers of 16 lanes, as comparisons of 32 bits and more write them: `kortest` takes two.
// Joined to 32 lanes first, they would go through a general register.
llvm::SmallVector<Value*, 2> WarpOps::registers_of(const Inst& inst, Value* lanes) {
  const Inst& value = *inst.operands[1];
  const bool small = !value.operands.empty() && value.operands[0]->type.bits() <= 16 &&
                     !value.operands[0]->type.is_bool();
  if (small) return {lanes};
  llvm::SmallVector<Value*, 2> halves;
  for (int first : {0, 16}) {
    llvm::SmallVector<int, 16> numbers(16);
    std::iota(numbers.begin(), numbers.end(), first);
    halves.push_back(c_.b.CreateShuffleVector(lanes, numbers));
  }
  return halves;
}

Value* WarpOps::in_some_lane(const Inst& inst, Value* lanes) {
  const auto parts = registers_of(inst, lanes);
  Value* all = parts.size() == 1 ? parts[0] : c_.b.CreateOr(parts[0], parts[1]);
  return c_.b.CreateIsNotNull(c_.b.CreateBitCast(all, c_.b.getIntNTy(lanes_of(all->getType()))));
}

Value* WarpOps::in_all_lanes(const Inst& inst, Value* lanes) {
  const auto parts = registers_of(inst, lanes);
  Value* all = parts.size() == 1 ? parts[0] : c_.b.CreateAnd(parts[0], parts[1]);
  Value* bits = c_.b.CreateBitCast(all, c_.b.getIntNTy(lanes_of(all->getType())));
  return c_.b.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
}

void WarpOps::vote(const Inst& inst, const Mask& mask) {
  Value* holds = values_.vector(*inst.operands[1], ScalarKind::Bool);
  const bool one_bit = inst.op == Op::VoteAny || inst.op == Op::VoteAll;
  if (one_bit && c_.source.target.form == MaskForm::Avx512 && asks_all_lanes(inst)) {
    const bool any = inst.op == Op::VoteAny;
    const Mask lanes = any ? c_.masks.both(mask, holds) : c_.masks.without(mask, holds);
    if (!any && mask.all()) return define(inst, in_all_lanes(inst, holds));
    Value* some = in_some_lane(inst, c_.masks.lanes(lanes));
    return define(inst, any ? some : c_.b.CreateNot(some));
  }
  const auto true_lanes = [&] { return of_mask(inst, c_.masks.bits(c_.masks.both(mask, holds))); };
  const auto false_lanes = [&] {
    return of_mask(inst, c_.masks.bits(c_.masks.without(mask, holds)));
  };
  switch (inst.op) {
    case Op::Ballot:
      return define(inst, true_lanes());
    case Op::VoteAny:
      return define(inst, c_.b.CreateIsNotNull(true_lanes()));
    case Op::VoteAll:
      return define(inst, is_empty(false_lanes()));
    case Op::VoteEq:
      return define(inst, c_.b.CreateOr(is_empty(true_lanes()), is_empty(false_lanes())));
#define OP(name, ...) case Op::name:
#define VOTE(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("not a vote");
}

// ------------------------------------------------------------------------------------------------

void WarpOps::shuffle(const Inst& inst) {
  Value* vector = values_.vector(*inst.operands[1], inst.type.scalar());
  const bool for_all = c_.analysis().shape(inst).uniform();
  if (!for_all) return define(inst, shuffled(inst, vector));
  Value* lane = values_.scalar(*inst.operands[2], ScalarKind::I32);
  define(inst, c_.masks.element(vector, c_.b.CreateAnd(lane, c_.b.getInt32(kWarp - 1))));
}

// What each lane takes is known here, or else when the kernel runs.
Value* WarpOps::shuffled(const Inst& inst, Value* vector) {
  Value* lanes = sources(inst);
  auto* known = llvm::dyn_cast<llvm::Constant>(lanes);
  if (!known) return permuted(c_, vector, lanes);
  llvm::SmallVector<int, kWarp> numbers;
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(known->getAggregateElement(lane));
    if (!number) return permuted(c_, vector, lanes);
    numbers.push_back(static_cast<int>(number->getZExtValue() % kWarp));
  }
  return c_.b.CreateShuffleVector(vector, numbers);
}

// The number, modulo 32, of the lane that each lane takes its value of.
Value* WarpOps::sources(const Inst& inst) {
  Value* own = values_.lane_numbers(ScalarKind::I32);
  Value* last = c_.b.CreateVectorSplat(kWarp, c_.b.getInt32(kWarp - 1));
  Value* given = values_.vector(*inst.operands[2], ScalarKind::I32);
  Value* number = c_.b.CreateAnd(given, last);
  switch (inst.op) {
    case Op::Shuffle:
      return given;
    case Op::ShuffleXor:
      return c_.b.CreateXor(own, given);
    case Op::ShuffleUp:
      return c_.b.CreateSelect(c_.b.CreateICmpULE(number, own), c_.b.CreateSub(own, number), own);
    case Op::ShuffleDown: {
      Value* other = c_.b.CreateAdd(own, number);
      return c_.b.CreateSelect(c_.b.CreateICmpULE(other, last), other, own);
    }
#define OP(name, ...) case Op::name:
#define SHUFFLE(...)
#include "ir/op.def"
    break;
  }
  CD_UNREACHABLE("no shuffle");
}

// ------------------------------------------------------------------------------------------------

// Bits, which are compared as integers.
Value* WarpOps::compared(const Inst& operand) {
  Value* vector = values_.vector(operand, operand.type.scalar());
  if (operand.type.is_bool())
    return c_.b.CreateZExt(vector, with_lanes_of(vector->getType(), c_.b.getInt8Ty()));
  return operand.type.is_float() ? c_.b.CreateBitCast(vector, integer_like(vector->getType()))
                                 : vector;
}

// The active lanes that hold what the lane does: a bit for each.
Value* WarpOps::lanes_with(Value* vector, Value* lane, const Mask& mask) {
  Value* value = c_.b.CreateVectorSplat(kWarp, c_.masks.element(vector, lane));
  return c_.masks.bits(c_.masks.both(mask, c_.b.CreateICmpEQ(vector, value)));
}

// For each active lane those that hold what it does: once around for each value that there is.
Value* WarpOps::lanes_alike(Value* vector, const Mask& mask) {
  llvm::Type* type = llvm::FixedVectorType::get(c_.b.getInt32Ty(), kWarp);
  llvm::AllocaInst* alike = c_.variable(type, "alike");
  c_.b.CreateStore(llvm::Constant::getNullValue(type), alike);
  Value* none = c_.b.getInt32(0);
  llvm::BasicBlock *before = c_.b.GetInsertBlock(), *loop = c_.new_block("value"),
                   *done = c_.new_block("values_done");
  Value* all = c_.masks.bits(mask);
  c_.b.CreateCondBr(c_.b.CreateICmpNE(all, none), loop, done);
  c_.start(loop);
  llvm::PHINode* left = c_.b.CreatePHI(c_.b.getInt32Ty(), 2);
  left->addIncoming(all, before);
  Value* same = lanes_with(vector, c_.masks.first_lane(left), mask);
  Value* chosen = c_.b.CreateBitCast(same, c_.masks.type());
  Value* others = c_.b.CreateLoad(type, alike);
  c_.b.CreateStore(c_.b.CreateSelect(chosen, c_.b.CreateVectorSplat(kWarp, same), others), alike);
  Value* next = c_.b.CreateAnd(left, c_.b.CreateNot(same));
  left->addIncoming(next, c_.b.GetInsertBlock());
  hint(c_.b.CreateCondBr(c_.b.CreateICmpNE(next, none), loop, done), {.keep_rolled = true});
  c_.start(done);
  return c_.b.CreateLoad(type, alike);
}

void WarpOps::match(const Inst& inst, const Mask& mask) {
  const Inst& operand = *inst.operands[1];
  Value* vector = compared(operand);
  Value* here = of_mask(inst, c_.masks.bits(mask));
  Value* none = llvm::Constant::getNullValue(here->getType());
  const bool one_mask = !here->getType()->isVectorTy();
  if (inst.op == Op::MatchAll && one_mask) {
    // Some lane: without one, nobody asks.
    Value* first = c_.b.CreateAnd(c_.masks.first_lane(here), c_.b.getInt32(kWarp - 1));
    Value* others = c_.b.CreateAnd(here, c_.b.CreateNot(lanes_with(vector, first, mask)));
    return define(inst, c_.b.CreateSelect(is_empty(others), here, none));
  }
  Value* alike =
      c_.b.CreateAnd(lanes_alike(vector, mask), values_.vector(*inst.operands[0], ScalarKind::U32));
  switch (inst.op) {
    case Op::MatchAny:
      return define(inst, alike);
    case Op::MatchAll:
      return define(inst, c_.b.CreateSelect(c_.b.CreateICmpEQ(alike, here), here, none));
#define OP(name, ...) case Op::name:
#define MATCH(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("no match");
}

}  // namespace cuda_device::codegen::host
