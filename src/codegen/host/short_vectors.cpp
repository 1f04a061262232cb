#include "codegen/host/short_vectors.h"

namespace cuda_device::codegen::host {
namespace {

using llvm::Value;

// How many lanes are on where `mask` is known and those are the first ones, as many as registers
// or halves of them hold; else 0. One lane alone LLVM itself moves as a scalar.
unsigned first_lanes(const Value* mask) {
  const auto* known = llvm::dyn_cast<llvm::Constant>(mask);
  if (!known) return 0;
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(known->getType())->getNumElements();
  const auto is_on = [&](unsigned lane) {
    const llvm::Constant* on = known->getAggregateElement(lane);
    return on && on->isOneValue();
  };
  const auto is_off = [&](unsigned lane) {
    const llvm::Constant* on = known->getAggregateElement(lane);
    return on && on->isNullValue();
  };
  unsigned count = 0;
  while (count < lanes && is_on(count)) ++count;
  for (unsigned lane = count; lane < lanes; ++lane)
    if (!is_off(lane)) return 0;
  return count > 1 && count < lanes && llvm::isPowerOf2_32(count) ? count : 0;
}

// `whole` with `part` in front.
Value* put_in_front(llvm::IRBuilder<>& b, Value* part, Value* whole) {
  const unsigned count = llvm::cast<llvm::FixedVectorType>(part->getType())->getNumElements();
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(whole->getType())->getNumElements();
  // A shuffle wants operands of one width.
  llvm::SmallVector<int, kMostLanes> widened, joined;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    widened.push_back(lane < count ? static_cast<int>(lane) : -1);
    joined.push_back(static_cast<int>(lane < count ? lane : lanes + lane));
  }
  return b.CreateShuffleVector(b.CreateShuffleVector(part, widened), whole, joined);
}

void shorten_load(llvm::IntrinsicInst& load, unsigned count) {
  llvm::IRBuilder<> b(&load);
  auto* type = llvm::FixedVectorType::get(load.getType()->getScalarType(), count);
  const llvm::Align align = load.getParamAlign(0).valueOrOne();
  llvm::LoadInst* part = b.CreateAlignedLoad(type, load.getArgOperand(0), align);
  part->copyMetadata(load);
  Value* whole = put_in_front(b, part, load.getArgOperand(2));
  load.replaceAllUsesWith(whole);
  load.eraseFromParent();
}

void shorten_store(llvm::IntrinsicInst& store, unsigned count) {
  llvm::IRBuilder<> b(&store);
  llvm::SmallVector<int, kMostLanes> front;
  for (unsigned lane = 0; lane < count; ++lane) front.push_back(static_cast<int>(lane));
  Value* part = b.CreateShuffleVector(store.getArgOperand(0), front);
  const llvm::Align align = store.getParamAlign(1).valueOrOne();
  b.CreateAlignedStore(part, store.getArgOperand(1), align)->copyMetadata(store);
  store.eraseFromParent();
}

}  // namespace

void use_short_vectors(llvm::Function& function) {
  for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    if (!call) continue;
    const bool loads = call->getIntrinsicID() == llvm::Intrinsic::masked_load;
    const bool stores = call->getIntrinsicID() == llvm::Intrinsic::masked_store;
    if (!loads && !stores) continue;
    const unsigned count = first_lanes(call->getArgOperand(loads ? 1 : 2));
    if (count == 0) continue;
    loads ? shorten_load(*call, count) : shorten_store(*call, count);
  }
}

}  // namespace cuda_device::codegen::host
