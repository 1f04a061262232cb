// Conversions between number types.
#include "codegen/emit_arithmetic.h"

namespace cuda_device::codegen {

using llvm::Value;

namespace id = llvm::Intrinsic;

Value* Arithmetic::convert(ScalarKind from, ScalarKind to, Value* x) {
  if (from == to) return x;
  if (is_storage_only(from)) return convert(computed_in(from), to, widen(stored_format(from), x));
  if (is_storage_only(to)) return narrow(from, stored_format(to), x);
  llvm::Type* type = lanes(x, to);
  if (is_bool(to)) {
    if (is_float(from)) return b_.CreateFCmpUNE(x, number(x, 0));
    return b_.CreateICmpNE(x, integer(x, 0));
  }
  if (is_float(from)) return is_float(to) ? b_.CreateFPCast(x, type) : float_to_int(from, to, x);
  if (is_float(to)) return int_to_float(from, to, x);
  return is_signed_int(from) ? b_.CreateSExtOrTrunc(x, type) : b_.CreateZExtOrTrunc(x, type);
}

Value* Arithmetic::wrap(ScalarKind from, Value* index, Value* extent, ScalarKind to) {
  Value* wide = convert(from, to, index);
  if (!is_signed_int(from)) return wide;
  Value* negative = b_.CreateICmpSLT(wide, integer(wide, 0));
  return b_.CreateAdd(wide, b_.CreateSelect(negative, extent, integer(wide, 0)));
}

Value* Arithmetic::float_to_int(ScalarKind, ScalarKind to, Value* x) {
  const auto saturating = is_signed_int(to) ? id::fptosi_sat : id::fptoui_sat;
  return b_.CreateIntrinsic(saturating, {lanes(x, to), x->getType()}, {x});
}

Value* Arithmetic::int_to_float(ScalarKind from, ScalarKind to, Value* x) {
  llvm::Type* type = lanes(x, to);
  return is_signed_int(from) ? b_.CreateSIToFP(x, type) : b_.CreateUIToFP(x, type);
}

}  // namespace cuda_device::codegen
