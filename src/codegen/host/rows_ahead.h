// Of loops in which each lane goes through a row of its own: the rows that the next gang goes
// through. Where those of this gang lie one behind the other, as a sparse matrix has them, the next
// gang's are behind the last lane's, and are asked for at the pace at which this gang reads.
#pragma once

#include <unordered_map>

#include "analysis/rows_in_turn.h"
#include "codegen/host/emit_context.h"

namespace cuda_device::codegen::host {

class RowsAhead {
 public:
  explicit RowsAhead(EmitContext& context);

  // Whether some load in it goes along rows.
  bool is_wanted(const ir::Inst& loop) const { return wanted_.contains(&loop); }
  // Before the first iteration, with where each lane starts and stops.
  void enter(const ir::Inst& loop, llvm::Value* starts, llvm::Value* stops);
  void next_iteration(const ir::Inst& loop);
  // int64: the number of the element, of those that the load's gang and the next ones read, that
  // this iteration asks for first. Null for other loads.
  llvm::Value* element(const ir::Inst& load);

 private:
  struct Ahead {
    llvm::AllocaInst* element;
    llvm::Value* step;  // 0 where rows lie elsewhere: what is asked for then is at hand
  };
  llvm::Value* lie_in_turn(llvm::Value* starts, llvm::Value* stops);

  EmitContext& c_;
  const std::vector<const ir::Inst*> loops_;  // by Inst::id of the load
  std::unordered_map<const ir::Inst*, Ahead> wanted_;
};

}  // namespace cuda_device::codegen::host
