// Which slots may still be read, before any store, from the points where lanes that went different
// ways meet again.
#pragma once

#include <span>
#include <vector>

#include "ir/ir.h"

namespace cuda_device::analysis {

using SlotSet = std::vector<bool>;

struct Liveness {
  SlotSet entry;  // at the start of the kernel: the zero of a slot never stored may be seen
  // By Inst::id of control instructions; empty elsewhere.
  std::vector<SlotSet> after;       // behind the instruction
  std::vector<SlotSet> else_entry;  // at the start of the else region (if, while, for)
  std::vector<SlotSet> head;        // where an iteration begins (while, for)
};

Liveness liveness(const ir::Function& f);

// Live before these instructions, of which none jumps further than to behind the last, when
// `behind` are live there.
SlotSet live_before(const ir::Function& f, std::span<ir::Inst* const> insts, SlotSet behind);

}  // namespace cuda_device::analysis
