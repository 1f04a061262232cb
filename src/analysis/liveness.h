// Liveness of slots (read before any store) at the points where divergent paths join.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "analysis/slot_set.h"
#include "ir/ir.h"

namespace cuda_device::analysis {

struct Liveness {
  SlotSet entry;  // at the start of the kernel: the zero of a slot never stored may be seen
  // Sets by Inst::id of control instructions; empty elsewhere.
  std::vector<SlotSet> after;       // after the instruction
  std::vector<SlotSet> else_entry;  // at the start of the else region (if, while, for)
  std::vector<SlotSet> head;        // where an iteration begins (while, for)
};

Liveness liveness(const ir::Function& f);

// Liveness before many ranges of instructions, of which none lies in another or jumps further than
// to after its last.
class RangeLiveness {
 public:
  explicit RangeLiveness(const ir::Function& f);
  ~RangeLiveness();

  // Live before these instructions, when `live_after` are live after them.
  SlotSet before(std::span<ir::Inst* const> insts, SlotSet live_after);

 private:
  class Walk;
  friend Liveness liveness(const ir::Function& f);
  std::unique_ptr<Walk> walk_;
};

}  // namespace cuda_device::analysis
