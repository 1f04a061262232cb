// Pure operations by lane shape: once where a value is uniform, by its base where it is affine, in
// all lanes otherwise.
#pragma once

#include <functional>

#include "codegen/host/lowering/width_plan.h"
#include "codegen/host/memory/arrays.h"

namespace cuda_device::codegen::host {

// One value in two forms. `at(0)` of an affine value is its base.
struct Evaluation {
  ScalarKind kind;
  std::function<llvm::Value*(unsigned lane)> at;
  std::function<llvm::Value*()> all;
};

// Defines the instruction's value in the shape that the analysis gives it.
void define_shaped(EmitContext& context, LaneValues& values, const ir::Inst& inst,
                   const Evaluation& evaluation);

class PureOps {
 public:
  PureOps(EmitContext& context, LaneValues& values, LaunchValues& launch, Arrays& arrays)
      : c_(context), values_(values), launch_(launch), arrays_(arrays) {}

  void emit(const ir::Inst& inst);
  // The value of one lane, for an operation on numbers, at the point where instructions are added.
  llvm::Value* at_lane(const ir::Inst& inst, unsigned lane);

 private:
  llvm::Value* compute(const ir::Inst& inst, const WidthPlan& plan,
                       llvm::ArrayRef<llvm::Value*> operands);
  llvm::Value* wrap_by_branch(const WidthPlan& plan, llvm::Value* index, llvm::Value* extent);
  llvm::Value* equal_to_shared(const ir::Inst& inst, const WidthPlan& plan);
  void emit_array_number(const ir::Inst& inst);
  bool divides_bases(const ir::Inst& inst) const;
  void emit_quotient(const ir::Inst& inst, const WidthPlan& plan);
  void emit_uniform_leaf(const ir::Inst& inst, ScalarKind kind, llvm::Value* value);

  EmitContext& c_;
  LaneValues& values_;
  LaunchValues& launch_;
  Arrays& arrays_;
};

}  // namespace cuda_device::codegen::host
