// The Pure operations of op.def on LLVM values. Every function works on one lane and on a vector of
// lanes alike, and keeps the meaning op.def gives: no result is undefined or poison, in any lane.
// Targets override what their machine does better and what it has no instruction for.
#pragma once

#include "codegen/emit_types.h"
#include "ir/ir.h"

namespace cuda_device::codegen {

class Arithmetic {
 public:
  using Value = llvm::Value*;
  using Values = llvm::ArrayRef<llvm::Value*>;

  explicit Arithmetic(llvm::IRBuilder<>& builder) : b_(builder) {}
  virtual ~Arithmetic() = default;

  // An op from Add to FrexpExponent, Convert and Bitcast included (not Const, Param, slots). `kind`
  // is the type of the operands (of Select: of operands 1 and 2; of Ldexp: of operand 0), `result`
  // that of the result.
  Value emit(ir::Op op, ScalarKind kind, ScalarKind result, Values operands);

  Value convert(ScalarKind from, ScalarKind to, Value x);
  // ir::Op::Wrap: the index, of kind `from`, as a `to`, plus the extent (a `to`) where it is
  // negative.
  Value wrap(ScalarKind from, Value index, Value extent, ScalarKind to = ScalarKind::I64);

 protected:
  // x // y and x % y of integers; y may be zero, x / y may overflow.
  virtual Value floor_div(ScalarKind kind, Value x, Value y);
  virtual Value floor_mod(ScalarKind kind, Value x, Value y);
  // Truncates, saturates, NaN gives 0.
  virtual Value float_to_int(ScalarKind from, ScalarKind to, Value x);
  virtual Value int_to_float(ScalarKind from, ScalarKind to, Value x);
  virtual Value widen(StoredFormat from, Value bits);
  virtual Value narrow(ScalarKind from, StoredFormat to, Value x);
  virtual Value fma(ScalarKind kind, Value a, Value b, Value c);
  virtual Value ldexp(ScalarKind kind, Value x, Value exponent);
  virtual Value scale(ScalarKind kind, Value x, Value exponent);
  virtual Value scale_unit(ScalarKind kind, Value x, Value exponent);
  virtual Value logb(ScalarKind kind, Value x);
  virtual Value significand(ScalarKind kind, Value x);
  // Sqrt, and the functions from Fmod to Lgamma.
  virtual Value function(ir::Op op, ScalarKind kind, Values operands) = 0;

  // x / y and x % y, truncating, for y neither 0 nor -1 with the least x: no lane is undefined.
  virtual Value safe_div(bool is_signed, Value x, Value y);
  virtual Value safe_mod(bool is_signed, Value x, Value y);

  // y with the values replaced on which x / y is undefined in LLVM. Dividing by 1 instead gives x
  // and 0, which is right for INT_MIN // -1 and INT_MIN % -1; what is divided by zero is patched
  // after it.
  Value safe_divisor(bool is_signed, Value x, Value y);

  // What the C library and those that follow it append to the names of functions of a format.
  static const char* c_suffix(ScalarKind kind);

  Value integer(Value like, int64_t value);  // a constant of the type of `like`
  Value number(Value like, double value);
  Value unary(llvm::Intrinsic::ID id, Value x) { return b_.CreateUnaryIntrinsic(id, x); }
  Value binary(llvm::Intrinsic::ID id, Value x, Value y) {
    return b_.CreateBinaryIntrinsic(id, x, y);
  }
  llvm::Type* lanes(Value like, ScalarKind kind);  // kind's register type with the lanes of `like`

  llvm::IRBuilder<>& b_;

 private:
  Value arithmetic(ir::Op op, ScalarKind kind, Values v);
  Value bitwise(ir::Op op, ScalarKind kind, Values v);
  Value compare(ir::Op op, ScalarKind kind, Value x, Value y);
  Value bit_query(ir::Op op, Value x);
  Value classify(ir::Op op, Value x);
  Value round_to_integral(ir::Op op, Values v);
  Value frexp_mantissa(ScalarKind kind, Value x);
  Value frexp_exponent(ScalarKind kind, Value x);
};

}  // namespace cuda_device::codegen
