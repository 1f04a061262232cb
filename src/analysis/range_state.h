// What is known of slots and temporaries at one point of the program.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/interval.h"

namespace cuda_device::analysis {

struct RangeState {
  bool reachable = true;
  std::vector<Interval> slots;
  // Which store a slot holds: equal numbers mean the same value. A load refines its slot only while
  // the number is the one it saw.
  std::vector<uint64_t> versions;
  // Temporaries known better here than where they were computed, by Inst::id.
  std::map<uint32_t, Interval> refined;
};

class RangeStates {
 public:
  explicit RangeStates(const ir::Function& f) : function_(f) {}

  RangeState entry();  // every slot is zero
  static RangeState unreachable() {
    return {.reachable = false, .slots = {}, .versions = {}, .refined = {}};
  }
  RangeState join(const RangeState& a, const RangeState& b);
  // As join, but a bound that moved jumps to the next of a few, so that loops come to an end.
  RangeState widen(const RangeState& old, const RangeState& grown);
  // Nothing known of these slots.
  void forget(RangeState& s, const std::vector<bool>& slots);
  void store(RangeState& s, size_t slot, Interval value);
  // No load before this point may refine a slot behind it.
  void renew_versions(RangeState& s);
  static bool covers(const RangeState& big, const RangeState& small);

 private:
  Interval all(size_t slot) const { return full(function_.slots[slot].type.scalar); }
  const ir::Function& function_;
  uint64_t next_version_ = 1;
};

}  // namespace cuda_device::analysis
