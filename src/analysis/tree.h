// Where an instruction stands, and where a jump goes.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace cuda_device::analysis {

struct TreePosition {
  const ir::Inst* parent = nullptr;  // null: the body of the kernel
  size_t region = 0;
};

// Region 0 of an if, and so on. A while's condition belongs to its iterations.
bool in_iteration(const TreePosition& p);  // of the loop p.parent; false for its else region
bool is_loop(const ir::Inst& i);

class Tree {
 public:
  explicit Tree(const ir::Function& f);
  const TreePosition& position(const ir::Inst& i) const { return positions_[i.id]; }
  // The loop or scope that a break, continue or leave goes to; null for return.
  const ir::Inst* target(const ir::Inst& jump) const;
  const std::vector<const ir::Inst*>& jumps() const { return jumps_; }

 private:
  void enter(const ir::Block& b, TreePosition position);
  std::vector<TreePosition> positions_;
  std::vector<const ir::Inst*> jumps_;
};

}  // namespace cuda_device::analysis
