// Variables that a loop hands on from one iteration to the next.
#pragma once

#include <functional>
#include <vector>

#include "analysis/tree.h"
#include "ir/ir.h"

namespace cuda_device::analysis {

// By slot.
struct CarriedSlots {
  // An iteration may read what the one before it has left, or what was there before the loop.
  std::vector<bool> carried;
  // Every path from the beginning of an iteration to that of the next one has a store that counts.
  // Those are none on which a variable that the loop's condition asks says that it ends
  // (`while not done`).
  std::vector<bool> always_stored;
};

CarriedSlots carried_slots(const ir::Function& f, const Tree& tree, const ir::Inst& loop,
                           const std::function<bool(const ir::Inst& store)>& counts);

}  // namespace cuda_device::analysis
