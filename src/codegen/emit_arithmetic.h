// The Pure operations of op.def on LLVM values. Every function works on one lane and on a vector of
// lanes alike, and keeps the meaning op.def gives: no result is undefined or poison, in any lane.
// Targets override what their machine does better and what it has no instruction for.
#pragma once

#include "codegen/emit_types.h"
#include "ir/ir.h"

namespace cuda_device::codegen {

class Arithmetic {
 public:
  using Values = llvm::ArrayRef<llvm::Value*>;

  explicit Arithmetic(llvm::IRBuilder<>& builder) : b_(builder) {}
  virtual ~Arithmetic() = default;

  // An op from Add to FrexpExponent, Convert and Bitcast included (not Const, Param, slots). `kind`
  // is the type of the operands (of Select: of operands 1 and 2; of Ldexp: of operand 0), `result`
  // that of the result.
  llvm::Value* emit(ir::Op op, ScalarKind kind, ScalarKind result, Values operands);

  llvm::Value* convert(ScalarKind from, ScalarKind to, llvm::Value* x);
  // ir::Op::Wrap: the index, of kind `from`, as a `to`, plus the extent (a `to`) where it is
  // negative.
  llvm::Value* wrap(ScalarKind from, llvm::Value* index, llvm::Value* extent,
                    ScalarKind to = ScalarKind::I64);

 protected:
  // x // y and x % y of integers; y may be zero, x / y may overflow.
  virtual llvm::Value* floor_div(ScalarKind kind, llvm::Value* x, llvm::Value* y);
  virtual llvm::Value* floor_mod(ScalarKind kind, llvm::Value* x, llvm::Value* y);
  // Truncates, saturates, NaN gives 0.
  virtual llvm::Value* float_to_int(ScalarKind from, ScalarKind to, llvm::Value* x);
  virtual llvm::Value* int_to_float(ScalarKind from, ScalarKind to, llvm::Value* x);
  // Floats that are only stored, to and from float32; emit_stored_float.cpp.
  virtual llvm::Value* widen(StoredFormat from, llvm::Value* bits);
  virtual llvm::Value* round_float32(StoredFormat to, llvm::Value* x);
  virtual llvm::Value* narrow(ScalarKind from, StoredFormat to, llvm::Value* x);
  virtual llvm::Value* fma(ScalarKind kind, llvm::Value* a, llvm::Value* b, llvm::Value* c);
  virtual llvm::Value* ldexp(ScalarKind kind, llvm::Value* x, llvm::Value* exponent);
  virtual llvm::Value* scale(ScalarKind kind, llvm::Value* x, llvm::Value* exponent);
  virtual llvm::Value* scale_unit(ScalarKind kind, llvm::Value* x, llvm::Value* exponent);
  virtual llvm::Value* logb(ScalarKind kind, llvm::Value* x);
  virtual llvm::Value* significand(ScalarKind kind, llvm::Value* x);
  // DivEstimate to TanhEstimate. This one is exact, or as exact as the function it estimates.
  virtual llvm::Value* estimate(ir::Op op, ScalarKind kind, Values operands);
  // Sqrt, and the functions from Fmod to Lgamma.
  virtual llvm::Value* function(ir::Op op, ScalarKind kind, Values operands) = 0;

  // x / y and x % y, truncating, for y neither 0 nor -1 with the least x: no lane is undefined.
  virtual llvm::Value* safe_div(bool is_signed, llvm::Value* x, llvm::Value* y);
  virtual llvm::Value* safe_mod(bool is_signed, llvm::Value* x, llvm::Value* y);

  // y with the values replaced on which x / y is undefined in LLVM. Dividing by 1 instead gives x
  // and 0, which is right for INT_MIN // -1 and INT_MIN % -1; what is divided by zero is patched
  // after it.
  llvm::Value* safe_divisor(bool is_signed, llvm::Value* x, llvm::Value* y);

  // What the C library and those that follow it append to the names of functions of a format.
  static const char* c_suffix(ScalarKind kind);

  llvm::Value* integer(llvm::Value* like, int64_t value);  // a constant of the type of `like`
  llvm::Value* number(llvm::Value* like, double value);
  llvm::Value* unary(llvm::Intrinsic::ID id, llvm::Value* x) {
    return b_.CreateUnaryIntrinsic(id, x);
  }
  llvm::Value* binary(llvm::Intrinsic::ID id, llvm::Value* x, llvm::Value* y) {
    return b_.CreateBinaryIntrinsic(id, x, y);
  }
  llvm::Type* lanes(llvm::Value* like,
                    ScalarKind kind);  // kind's register type with the lanes of `like`

  llvm::IRBuilder<>& b_;

 private:
  llvm::Value* rounded_to_odd(llvm::Value* x);
  llvm::Value* collapse_low_bits(ScalarKind kind, llvm::Value* x, int exact, int low);
  llvm::Value* float32_of_integer(ScalarKind from, const FloatFormat& to, llvm::Value* x);
  llvm::Value* arithmetic(ir::Op op, ScalarKind kind, Values v);
  llvm::Value* bitwise(ir::Op op, ScalarKind kind, Values v);
  llvm::Value* compare(ir::Op op, ScalarKind kind, llvm::Value* x, llvm::Value* y);
  llvm::Value* bit_query(ir::Op op, llvm::Value* x);
  llvm::Value* classify(ir::Op op, llvm::Value* x);
  llvm::Value* round_to_integral(ir::Op op, Values v);
  llvm::Value* frexp_mantissa(ScalarKind kind, llvm::Value* x);
  llvm::Value* frexp_exponent(ScalarKind kind, llvm::Value* x);
};

}  // namespace cuda_device::codegen
