// Operations whose plain LLVM form is bad, or undefined, at a vector of lanes: the host's own
// lowering of them. Scalars keep the shared one.
#pragma once

#include "codegen/emit_arithmetic.h"
#include "codegen/host/lowering/math.h"
#include "codegen/host/machine/target.h"

namespace cuda_device::codegen::host {

class HostArithmetic : public Arithmetic {
 public:
  HostArithmetic(llvm::IRBuilder<>& builder, llvm::Module& module, const Target& target,
                 bool flushes_subnormals)
      : Arithmetic(builder), module_(module), target_(target), flushes_(flushes_subnormals) {}

  // For all lanes, as many at once as the function takes.
  llvm::Value* call_vector(const VectorFunction& function, Values operands);

 protected:
  // lowering_division.cpp
  llvm::Value* floor_div(ScalarKind kind, llvm::Value* x, llvm::Value* y) override;
  llvm::Value* floor_mod(ScalarKind kind, llvm::Value* x, llvm::Value* y) override;
  // lowering_convert.cpp
  llvm::Value* float_to_int(ScalarKind from, ScalarKind to, llvm::Value* x) override;
  llvm::Value* widen(StoredFormat from, llvm::Value* bits) override;
  llvm::Value* round_float32(StoredFormat to, llvm::Value* x) override;
  // lowering_function.cpp, lowering_large.cpp
  llvm::Value* fma(ScalarKind kind, llvm::Value* a, llvm::Value* b, llvm::Value* c) override;
  llvm::Value* ldexp(ScalarKind kind, llvm::Value* x, llvm::Value* exponent) override;
  llvm::Value* scale(ScalarKind kind, llvm::Value* x, llvm::Value* exponent) override;
  llvm::Value* scale_unit(ScalarKind kind, llvm::Value* x, llvm::Value* exponent) override;
  llvm::Value* logb(ScalarKind kind, llvm::Value* x) override;
  llvm::Value* significand(ScalarKind kind, llvm::Value* x) override;
  llvm::Value* function(ir::Op op, ScalarKind kind, Values operands) override;
  // lowering_estimate.cpp
  llvm::Value* estimate(ir::Op op, ScalarKind kind, Values operands) override;

 private:
  llvm::Value* floor_quotient(ScalarKind kind, llvm::Value* x, llvm::Value* y);
  llvm::Value* quotient_through_float(ScalarKind kind, ScalarKind real, llvm::Value* x,
                                      llvm::Value* y);
  llvm::Value* integral_to_int(ScalarKind kind, llvm::Value* x);
  llvm::Value* small_to_float(llvm::Value* x);
  llvm::Value* small_from_float(llvm::Value* x);
  llvm::Value* quotient_of_64_bits(ScalarKind kind, llvm::Value* x, llvm::Value* y);
  llvm::Value* saturate_by_bounds(ScalarKind to, llvm::Value* x);
  llvm::Value* saturate_signed(ScalarKind to, llvm::Value* x);
  llvm::Value* saturate_unsigned(ScalarKind to, llvm::Value* x);
  llvm::Value* call_vector(ir::Op op, ScalarKind kind, Values operands);
  llvm::Value* through_log_where_large(ir::Op op, ScalarKind kind, llvm::Value* x);
  llvm::Value* through_exp_where_large(ir::Op op, ScalarKind kind, llvm::Value* x);
  template <class Compute>
  llvm::Value* where_large(llvm::Value* large, llvm::Value* otherwise, Compute&& compute);
  llvm::Value* estimate_of(bool root, llvm::Value* x);
  llvm::Value* minus_product(llvm::Value* c, llvm::Value* a, llvm::Value* b);
  llvm::Value* scale_for_reciprocal(llvm::Value* x);
  llvm::Value* quotient(llvm::Value* x, llvm::Value* y);
  llvm::Value* reciprocal(llvm::Value* x);
  llvm::Value* reciprocal_root(llvm::Value* x);
  llvm::Value* root(llvm::Value* x);
  llvm::Value* gamma_function(ir::Op op, ScalarKind kind, llvm::Value* x);
  llvm::Value* gamma_of_float64(llvm::Value* x);
  llvm::Value* log_gamma_of_float64(llvm::Value* x);
  llvm::Value* call_each_lane(const std::string& name, Values operands);
  llvm::Function* declare(const std::string& name, llvm::Type* result, size_t operands);
  // call(parts, mask) for each register of the vectors.
  llvm::Value* each_register(
      ScalarKind kind, Values operands,
      llvm::function_ref<llvm::Value*(Values parts, llvm::Value* mask)> call);
  llvm::Value* piece(llvm::Value* vector, unsigned first, unsigned count);

  llvm::Module& module_;
  const Target& target_;
  const bool flushes_;  // the kernel allows subnormal numbers to count as zero
};

}  // namespace cuda_device::codegen::host
