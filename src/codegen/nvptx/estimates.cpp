// What nvcc makes of divisions, roots and functions with --use_fast_math: instructions of the
// special function units.
#include "codegen/nvptx/nvptx_arithmetic.h"
#include "support/check.h"

namespace cuda_device::codegen::nvptx {

namespace id = llvm::Intrinsic;
using ir::Op;
using llvm::Value;

namespace {

// By whether subnormal numbers are flushed.
id::ID instruction_of(Op op, bool flush) {
  switch (op) {
    case Op::DivEstimate:
      return flush ? id::nvvm_div_approx_ftz_f : id::nvvm_div_full;
    case Op::SqrtEstimate:
      return flush ? id::nvvm_sqrt_approx_ftz_f : id::nvvm_sqrt_approx_f;
    case Op::RsqrtEstimate:
      return flush ? id::nvvm_rsqrt_approx_ftz_f : id::nvvm_rsqrt_approx_f;
    case Op::Exp2Estimate:
      return flush ? id::nvvm_ex2_approx_ftz : id::nvvm_ex2_approx;
    case Op::Log2Estimate:
      return flush ? id::nvvm_lg2_approx_ftz_f : id::nvvm_lg2_approx_f;
    case Op::SinEstimate:
      return flush ? id::nvvm_sin_approx_ftz_f : id::nvvm_sin_approx_f;
    case Op::CosEstimate:
      return flush ? id::nvvm_cos_approx_ftz_f : id::nvvm_cos_approx_f;
    default:
      CD_UNREACHABLE("no estimate");
  }
}

// Where LLVM has no name for it.
Value* instruction(llvm::IRBuilder<>& b, const std::string& name, Value* x) {
  llvm::Type* type = x->getType();
  auto* assembly = llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, false),
                                        name + " $0, $1;", "=f,f", /*hasSideEffects=*/false);
  return b.CreateCall(assembly, {x});
}

bool is_one(const Value* x) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(x);
  return constant && constant->isExactlyValue(1.0);
}

}  // namespace

Value* NvptxArithmetic::estimate(Op op, ScalarKind kind, Values v) {
  if (kind != ScalarKind::F32) return Arithmetic::estimate(op, kind, v);
  if (op == Op::TanhEstimate) return instruction(b_, "tanh.approx.f32", v[0]);
  if (op == Op::DivEstimate && is_one(v[0]))
    return instruction(b_, flushes_ ? "rcp.approx.ftz.f32" : "rcp.approx.f32", v[1]);
  llvm::SmallVector<llvm::Type*, 1> overloaded;
  if (op == Op::Exp2Estimate) overloaded.push_back(v[0]->getType());
  return b_.CreateIntrinsic(instruction_of(op, flushes_), overloaded, v);
}

}  // namespace cuda_device::codegen::nvptx
