// Block level: instructions that the threads of a block carry out as one, because a barrier depends
// on them, and the regions between, which every thread runs to the end before any thread goes on.
#pragma once

#include <span>
#include <vector>

#include "analysis/tree.h"
#include "ir/ir.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {

// Barriers are at block level, and so is control that holds one or a jump to such control (at a
// break out of a loop with a barrier, threads diverge from those that wait there), with those
// jumps. Where a condition of such control may differ by thread,
// passes/barriers/predicate_barrier_regions.h has made it one of the block. A return is at block
// level only where all threads come to it.
class BlockLevel {
 public:
  explicit BlockLevel(const ir::Function& f);
  bool has_barrier() const { return has_barrier_; }
  bool contains(const ir::Inst& i) const { return contained_[i.id]; }

 private:
  void raise_around(const ir::Inst& i, const ir::Inst* outermost);

  Tree tree_;
  std::vector<bool> contained_;  // by Inst::id
  bool has_barrier_ = false;
};

// Instructions [first, last) of a block at block level.
struct Region {
  const ir::Block* block = nullptr;
  size_t first = 0;
  size_t last = 0;
  bool empty() const { return first == last; }
  std::span<ir::Inst* const> insts() const {
    return std::span(block->insts).subspan(first, last - first);
  }
};

// Calls region(Region) and inst(const Inst&) of each instruction at block level, in order. A yield
// belongs to its loop and is left out.
template <class OnRegion, class OnInst>
void for_each_part(const ir::Block& block, const BlockLevel& level, OnRegion&& region,
                   OnInst&& inst) {
  const std::vector<ir::Inst*>& insts = block.insts;
  Region current{&block, 0, 0};
  for (; current.last < insts.size(); ++current.last) {
    const ir::Inst& i = *insts[current.last];
    if (!level.contains(i) && i.op != ir::Op::Yield) continue;
    if (!current.empty()) region(current);
    if (i.op != ir::Op::Yield) inst(i);
    current.first = current.last + 1;
  }
  if (!current.empty()) region(current);
}

// Calls f(instruction, number of the one of Region::insts() that it is, or that holds it).
template <class F>
void for_each_inst(const Region& region, F&& f) {
  for (uint32_t at = 0; at < region.insts().size(); ++at) {
    f(*region.insts()[at], at);
    ir::for_each_inside(*region.insts()[at], [&](const ir::Inst& i) { f(i, at); });
  }
}

}  // namespace cuda_device::analysis
