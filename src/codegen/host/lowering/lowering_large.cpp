// Functions that SLEEF computes for operands of moderate size alone: its asinh and acosh square
// them, so they are infinite from the root of the largest number on, and its log1p is near the end
// of the format; there they are logarithms. Its sinh and cosh halve an exponential too late. Its
// gamma loses the bits of subnormal results, and its lgamma is infinite too early.
#include <cmath>
#include <numbers>

#include "codegen/host/lowering/host_arithmetic.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using ir::Op;
using llvm::Value;
namespace id = llvm::Intrinsic;

namespace {

// Where the library's functions end to be good, by format.
struct Limits {
  double log;    // beyond it asinh, acosh and log1p are logarithms
  double power;  // beyond it sinh and cosh are exponentials
  double unit;   // the last bit of an operand of that size
};

Limits limits_of(ScalarKind kind) {
  switch (compute_format(kind)) {
    case ComputeFormat::F32:
      return {0x1p60, 88, 0x1p-17};
    case ComputeFormat::F64:
      return {0x1p500, 709, 0x1p-43};
  }
  CD_UNREACHABLE("unknown float");
}

}  // namespace

// Large operands are rare: what they need is computed where a lane has one.
template <class Compute>
Value* HostArithmetic::where_large(Value* large, Value* otherwise, Compute&& compute) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, before->getParent());
  };
  llvm::BasicBlock *some = block("large_operands"), *done = block("function");
  b_.CreateCondBr(large->getType()->isVectorTy() ? b_.CreateOrReduce(large) : large, some, done);
  b_.SetInsertPoint(some);
  Value* mixed = b_.CreateSelect(large, compute(), otherwise);
  llvm::BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::PHINode* both = b_.CreatePHI(otherwise->getType(), 2);
  both->addIncoming(otherwise, before);
  both->addIncoming(mixed, end);
  return both;
}

Value* HostArithmetic::through_log_where_large(Op op, ScalarKind kind, Value* x) {
  Value* result = call_vector(op, kind, {x});
  Value* positive = op == Op::Asinh ? unary(id::fabs, x) : x;
  Value* large = b_.CreateFCmpOGT(positive, number(x, limits_of(kind).log));
  return where_large(large, result, [&] {
    Value* twice = number(x, op == Op::Log1p ? 0.0 : std::numbers::ln2);  // asinh(x) is log(2x)
    Value* log = call_vector(Op::Log, kind, {b_.CreateSelect(large, positive, number(x, 1))});
    return binary(id::copysign, b_.CreateFAdd(log, twice), x);
  });
}

// Near the end of the format sinh and cosh are half of an exponential that is beyond it:
// exp(x - log 2). The first part of the logarithm has so few bits that the difference is exact.
Value* HostArithmetic::through_exp_where_large(Op op, ScalarKind kind, Value* x) {
  const Limits limits = limits_of(kind);
  const double first = std::nearbyint(std::numbers::ln2 / limits.unit) * limits.unit;
  const double rest = (std::numbers::ln2 - first) + 0x1.abc9e3b39803fp-56;
  Value* result = call_vector(op, kind, {x});
  Value* size = unary(id::fabs, x);
  Value* large = b_.CreateFCmpOGT(size, number(x, limits.power));
  return where_large(large, result, [&] {
    Value* power = b_.CreateFSub(b_.CreateSelect(large, size, number(x, 1)), number(x, first));
    Value* exp = call_vector(Op::Exp, kind, {power});
    Value* half = b_.CreateFMul(exp, number(x, 1 - rest));
    return op == Op::Sinh ? binary(id::copysign, half, x) : half;
  });
}

// Below -170 results may be subnormal. There gamma(x) = gamma(x + 16) / (x (x+1) ... (x+15)): the
// sums are exact, gamma(x + 16) is normal. The product is kept in two parts, and what is divided is
// scaled, so that the one rounding to a subnormal number comes last.
Value* HostArithmetic::gamma_of_float64(Value* x) {
  constexpr int kSteps = 16;
  const double scale = 0x1p200;
  Value* result = call_vector(Op::Tgamma, ScalarKind::F64, {x});
  Value* small = b_.CreateFCmpOLT(x, number(x, -170));
  return where_large(small, result, [&] {
    Value* from = b_.CreateSelect(small, x, number(x, -170.5));
    Value *product = from, *lost = number(x, 0);
    for (int k = 1; k < kSteps; ++k) {
      Value* factor = b_.CreateFAdd(from, number(x, k));
      Value* next = b_.CreateFMul(product, factor);
      Value* error = fma(ScalarKind::F64, product, factor, b_.CreateFNeg(next));
      lost = b_.CreateFAdd(b_.CreateFMul(lost, factor), error);
      product = next;
    }
    Value* shifted = b_.CreateFAdd(from, number(x, kSteps));
    Value* gamma = call_vector(Op::Tgamma, ScalarKind::F64, {shifted});
    Value* quotient = b_.CreateFDiv(b_.CreateFMul(gamma, number(x, scale)), product);
    Value* correction = b_.CreateFMul(quotient, b_.CreateFDiv(lost, product));
    return b_.CreateFMul(b_.CreateFSub(quotient, correction), number(x, 1 / scale));
  });
}

// From there on x (log(x) - 1) is within an ulp of log(gamma(x)).
Value* HostArithmetic::log_gamma_of_float64(Value* x) {
  constexpr double kLarge = 0x1p1000;
  Value* result = call_vector(Op::Lgamma, ScalarKind::F64, {x});
  Value* large = b_.CreateFCmpOGT(x, number(x, kLarge));
  return where_large(large, result, [&] {
    Value* of = b_.CreateSelect(large, x, number(x, kLarge));
    Value* log = call_vector(Op::Log, ScalarKind::F64, {of});
    return b_.CreateFMul(of, b_.CreateFSub(log, number(x, 1)));
  });
}

}  // namespace cuda_device::codegen::host
