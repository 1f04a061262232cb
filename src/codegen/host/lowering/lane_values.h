// The table of emitted values, and how an operand is read: of one lane as a scalar, of all lanes as
// a vector, in the width that an operation needs.
#pragma once

#include <vector>

#include "codegen/host/emit_context.h"

namespace cuda_device::codegen::host {

class LaneValues {
 public:
  explicit LaneValues(EmitContext& context)
      : c_(context), table_(context.source.function.inst_count()) {}
  // Begins with the values that are defined outside.
  LaneValues(EmitContext& context, const LaneValues& outside)
      : c_(context), table_(outside.table_) {}

  const Lanes& of(const ir::Inst& inst) const { return table_[inst.id]; }
  // How the value of this instruction is held: its own type, or I32 for a narrowed 64-bit integer.
  ScalarKind held_kind(const ir::Inst& inst) const;

  void define(const ir::Inst& inst, Lanes lanes);
  void define_uniform(const ir::Inst& inst, ScalarKind held, llvm::Value* value);
  void define_vector(const ir::Inst& inst, ScalarKind held, llvm::Value* value);
  void define_affine(const ir::Inst& inst, ScalarKind held, llvm::Value* base, llvm::Value* s0,
                     llvm::Value* s1, unsigned period);

  // `want`: the operand's type, or the other width of a 64-bit integer.
  llvm::Value* scalar(const ir::Inst& operand, ScalarKind want, unsigned lane = 0);
  llvm::Value* vector(const ir::Inst& operand, ScalarKind want);
  llvm::Value* vector(Lanes& lanes);  // in the width it is held in
  llvm::Value* at(const Lanes& lanes, unsigned lane);
  llvm::Value* resize(llvm::Value* value, ScalarKind held, ScalarKind want);

  // What an affine integer of constant steps adds to its base in each lane; else null.
  llvm::Constant* constant_steps(const Lanes& lanes);

  // An affine value with rows of `period`, where its lanes go on from row to row as within them;
  // else as it is.
  Lanes in_rows_of(Lanes lanes, unsigned period);

  // The vectors lane % period and lane / period.
  llvm::Constant* column(ScalarKind kind, unsigned period) const;
  llvm::Constant* row(ScalarKind kind, unsigned period) const;
  llvm::Constant* lane_numbers(ScalarKind kind) const { return sequence(kind, 1, c_.width()); }
  Anchor here() const;

 private:
  llvm::Constant* sequence(ScalarKind kind, unsigned divide, unsigned modulo) const;
  llvm::Value* scaled(llvm::Constant* sequence, llvm::Value* step);

  EmitContext& c_;
  std::vector<Lanes> table_;
};

}  // namespace cuda_device::codegen::host
