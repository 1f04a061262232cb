// Integer division by something that is no constant. x86 has no vector instruction for it, but
// floating-point division, correctly rounded, gives the exact quotient rounded down: where x / y is
// no integer, its distance to the next one is at least 1 / |y|, which exceeds the rounding error |x
// / y| * 2**-p as long as |x| < 2**p.
#include "codegen/host/lowering/host_arithmetic.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using llvm::Value;
namespace id = llvm::Intrinsic;

// Division by a constant is multiplication, which LLVM knows.
static bool is_own_case(Value* y) {
  return y->getType()->isVectorTy() && !llvm::isa<llvm::Constant>(y);
}

Value* HostArithmetic::floor_div(ScalarKind kind, Value* x, Value* y) {
  if (!is_own_case(y)) return Arithmetic::floor_div(kind, x, y);
  Value* quotient = floor_quotient(kind, x, safe_divisor(is_signed_int(kind), x, y));
  return b_.CreateSelect(b_.CreateICmpEQ(y, integer(y, 0)), integer(y, -1), quotient);
}

Value* HostArithmetic::floor_mod(ScalarKind kind, Value* x, Value* y) {
  if (!is_own_case(y)) return Arithmetic::floor_mod(kind, x, y);
  Value* divisor = safe_divisor(is_signed_int(kind), x, y);
  Value* rest = b_.CreateSub(x, b_.CreateMul(floor_quotient(kind, x, divisor), divisor));
  return b_.CreateSelect(b_.CreateICmpEQ(y, integer(y, 0)), x, rest);
}

// y is not zero, and x / y does not overflow.
Value* HostArithmetic::floor_quotient(ScalarKind kind, Value* x, Value* y) {
  if (bits_of(kind) == 64) return quotient_of_64_bits(kind, x, y);
  return quotient_through_float(kind, bits_of(kind) == 32 ? ScalarKind::F64 : ScalarKind::F32, x,
                                y);
}

Value* HostArithmetic::quotient_through_float(ScalarKind kind, ScalarKind real, Value* x,
                                              Value* y) {
  Value* quotient = b_.CreateFDiv(int_to_float(kind, real, x), int_to_float(kind, real, y));
  return integral_to_int(kind, unary(id::floor, quotient));
}

// An integral number in the range of `kind`.
Value* HostArithmetic::integral_to_int(ScalarKind kind, Value* x) {
  if (bits_of(kind) < 32) {
    Value* wide = b_.CreateFPToSI(x, lanes(x, ScalarKind::I32));
    return b_.CreateTrunc(wide, lanes(x, kind));
  }
  if (is_signed_int(kind)) return b_.CreateFPToSI(x, lanes(x, kind));
  if (target_.info().unsigned_conversions) return b_.CreateFPToUI(x, lanes(x, kind));
  // Only signed conversions are instructions below AVX-512.
  Value* signed_part = b_.CreateFPToSI(b_.CreateFSub(x, number(x, 0x1p31)), lanes(x, kind));
  return b_.CreateXor(signed_part, integer(signed_part, INT32_MIN));
}

// Divides in float64 where every lane is small enough for that, one by one otherwise.
Value* HostArithmetic::quotient_of_64_bits(ScalarKind kind, Value* x, Value* y) {
  const bool is_signed = is_signed_int(kind);
  auto small = [&](Value* v) {
    Value* magnitude = is_signed ? binary(id::abs, v, b_.getFalse()) : v;
    return b_.CreateICmpULT(magnitude, integer(v, int64_t{1} << 51));
  };
  llvm::Function* function = b_.GetInsertBlock()->getParent();
  auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, function);
  };
  llvm::BasicBlock *quick = block("small_quotients"), *slow = block("large_quotients"),
                   *done = block("quotients");
  b_.CreateCondBr(b_.CreateAndReduce(b_.CreateAnd(small(x), small(y))), quick, slow);
  b_.SetInsertPoint(quick);
  Value* real = b_.CreateFDiv(small_to_float(x), small_to_float(y));
  Value* quick_result = small_from_float(unary(id::floor, real));
  b_.CreateBr(done);
  b_.SetInsertPoint(slow);
  Value* slow_result = Arithmetic::floor_div(kind, x, y);
  llvm::BasicBlock* slow_end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::PHINode* result = b_.CreatePHI(x->getType(), 2);
  result->addIncoming(quick_result, quick);
  result->addIncoming(slow_result, slow_end);
  return result;
}

// Integers of magnitude below 2**51 sit in the mantissa of 1.5 * 2**52 + x.
Value* HostArithmetic::small_to_float(Value* x) {
  Value* magic =
      b_.CreateBitCast(llvm::ConstantFP::get(lanes(x, ScalarKind::F64), 0x1.8p52), x->getType());
  Value* biased = b_.CreateBitCast(b_.CreateAdd(x, magic), lanes(x, ScalarKind::F64));
  return b_.CreateFSub(biased, number(biased, 0x1.8p52));
}

Value* HostArithmetic::small_from_float(Value* x) {
  Value* biased = b_.CreateFAdd(x, number(x, 0x1.8p52));
  llvm::Type* integers = lanes(x, ScalarKind::I64);
  return b_.CreateSub(b_.CreateBitCast(biased, integers),
                      b_.CreateBitCast(number(x, 0x1.8p52), integers));
}

}  // namespace cuda_device::codegen::host
