#include "analysis/ranges/range_state.h"

namespace cuda_device::analysis {
namespace {

using Slots = SharedTable<KnownSlot>;
using Refined = SharedTable<std::optional<Interval>>;

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
  RangeState s;
  s.slots = Slots(function_.slots.size());
  s.refined = Refined(function_.inst_count());
  return s;
}

RangeState RangeStates::join(const RangeState& a, const RangeState& b) {
  if (!a.reachable) return b;
  if (!b.reachable) return a;
  RangeState r = a;
  if (a.renewal != b.renewal) renew_versions(r);
  Slots::for_each_difference(
      a.slots, b.slots, [&](size_t i, const KnownSlot& x, const KnownSlot& y) {
        const bool same = x.version == y.version;
        if (same && x.interval == y.interval) return;
        r.slots.set(i, {hull(x.interval, y.interval), same ? x.version : next_version_++});
      });
  Refined::for_each_difference(
      a.refined, b.refined,
      [&](size_t id, const std::optional<Interval>& x, const std::optional<Interval>& y) {
        if (x && x != y) r.refined.set(id, y ? std::optional(hull(*x, *y)) : std::nullopt);
      });
  return r;
}

RangeState RangeStates::widen(const RangeState& old, const RangeState& grown) {
  RangeState r = grown;
  Slots::for_each_difference(old.slots, grown.slots,
                             [&](size_t i, const KnownSlot& x, const KnownSlot& y) {
                               if (i >= function_.slots.size() || !function_.slots[i].type.is_int())
                                 return;
                               KnownSlot wide = y;
                               if (y.interval.lo < x.interval.lo)
                                 wide.interval.lo = lower(y.interval.lo, all(i));
                               if (y.interval.hi > x.interval.hi)
                                 wide.interval.hi = higher(y.interval.hi, all(i));
                               if (wide.interval != y.interval) r.slots.set(i, wide);
                             });
  // Keeps only facts that hold unchanged, so that each of them can be lost but once.
  Refined::for_each_difference(
      old.refined, grown.refined,
      [&](size_t id, const std::optional<Interval>& x, const std::optional<Interval>& y) {
        if (y && x != y) r.refined.set(id, std::nullopt);
      });
  return r;
}

RangeState RangeStates::with(const RangeState& s, const RangeState& other, const SlotSet& slots) {
  RangeState r = s;
  slots.for_each([&](size_t slot) {
    store(r, slot, hull(s.slots[slot].interval, other.slots[slot].interval));
  });
  return r;
}

void RangeStates::forget(RangeState& s, const SlotSet& slots) {
  slots.for_each([&](size_t slot) { store(s, slot, all(slot)); });
}

void RangeStates::store(RangeState& s, size_t slot, Interval value) {
  s.slots.set(slot, {value, next_version_++});
}

bool RangeStates::covers(const RangeState& big, const RangeState& small) {
  if (!small.reachable) return true;
  if (!big.reachable) return false;
  bool covers = true;
  Slots::for_each_difference(big.slots, small.slots,
                             [&](size_t, const KnownSlot& x, const KnownSlot& y) {
                               covers = covers && y.interval.within(x.interval);
                             });
  Refined::for_each_difference(
      big.refined, small.refined,
      [&](size_t, const std::optional<Interval>& x, const std::optional<Interval>& y) {
        covers = covers && (!x || (y && y->within(*x)));
      });
  return covers;
}

}  // namespace cuda_device::analysis
