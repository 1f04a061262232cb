// Conversions from and to floats that are only stored by the instruction cvt.
#include "codegen/nvptx/nvptx_arithmetic.h"

namespace cuda_device::codegen::nvptx {

namespace id = llvm::Intrinsic;
using llvm::Value;

namespace {

// The instructions convert two at once.
struct Float8 {
  id::ID to_float16, from_float32;
};
constexpr Float8 kE4M3 = {id::nvvm_e4m3x2_to_f16x2_rn, id::nvvm_ff_to_e4m3x2_rn};
constexpr Float8 kE5M2 = {id::nvvm_e5m2x2_to_f16x2_rn, id::nvvm_ff_to_e5m2x2_rn};

const Float8* float8(StoredFormat format) {
  if (format == StoredFormat::E4M3) return &kE4M3;
  return format == StoredFormat::E5M2 ? &kE5M2 : nullptr;
}

}  // namespace

Value* NvptxArithmetic::widen(StoredFormat from, Value* bits) {
  if (const Float8* cvt = float8(from); cvt && conversions_.float8) {
    Value* pair = b_.CreateIntrinsic(cvt->to_float16, {b_.CreateZExt(bits, b_.getInt16Ty())});
    return b_.CreateFPExt(b_.CreateExtractElement(pair, uint64_t{0}), b_.getFloatTy());
  }
  if (from != StoredFormat::F16) return Arithmetic::widen(from, bits);
  return b_.CreateFPExt(b_.CreateBitCast(bits, b_.getHalfTy()), b_.getFloatTy());
}

Value* NvptxArithmetic::round_float32(StoredFormat to, Value* x) {
  if (const Float8* cvt = float8(to); cvt && conversions_.float8) {
    Value* pair = b_.CreateIntrinsic(cvt->from_float32, {number(x, 0), x});
    return b_.CreateTrunc(pair, b_.getInt8Ty());
  }
  if (to == StoredFormat::F16)
    return b_.CreateBitCast(b_.CreateFPTrunc(x, b_.getHalfTy()), b_.getInt16Ty());
  if (to == StoredFormat::BF16 && conversions_.bfloat16)
    return b_.CreateBitCast(b_.CreateFPTrunc(x, b_.getBFloatTy()), b_.getInt16Ty());
  return Arithmetic::round_float32(to, x);
}

// To float16 from any number at once.
Value* NvptxArithmetic::narrow(ScalarKind from, StoredFormat to, Value* x) {
  if (to != StoredFormat::F16 || !conversions_.float16 || is_bool(from))
    return Arithmetic::narrow(from, to, x);
  llvm::Type* half = b_.getHalfTy();
  Value* rounded = is_float(from)        ? b_.CreateFPTrunc(x, half)
                   : is_signed_int(from) ? b_.CreateSIToFP(x, half)
                                         : b_.CreateUIToFP(x, half);
  return b_.CreateBitCast(rounded, b_.getInt16Ty());
}

}  // namespace cuda_device::codegen::nvptx
