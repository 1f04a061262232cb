// What the next gang reads in a loop, asked for at the pace at which this gang reads. Where each
// lane goes through a row of its own and those of this gang lie one behind the other, as a sparse
// matrix has them, the next gang's rows are behind the last lane's. Where lanes go side by side in
// strides, the next gang reads beside this one each time.
#pragma once

#include <unordered_map>

#include "analysis/next_gang.h"
#include "codegen/host/control/counter.h"

namespace cuda_device::codegen::host {

class GangAhead {
 public:
  explicit GangAhead(EmitContext& context);

  // Before the first iteration.
  void enter(const ir::Inst& loop, Counter& counter);
  void next_iteration(const ir::Inst& loop);
  // int64, from where the load reads: the element that this iteration asks for first, of those that
  // the load's gang and the next ones read. Null for other loads.
  llvm::Value* element(const ir::Inst& load);

 private:
  struct Ahead {
    llvm::AllocaInst* element = nullptr;
    llvm::Value* step = nullptr;  // from one iteration to the next
    uint64_t lane_bytes = 0;      // that a lane reads in an iteration
  };
  llvm::Value* lie_in_turn(llvm::Value* starts, llvm::Value* stops);
  void enter_rows(const ir::Inst& loop, Counter& counter, Ahead& ahead);
  void enter_strides(const ir::Inst& loop, Counter& counter, Ahead& ahead);

  EmitContext& c_;
  const std::vector<const ir::Inst*> loops_;  // by Inst::id of the load
  std::unordered_map<const ir::Inst*, Ahead> wanted_;
};

}  // namespace cuda_device::codegen::host
