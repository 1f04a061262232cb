// The positions of a gang's lanes in their block: the layout that the analysis chose, as values.
#pragma once

#include "codegen/host/lowering/pure_ops.h"

namespace cuda_device::codegen::host {

class Position {
 public:
  Position(EmitContext& context, LaneValues& values, LaunchValues& launch)
      : c_(context), values_(values), launch_(launch) {}

  void enter_block(llvm::Value* x, llvm::Value* y, llvm::Value* z) { block_ = {x, y, z}; }
  // Gangs that cover a block, uint32.
  llvm::Value* gang_count();
  // Sets the gang that follows, and gives the lanes that have a thread.
  Mask enter_gang(llvm::Value* gang);

  void emit(const ir::Inst& inst);  // ThreadIdx to LaneId
  // The position of the block, then of the thread in this lane of the gang, uint32.
  std::array<llvm::Value*, 6> of_lane(llvm::Value* lane);

 private:
  Mask enter_linear(llvm::Value* gang);
  Mask enter_rows(llvm::Value* gang);
  Mask enter_row_pieces(llvm::Value* gang);
  llvm::Value* thread(unsigned axis, llvm::Value* column, llvm::Value* row);
  llvm::Value* thread_at(unsigned axis, unsigned lane);
  llvm::Value* thread_vector(unsigned axis);
  llvm::Value* split_linear(unsigned axis, llvm::Value* linear);
  llvm::Value* like(llvm::Value* sample, llvm::Value* scalar);
  bool one_row_of_threads() const;
  const analysis::LaneLayout& layout() const { return c_.analysis().layout; }
  const LaunchFacts& facts() const { return c_.source.function.launch; }

  EmitContext& c_;
  LaneValues& values_;
  LaunchValues& launch_;
  std::array<llvm::Value*, 3> block_{};
  // Linear: [0] is the number of lane 0's thread in the block. Rows: the index of lane 0's thread.
  std::array<llvm::Value*, 3> base_{};
};

}  // namespace cuda_device::codegen::host
