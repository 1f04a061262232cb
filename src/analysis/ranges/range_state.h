// What is known of slots and temporaries at one point of the program.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/ranges/interval.h"
#include "analysis/ranges/shared_table.h"
#include "analysis/slot_set.h"

namespace cuda_device::analysis {

struct KnownSlot {
  Interval interval;
  uint64_t version = 0;  // which store it holds: equal numbers mean the same value
};

struct RangeState {
  bool reachable = true;
  SharedTable<KnownSlot> slots;
  uint64_t renewal = 0;  // versions from before it was set say nothing
  // Temporaries known better here than where they were computed, by Inst::id.
  SharedTable<std::optional<Interval>> refined;
};

// What a load saw in its slot. It refines the slot only while that is what lies there.
struct SeenVersion {
  uint64_t version = 0;
  uint64_t renewal = 0;
  friend bool operator==(const SeenVersion&, const SeenVersion&) = default;
};

class RangeStates {
 public:
  explicit RangeStates(const ir::Function& f) : function_(f) {}

  RangeState entry();  // every slot is zero
  static RangeState unreachable() {
    RangeState s;
    s.reachable = false;
    return s;
  }
  RangeState join(const RangeState& a, const RangeState& b);
  // Joins, but a bound that moved jumps to the next of a few, so that loops come to an end.
  RangeState widen(const RangeState& old, const RangeState& grown);
  // The state `s`, but with all that either state says of these slots.
  RangeState with(const RangeState& s, const RangeState& other, const SlotSet& slots);
  // Drops what is known of these slots.
  void forget(RangeState& s, const SlotSet& slots);
  void store(RangeState& s, size_t slot, Interval value);
  // No load before this point may refine a slot after it.
  void renew_versions(RangeState& s) { s.renewal = next_version_++; }
  static SeenVersion seen(const RangeState& s, size_t slot) {
    return {s.slots[slot].version, s.renewal};
  }
  static bool covers(const RangeState& big, const RangeState& small);

 private:
  Interval all(size_t slot) const { return full(function_.slots[slot].type.scalar()); }
  const ir::Function& function_;
  uint64_t next_version_ = 1;
};

}  // namespace cuda_device::analysis
