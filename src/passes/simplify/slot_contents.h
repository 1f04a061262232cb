// What lies in the slots at one point of a walk through the program. Changes are noted, so that
// leaving a region costs what the region did, not a copy of the table.
#pragma once

#include <vector>

#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::passes {

class SlotContents {
 public:
  explicit SlotContents(size_t slots) : known_(slots) {}

  size_t size() const { return known_.size(); }
  ir::Inst* of(size_t slot) const { return known_[slot]; }  // null: not known
  void loaded(size_t slot, ir::Inst* load) { change(slot, load, false); }
  void stored(size_t slot, ir::Inst* value) { change(slot, value, true); }
  void forget(size_t slot) {
    if (slot < size() && known_[slot]) stored(slot, nullptr);
  }
  // Whatever the instruction and its regions store to.
  void forget_stored(const ir::Inst& inst) {
    const auto forget_of = [&](const ir::Inst& i) {
      if (ir::sets_slot(i.op)) forget(static_cast<size_t>(i.imm));
    };
    forget_of(inst);
    ir::for_each_inside(inst, forget_of);
  }

  size_t mark() const { return changes_.size(); }
  // Back to how it was at the mark. Adds the slots that were stored to since.
  void undo(size_t mark, std::vector<size_t>& stored) {
    for (; changes_.size() > mark; changes_.pop_back()) {
      const Change& last = changes_.back();
      known_[last.slot] = last.before;
      if (last.stored) stored.push_back(last.slot);
    }
  }

 private:
  struct Change {
    size_t slot;
    ir::Inst* before;
    bool stored;
  };
  void change(size_t slot, ir::Inst* value, bool stored) {
    changes_.push_back({slot, known_[slot], stored});
    known_[slot] = value;
  }

  std::vector<ir::Inst*> known_;
  std::vector<Change> changes_;
};

}  // namespace cuda_device::passes
