// Control at block level in which threads may diverge.
#pragma once

#include <vector>

#include "analysis/blocks/block_level.h"
#include "analysis/lanes/divergence.h"

namespace cuda_device::analysis {

class DivergentControl {
 public:
  DivergentControl(const ir::Function& f, const BlockLevel& level);

  bool any() const { return any_; }
  bool operator[](const ir::Inst& i) const { return divergent_[i.id]; }

 private:
  bool may_diverge(const ir::Block& b) const;
  void enter(const ir::Block& b, bool in_divergent);
  bool stays_convergent(const ir::Inst& i) const;
  bool holds_jump(const ir::Inst& i) const;

  const BlockLevel& level_;
  std::vector<bool> divergent_;  // by Inst::id
  Tree tree_;
  Divergence divergence_;
  bool any_ = false;
};

}  // namespace cuda_device::analysis
