#include "analysis/range_state.h"

namespace cuda_device::analysis {
namespace {

Wide lower(Wide v, const Interval& all) {
  for (Wide bound : {Wide{0}, Wide{INT32_MIN}}) {
    if (v >= bound && all.holds(bound)) return bound;
  }
  return all.lo;
}

Wide higher(Wide v, const Interval& all) {
  for (Wide bound : {Wide{0}, Wide{INT32_MAX}}) {
    if (v <= bound && all.holds(bound)) return bound;
  }
  return all.hi;
}

}  // namespace

RangeState RangeStates::entry() {
  const size_t n = function_.slots.size();
  return {.reachable = true,
          .slots = std::vector<Interval>(n),
          .versions = std::vector<uint64_t>(n, 0),
          .refined = {}};
}

RangeState RangeStates::join(const RangeState& a, const RangeState& b) {
  if (!a.reachable) return b;
  if (!b.reachable) return a;
  RangeState r = a;
  for (size_t i = 0; i < r.slots.size(); ++i) {
    r.slots[i] = hull(a.slots[i], b.slots[i]);
    if (a.versions[i] != b.versions[i]) r.versions[i] = next_version_++;
  }
  for (auto it = r.refined.begin(); it != r.refined.end();) {
    const auto other = b.refined.find(it->first);
    if (other == b.refined.end()) {
      it = r.refined.erase(it);
    } else {
      it->second = hull(it->second, other->second);
      ++it;
    }
  }
  return r;
}

RangeState RangeStates::widen(const RangeState& old, const RangeState& grown) {
  RangeState r = grown;
  for (size_t i = 0; i < r.slots.size(); ++i) {
    if (!function_.slots[i].type.is_int()) continue;
    if (grown.slots[i].lo < old.slots[i].lo) r.slots[i].lo = lower(grown.slots[i].lo, all(i));
    if (grown.slots[i].hi > old.slots[i].hi) r.slots[i].hi = higher(grown.slots[i].hi, all(i));
  }
  // Only what still holds as it was: then each of them can be lost but once.
  std::erase_if(r.refined, [&](const auto& entry) {
    const auto before = old.refined.find(entry.first);
    return before == old.refined.end() || before->second != entry.second;
  });
  return r;
}

void RangeStates::forget(RangeState& s, const std::vector<bool>& slots) {
  for (size_t i = 0; i < s.slots.size(); ++i) {
    if (slots[i]) store(s, i, all(i));
  }
}

void RangeStates::store(RangeState& s, size_t slot, Interval value) {
  s.slots[slot] = value;
  s.versions[slot] = next_version_++;
}

void RangeStates::renew_versions(RangeState& s) {
  for (uint64_t& v : s.versions) v = next_version_++;
}

bool RangeStates::covers(const RangeState& big, const RangeState& small) {
  if (!small.reachable) return true;
  if (!big.reachable) return false;
  for (size_t i = 0; i < big.slots.size(); ++i) {
    if (!small.slots[i].within(big.slots[i])) return false;
  }
  for (const auto& [id, interval] : big.refined) {
    const auto other = small.refined.find(id);
    if (other == small.refined.end() || !other->second.within(interval)) return false;
  }
  return true;
}

}  // namespace cuda_device::analysis
