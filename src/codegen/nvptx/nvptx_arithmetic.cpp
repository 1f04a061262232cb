#include "codegen/nvptx/nvptx_arithmetic.h"

#include "ir/evaluate.h"
#include "support/check.h"

namespace cuda_device::codegen::nvptx {

namespace id = llvm::Intrinsic;
using ir::Op;
using llvm::Value;

Value* NvptxArithmetic::function(Op op, ScalarKind kind, Values operands) {
  if (op == Op::Sqrt) return unary(id::sqrt, operands[0]);
  const bool known = !ir::is_exact(op) || op == Op::Fmod || op == Op::Remainder;
  CD_CHECK(known, "libdevice has no '" + std::string(ir::info(op).text) + "'");
  // op.def names functions as C does, and so does libdevice.
  const std::string name = "__nv_" + std::string(ir::info(op).text) + c_suffix(kind);
  llvm::Type* type = operands[0]->getType();
  llvm::SmallVector<llvm::Type*, 2> types(operands.size(), type);
  auto callee = module_.getOrInsertFunction(name, llvm::FunctionType::get(type, types, false));
  return b_.CreateCall(callee, operands);
}

namespace {

// cvt, by the result's width and sign. It saturates; a NaN gives 0 where `narrow_nan` says so, to
// at most 32 bits.
struct ToInteger {
  id::ID narrow[2], wide[2];
  bool narrow_nan;
};

constexpr ToInteger to_integer(ScalarKind from) {
  switch (compute_format(from)) {
    case ComputeFormat::F32:
      return {{id::nvvm_f2ui_rz, id::nvvm_f2i_rz}, {id::nvvm_f2ull_rz, id::nvvm_f2ll_rz}, true};
    case ComputeFormat::F64:
      return {{id::nvvm_d2ui_rz, id::nvvm_d2i_rz}, {id::nvvm_d2ull_rz, id::nvvm_d2ll_rz}, false};
  }
  CD_UNREACHABLE("unknown float");
}

}  // namespace

Value* NvptxArithmetic::float_to_int(ScalarKind from, ScalarKind to, Value* x) {
  const ToInteger cvt = to_integer(from);
  const bool wide = bits_of(to) == 64, is_signed = is_signed_int(to);
  Value* v = b_.CreateIntrinsic(wide ? cvt.wide[is_signed] : cvt.narrow[is_signed], {x});
  if (wide || !cvt.narrow_nan) v = b_.CreateSelect(b_.CreateFCmpUNO(x, x), integer(v, 0), v);
  const int bits = bits_of(to);
  if (bits >= 32) return v;
  const int64_t half = int64_t{1} << (bits - 1);
  if (is_signed) {
    v = binary(id::smax, binary(id::smin, v, integer(v, half - 1)), integer(v, -half));
  } else {
    v = binary(id::umin, v, integer(v, 2 * half - 1));
  }
  return b_.CreateTrunc(v, lanes(x, to));
}

// Scales in three steps. A step down by 102 is taken only where 127 or more remain, so where it is
// inexact the result is zero whatever was rounded.
Value* NvptxArithmetic::ldexp_f32(Value* x, Value* exponent) {
  auto clamp = [&](Value* v) {
    return binary(id::smin, binary(id::smax, v, integer(v, -126)), integer(v, 127));
  };
  auto times_power = [&](Value* v, Value* e) {
    Value* field = b_.CreateShl(b_.CreateAdd(e, integer(e, 127)), integer(e, 23));
    return b_.CreateFMul(v, b_.CreateBitCast(field, v->getType()));
  };
  Value* e = binary(id::smin, binary(id::smax, exponent, integer(exponent, -1000)),
                    integer(exponent, 1000));
  for (int step = 0; step < 2; ++step) {
    Value* far_down = b_.CreateICmpSLT(e, integer(e, -126));
    Value* part = b_.CreateSelect(far_down, integer(e, -102), clamp(e));
    x = times_power(x, part);
    e = b_.CreateSub(e, part);
  }
  return times_power(x, clamp(e));
}

// float64 is slow on most GPUs, so float32 stays float32.
Value* NvptxArithmetic::ldexp(ScalarKind kind, Value* x, Value* exponent) {
  switch (compute_format(kind)) {
    case ComputeFormat::F32:
      return ldexp_f32(x, exponent);
    case ComputeFormat::F64:
      return Arithmetic::ldexp(kind, x, exponent);
  }
  CD_UNREACHABLE("unknown float");
}

}  // namespace cuda_device::codegen::nvptx
