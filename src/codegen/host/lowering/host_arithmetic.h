// Operations whose plain LLVM form is bad, or undefined, at a vector of lanes: the host's own
// lowering of them. Scalars keep the shared one.
#pragma once

#include "codegen/emit_arithmetic.h"
#include "codegen/host/lowering/math.h"
#include "codegen/host/machine/target.h"

namespace cuda_device::codegen::host {

class HostArithmetic : public Arithmetic {
 public:
  HostArithmetic(llvm::IRBuilder<>& builder, llvm::Module& module, const Target& target)
      : Arithmetic(builder), module_(module), target_(target) {}

  // For all lanes, as many at once as the function takes.
  Value call_vector(const VectorFunction& function, Values operands);

 protected:
  // lowering_division.cpp
  Value floor_div(ScalarKind kind, Value x, Value y) override;
  Value floor_mod(ScalarKind kind, Value x, Value y) override;
  // lowering_convert.cpp
  Value float_to_int(ScalarKind from, ScalarKind to, Value x) override;
  // lowering_function.cpp, lowering_large.cpp
  Value fma(ScalarKind kind, Value a, Value b, Value c) override;
  Value ldexp(ScalarKind kind, Value x, Value exponent) override;
  Value scale(ScalarKind kind, Value x, Value exponent) override;
  Value scale_unit(ScalarKind kind, Value x, Value exponent) override;
  Value logb(ScalarKind kind, Value x) override;
  Value significand(ScalarKind kind, Value x) override;
  Value function(ir::Op op, ScalarKind kind, Values operands) override;

 private:
  Value floor_quotient(ScalarKind kind, Value x, Value y);
  Value quotient_through_float(ScalarKind kind, ScalarKind real, Value x, Value y);
  Value integral_to_int(ScalarKind kind, Value x);
  Value small_to_float(Value x);
  Value small_from_float(Value x);
  Value quotient_of_64_bits(ScalarKind kind, Value x, Value y);
  Value saturate_by_bounds(ScalarKind to, Value x);
  Value saturate_signed(ScalarKind to, Value x);
  Value saturate_unsigned(ScalarKind to, Value x);
  Value call_vector(ir::Op op, ScalarKind kind, Values operands);
  Value through_log_where_large(ir::Op op, ScalarKind kind, Value x);
  Value through_exp_where_large(ir::Op op, ScalarKind kind, Value x);
  template <class Compute>
  Value where_large(Value large, Value otherwise, Compute&& compute);
  Value log_gamma(ScalarKind kind, Value x);
  Value call_each_lane(const std::string& name, Values operands);
  llvm::Function* declare(const std::string& name, llvm::Type* result, size_t operands);
  template <class Call>
  Value each_register(ScalarKind kind, Values operands, Call&& call);
  Value piece(Value vector, unsigned first, unsigned count);

  llvm::Module& module_;
  const Target& target_;
};

}  // namespace cuda_device::codegen::host
