// Divisions and roots of float32 that need not be exact: the machine's estimate and one step of
// Newton's method. Errors are in docs/math.md.
#include "codegen/host/lowering/host_arithmetic.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using ir::Op;
using llvm::Value;
namespace id = llvm::Intrinsic;

namespace {

// Estimates of a vector: 14 bits with AVX-512, 12 with the others.
struct Estimates {
  id::ID reciprocal, reciprocal_root;
  bool masked;  // they take what to keep, and where
};

Estimates estimates_of(MaskForm form) {
  switch (form) {
    case MaskForm::Avx512:
      return {id::x86_avx512_rcp14_ps_512, id::x86_avx512_rsqrt14_ps_512, true};
    case MaskForm::Avx2:
      return {id::x86_avx_rcp_ps_256, id::x86_avx_rsqrt_ps_256, false};
    case MaskForm::Sse4:
      return {id::x86_sse_rcp_ps, id::x86_sse_rsqrt_ps, false};
  }
  CD_UNREACHABLE("unknown form");
}

// The factor of a step of Newton's method is close to 1. It is a NaN where the estimate is zero or
// infinite, which is right then: any factor above zero keeps it. An instruction: max of x86 is its
// second operand where the first is a NaN.
Value* without_nan(llvm::IRBuilder<>& b, Value* factor) {
  Value* half = llvm::ConstantFP::get(factor->getType(), 0.5);
  return b.CreateSelect(b.CreateFCmpOGT(factor, half), factor, half);
}

}  // namespace

Value* HostArithmetic::estimate_of(bool root, Value* x) {
  const Estimates estimates = estimates_of(target_.form);
  const id::ID instruction = root ? estimates.reciprocal_root : estimates.reciprocal;
  return each_register(ScalarKind::F32, {x}, [&](Values v, Value* all) {
    if (!estimates.masked) return b_.CreateIntrinsic(instruction, {}, {v[0]});
    return b_.CreateIntrinsic(instruction, {}, {v[0], v[0], all});
  });
}

// c - a * b; rounded twice where the machine has no fma.
Value* HostArithmetic::minus_product(Value* c, Value* a, Value* b) {
  if (!target_.info().fma) return b_.CreateFSub(c, b_.CreateFMul(a, b));
  return b_.CreateIntrinsic(a->getType(), id::fma, {b_.CreateFNeg(a), b, c});
}

// r * (2 - x * r)
Value* HostArithmetic::reciprocal(Value* x) {
  Value* r = estimate_of(false, x);
  return b_.CreateFMul(r, without_nan(b_, minus_product(number(x, 2), x, r)));
}

// What makes the reciprocal of x a normal number: 2**32 for the least x, 2**-32 for the greatest,
// else 1, by the three highest bits of the exponent. One look-up in a register, where products and
// comparisons would cost what a division does.
Value* HostArithmetic::scale_for_reciprocal(Value* x) {
  const bool is_avx512 = target_.form == MaskForm::Avx512;
  const unsigned count = target_.native_lanes(4);  // with 16, the sign is a bit of the index
  llvm::SmallVector<float, 16> scales(count, 1.0F);
  for (unsigned i = 0; i < count; i += 8) {
    scales[i] = 0x1p32F;
    scales[i + 7] = 0x1p-32F;
  }
  llvm::Constant* table = llvm::ConstantDataVector::get(module_.getContext(), scales);
  const id::ID look_up = is_avx512 ? id::x86_avx512_permvar_sf_512 : id::x86_avx2_permps;
  return each_register(ScalarKind::F32, {x}, [&](Values v, Value*) {
    auto* integers = llvm::FixedVectorType::get(b_.getInt32Ty(), count);
    Value* highest = b_.CreateLShr(b_.CreateBitCast(v[0], integers), 28);
    return b_.CreateIntrinsic(look_up, {}, {table, highest});
  });
}

// x * (1 / y). Where subnormal numbers do not count as zero, both are scaled before: the
// reciprocals of the greatest numbers are subnormal, and those of subnormal ones infinite. SSE4 has
// no look-up and divides.
Value* HostArithmetic::quotient(Value* x, Value* y) {
  if (flushes_) return b_.CreateFMul(x, reciprocal(y));
  if (target_.form == MaskForm::Sse4) return b_.CreateFDiv(x, y);
  Value* scale = scale_for_reciprocal(y);
  return b_.CreateFMul(b_.CreateFMul(x, scale), reciprocal(b_.CreateFMul(y, scale)));
}

// r * (1.5 - x * r * r / 2)
Value* HostArithmetic::reciprocal_root(Value* x) {
  Value* r = estimate_of(true, x);
  Value* half = b_.CreateFMul(r, number(x, 0.5));
  Value* factor = minus_product(number(x, 1.5), b_.CreateFMul(x, r), half);
  return b_.CreateFMul(r, without_nan(b_, factor));
}

// x * r, with an r for zero and infinity that leaves them what they are: zero for +0, the least
// number that r may be for -0 and infinity. A NaN passes.
Value* HostArithmetic::root(Value* x) {
  Value* r = reciprocal_root(x);
  Value* least = number(x, 0x1p-100);
  r = b_.CreateSelect(b_.CreateFCmpOGT(least, r), least, r);
  Value* of_zero = b_.CreateFCmpOEQ(r, llvm::ConstantFP::getInfinity(x->getType()));
  return b_.CreateFMul(x, b_.CreateSelect(of_zero, number(x, 0), r));
}

// A uniform value goes through the same instructions as a varying one, so that both have the same
// bits.
Value* HostArithmetic::estimate(Op op, ScalarKind kind, Values v) {
  if (kind != ScalarKind::F32) return Arithmetic::estimate(op, kind, v);
  if (!v[0]->getType()->isVectorTy()) {
    llvm::SmallVector<Value*, 2> vectors;
    for (Value* x : v) vectors.push_back(b_.CreateVectorSplat(target_.native_lanes(4), x));
    return b_.CreateExtractElement(estimate(op, kind, vectors), uint64_t{0});
  }
  switch (op) {
    case Op::DivEstimate:
      return quotient(v[0], v[1]);
    case Op::SqrtEstimate:
      return root(v[0]);
    case Op::RsqrtEstimate:
      return reciprocal_root(v[0]);
    default:
      return Arithmetic::estimate(op, kind, v);
  }
}

}  // namespace cuda_device::codegen::host
