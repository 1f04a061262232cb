// Functions that SLEEF computes for operands of moderate size alone: its asinh and acosh square
// them, so they are infinite from the root of the largest number on, and its log1p is near the end
// of the format. There they are logarithms.
#include <numbers>

#include "codegen/host/host_arithmetic.h"

namespace cuda_device::codegen::host {

using ir::Op;
using llvm::Value;
namespace id = llvm::Intrinsic;

// Large operands are rare: the second call is made where a lane has one.
Value* HostArithmetic::through_log_where_large(Op op, ScalarKind kind, Value x) {
  Value result = call_vector(op, kind, {x});
  Value positive = op == Op::Asinh ? unary(id::fabs, x) : x;
  Value large = b_.CreateFCmpOGT(positive, number(x, kind == ScalarKind::F32 ? 0x1p60 : 0x1p500));
  llvm::BasicBlock* before = b_.GetInsertBlock();
  auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, before->getParent());
  };
  llvm::BasicBlock *through_log = block("large_operands"), *done = block("function");
  Value any = large->getType()->isVectorTy() ? b_.CreateOrReduce(large) : large;
  b_.CreateCondBr(any, through_log, done);
  b_.SetInsertPoint(through_log);
  Value twice = number(x, op == Op::Log1p ? 0.0 : std::numbers::ln2);  // asinh(x) is log(2x)
  Value log = call_vector(Op::Log, kind, {b_.CreateSelect(large, positive, number(x, 1))});
  Value of_large = binary(id::copysign, b_.CreateFAdd(log, twice), x);
  Value mixed = b_.CreateSelect(large, of_large, result);
  llvm::BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::PHINode* both = b_.CreatePHI(x->getType(), 2);
  both->addIncoming(result, before);
  both->addIncoming(mixed, end);
  return both;
}

}  // namespace cuda_device::codegen::host
