#include "codegen/nvptx/backoff.h"

namespace cuda_device::codegen::nvptx {
namespace {

using llvm::Value;

// Those of libcu++ (cuda/std/__thread/threading_support.h).
constexpr uint32_t kLooksAtOnce = 16;
constexpr uint64_t kShortestSleep = 10'000;  // ns
constexpr uint64_t kLongestSleep = 1'000'000;

}  // namespace

void Backoff::begin() {
  if (!looks_) {
    looks_ = c_.variable(c_.b.getInt32Ty());
    start_ = c_.variable(c_.b.getInt64Ty());
  }
  c_.b.CreateStore(c_.b.getInt32(0), looks_);
  c_.b.CreateStore(c_.b.getInt64(0), start_);
}

// The count stops once looks are timed.
void Backoff::look_again() {
  llvm::BasicBlock *untimed = c_.new_block("look_at_once"), *timed = c_.new_block("look_later"),
                   *again = c_.new_block("look_again");
  Value* looks = c_.b.CreateLoad(c_.b.getInt32Ty(), looks_);
  c_.b.CreateCondBr(c_.b.CreateICmpULT(looks, c_.b.getInt32(kLooksAtOnce)), untimed, timed);
  c_.b.SetInsertPoint(untimed);
  c_.b.CreateStore(c_.b.CreateAdd(looks, c_.b.getInt32(1)), looks_);
  c_.b.CreateBr(again);
  c_.b.SetInsertPoint(timed);
  sleep();
  c_.b.CreateBr(again);
  c_.b.SetInsertPoint(again);
}

void Backoff::sleep() {
  llvm::Type* wide = c_.b.getInt64Ty();
  Value* now = c_.b.CreateIntrinsic(wide, llvm::Intrinsic::nvvm_read_ptx_sreg_globaltimer, {});
  Value* known = c_.b.CreateLoad(wide, start_);
  Value* start = c_.b.CreateSelect(c_.b.CreateICmpEQ(known, c_.b.getInt64(0)), now, known);
  c_.b.CreateStore(start, start_);
  Value* step = c_.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin,
                                           c_.b.CreateLShr(c_.b.CreateSub(now, start), 2),
                                           c_.b.getInt64(kLongestSleep));
  llvm::BasicBlock *asleep = c_.new_block("sleep"), *awake = c_.new_block("awake");
  c_.b.CreateCondBr(c_.b.CreateICmpUGE(step, c_.b.getInt64(kShortestSleep)), asleep, awake);
  c_.b.SetInsertPoint(asleep);
  c_.b.CreateIntrinsic(llvm::Intrinsic::nvvm_nanosleep,
                       {c_.b.CreateTrunc(step, c_.b.getInt32Ty())});
  c_.b.CreateBr(awake);
  c_.b.SetInsertPoint(awake);
}

}  // namespace cuda_device::codegen::nvptx
