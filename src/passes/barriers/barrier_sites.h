// Where threads of a block may stand while others run: at barriers, and where they decide for
// themselves whether to go on in a loop, or on which side of an if.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/blocks/block_level.h"
#include "ir/clone.h"
#include "ir/ir.h"

namespace cuda_device::passes {

// Numbers them in the order of the program, from 1: those in a region are a range.
class BarrierSites {
 public:
  struct Range {
    int first, last;  // inclusive
    bool empty() const { return last < first; }
  };
  using Decisions = std::unordered_set<const ir::Inst*>;

  BarrierSites(const ir::Function& f, const analysis::BlockLevel& level, const Decisions& decisions)
      : level_(level), decisions_(decisions) {
    block(f.body);
  }

  bool has(const ir::Inst& i) const { return numbers_.contains(&i); }
  int operator[](const ir::Inst& i) const { return numbers_.at(&i); }
  Range in(const ir::Inst& control, size_t region) const { return ranges_.at(&control)[region]; }
  // The loop or its iterations hold a decision.
  bool decided_inside(const ir::Inst& control) const;
  // Copies have the numbers of what they are copies of.
  void add_copies(const ir::Copies& copies);

 private:
  Range block(const ir::Block& b);
  void enter(const ir::Inst& i);

  const analysis::BlockLevel& level_;
  const Decisions& decisions_;
  int last_ = 0;
  std::unordered_map<const ir::Inst*, int> numbers_;
  std::unordered_map<const ir::Inst*, std::vector<Range>> ranges_;  // by region
};

}  // namespace cuda_device::passes
