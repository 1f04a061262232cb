#include "codegen/host/masks/known_masks.h"

#include <optional>

#include "codegen/host/lowering/slices.h"

namespace cuda_device::codegen::host {
namespace {

using llvm::Value;

// A bit a lane; nothing where one is not known.
std::optional<llvm::APInt> known_lanes(const Value* mask) {
  const auto* known = llvm::dyn_cast<llvm::Constant>(mask);
  if (!known) return std::nullopt;
  llvm::APInt lanes(lanes_of(known->getType()), 0);
  for (unsigned lane = 0; lane < lanes.getBitWidth(); ++lane) {
    const auto* on = llvm::dyn_cast_or_null<llvm::ConstantInt>(known->getAggregateElement(lane));
    if (!on) return std::nullopt;
    lanes.setBitVal(lane, on->isOne());
  }
  return lanes;
}

struct Run {
  unsigned first, count;
};

// The run of lanes that a smaller vector moves; nothing where all are on, or none.
std::optional<Run> run_of(const Value* mask, bool any) {
  const auto lanes = known_lanes(mask);
  if (!lanes || lanes->isAllOnes() || !lanes->isShiftedMask()) return std::nullopt;
  const Run run{lanes->countr_zero(), lanes->popcount()};
  if (!any && run.count > 1) return std::nullopt;
  if (!llvm::isPowerOf2_32(run.count) || run.first % run.count != 0) return std::nullopt;
  return run;
}

struct Address {
  Value* pointer;
  llvm::Align align;
};

// The address of the run's first lane.
Address address_of(llvm::IRBuilder<>& b, const llvm::IntrinsicInst& access, unsigned pointer,
                   llvm::Type* lanes, const Run& run) {
  const uint64_t away = run.first * (lanes->getScalarSizeInBits() / 8);
  const llvm::Align align = access.getParamAlign(pointer).valueOrOne();
  Value* whole = access.getArgOperand(pointer);
  if (away == 0) return {whole, align};
  return {b.CreateGEP(b.getInt8Ty(), whole, b.getInt64(away)), llvm::commonAlignment(align, away)};
}

void load_run(llvm::IntrinsicInst& load, const Run& run) {
  llvm::IRBuilder<> b(&load);
  llvm::Type* type = load.getType();
  const Address address = address_of(b, load, 0, type, run);
  auto* lanes = llvm::FixedVectorType::get(type->getScalarType(), run.count);
  llvm::LoadInst* part = b.CreateAlignedLoad(lanes, address.pointer, address.align);
  part->copyMetadata(load);
  load.replaceAllUsesWith(with_slice(b, load.getArgOperand(2), part, run.first));
  load.eraseFromParent();
}

// Steps from a stored value back to what its lanes are made of.
constexpr int kMostSteps = 8;

// The run's lanes of a value, computed by themselves: LLVM 22 cannot select the part of a zero
// extension that it cuts off on its own (four of eight i32 as i64).
Value* part_of(llvm::IRBuilder<>& b, Value* all, const Run& run, int steps = kMostSteps) {
  const auto part = [&](Value* operand) { return part_of(b, operand, run, steps - 1); };
  auto* inst = llvm::dyn_cast<llvm::Instruction>(all);
  if (!inst || steps == 0) return slice_of(b, all, run.first, run.count);
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(inst);
      cast && cast->getSrcTy()->isVectorTy() &&
      lanes_of(cast->getSrcTy()) == lanes_of(cast->getDestTy())) {
    auto* type = llvm::FixedVectorType::get(cast->getDestTy()->getScalarType(), run.count);
    return b.CreateCast(cast->getOpcode(), part(cast->getOperand(0)), type);
  }
  if (!inst->hasOneUse()) return slice_of(b, all, run.first, run.count);
  if (auto* both = llvm::dyn_cast<llvm::BinaryOperator>(inst)) {
    Value* left = part(both->getOperand(0));
    Value* made = b.CreateBinOp(both->getOpcode(), left, part(both->getOperand(1)));
    if (auto* found = llvm::dyn_cast<llvm::Instruction>(made)) found->copyIRFlags(both);
    return made;
  }
  if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(inst)) {
    Value* test = choice->getCondition();
    if (test->getType()->isVectorTy()) test = part(test);
    Value* then = part(choice->getTrueValue());
    return b.CreateSelect(test, then, part(choice->getFalseValue()));
  }
  return slice_of(b, all, run.first, run.count);
}

void store_run(llvm::IntrinsicInst& store, const Run& run) {
  llvm::IRBuilder<> b(&store);
  Value* all = store.getArgOperand(0);
  const Address address = address_of(b, store, 1, all->getType(), run);
  b.CreateAlignedStore(part_of(b, all, run), address.pointer, address.align)->copyMetadata(store);
  store.eraseFromParent();
}

}  // namespace

void take_known_masks(llvm::Function& function, bool any) {
  for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* access = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    if (!access) continue;
    if (access->getIntrinsicID() == llvm::Intrinsic::masked_load) {
      if (const auto run = run_of(access->getArgOperand(1), any)) load_run(*access, *run);
    } else if (access->getIntrinsicID() == llvm::Intrinsic::masked_store) {
      if (const auto run = run_of(access->getArgOperand(2), any)) store_run(*access, *run);
    }
  }
}

}  // namespace cuda_device::codegen::host
