// The code of prefetches: analysis/memory/prefetch.h says which loads have some.
#pragma once

#include <unordered_map>

#include "analysis/memory/prefetch.h"
#include "codegen/host/control/counter.h"
#include "codegen/host/memory/addresses.h"

namespace cuda_device::codegen::host {

class Prefetcher {
 public:
  Prefetcher(EmitContext& context, Arrays& arrays);

  // For the next gang: before the first iteration of a loop, and at the beginning of each.
  void enter(const ir::Inst& loop, Counter& counter);
  void next_iteration(const ir::Inst& loop);

  // Those of a load that its address allows.
  std::vector<analysis::Prefetch> prefetches(const ir::Inst& load, const Address& address) const;
  static std::string_view describe(const analysis::Prefetch& prefetch);
  void emit(const ir::Inst& load, const analysis::Prefetch& prefetch, const Address& address);

 private:
  // What the next gang reads, prefetched at the pace at which this gang reads. Where each lane goes
  // through a row of its own and those of this gang lie one after the other, as a sparse matrix has
  // them, the next gang's rows are after the last lane's. Where lanes go side by side in strides,
  // the next gang reads beside this one each time.
  struct Ahead {
    bool rows = false;
    // int64, from where a load reads: the element that this iteration prefetches first, of those
    // that the load's gang and the next ones read.
    llvm::AllocaInst* element = nullptr;
    llvm::Value* step = nullptr;  // from one iteration to the next
    uint64_t lane_bytes = 0;      // that a lane reads in an iteration
  };

  llvm::Value* lie_in_turn(llvm::Value* starts, llvm::Value* stops);
  void enter_rows(const ir::Inst& loop, Counter& counter, Ahead& ahead);
  void enter_strides(const ir::Inst& loop, Counter& counter, Ahead& ahead);
  void rows(const Address& address, llvm::Value* away, bool to_the_last);
  llvm::Value* stride(const ir::Inst& load, size_t axis) {
    return arrays_.stride(*load.operands[0], static_cast<unsigned>(axis));
  }
  llvm::Value* distance(const ir::Inst& load, const std::vector<int64_t>& strides);

  EmitContext& c_;
  Arrays& arrays_;
  const std::unique_ptr<MemoryForm> memory_;
  const std::vector<std::vector<analysis::Prefetch>> by_load_;  // by Inst::id
  std::unordered_map<const ir::Inst*, Ahead> ahead_;            // by loop
};

}  // namespace cuda_device::codegen::host
