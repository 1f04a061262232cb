#include "analysis/ranges/interval.h"

#include <algorithm>

namespace cuda_device::analysis {

Interval full(ScalarKind k) {
  const int bits = bits_of(k);
  if (is_bool(k)) return {0, 1};
  if (is_unsigned_int(k)) return {0, (Wide{1} << bits) - 1};
  return {-(Wide{1} << (bits - 1)), (Wide{1} << (bits - 1)) - 1};
}

Interval hull(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

std::optional<Interval> meet(Interval a, Interval b) {
  const Interval both{std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
  if (both.lo > both.hi) return std::nullopt;
  return both;
}

namespace {
Wide wrap_value(Wide v, ScalarKind k) {
  const Wide size = Wide{1} << bits_of(k);
  const Interval all = full(k);
  Wide rest = (v - all.lo) % size;
  if (rest < 0) rest += size;
  return all.lo + rest;
}
}  // namespace

Interval wrap(Interval a, ScalarKind k) {
  const Interval all = full(k);
  if (a.within(all)) return a;
  if (a.hi - a.lo >= (Wide{1} << bits_of(k))) return all;
  const Interval wrapped{wrap_value(a.lo, k), wrap_value(a.hi, k)};
  return wrapped.lo <= wrapped.hi ? wrapped : all;
}

std::optional<Interval> add(Interval a, Interval b) {
  Interval r;
  if (__builtin_add_overflow(a.lo, b.lo, &r.lo) || __builtin_add_overflow(a.hi, b.hi, &r.hi)) {
    return std::nullopt;
  }
  return r;
}

std::optional<Interval> subtract(Interval a, Interval b) {
  Interval r;
  if (__builtin_sub_overflow(a.lo, b.hi, &r.lo) || __builtin_sub_overflow(a.hi, b.lo, &r.hi)) {
    return std::nullopt;
  }
  return r;
}

std::optional<Interval> multiply(Interval a, Interval b) {
  Wide corners[4];
  if (__builtin_mul_overflow(a.lo, b.lo, &corners[0]) ||
      __builtin_mul_overflow(a.lo, b.hi, &corners[1]) ||
      __builtin_mul_overflow(a.hi, b.lo, &corners[2]) ||
      __builtin_mul_overflow(a.hi, b.hi, &corners[3])) {
    return std::nullopt;
  }
  const auto [lo, hi] = std::minmax_element(std::begin(corners), std::end(corners));
  return Interval{*lo, *hi};
}

Range to_range(Interval a) {
  Range r;
  r.unsigned_overflow = a.hi > INT64_MAX;
  r.lo = static_cast<int64_t>(std::min(a.lo, Wide{INT64_MAX}));
  r.hi = static_cast<int64_t>(std::min(a.hi, Wide{INT64_MAX}));
  return r;
}

Interval to_interval(Range r, ScalarKind k) {
  if (r.unsigned_overflow) return {r.lo, full(k).hi};
  return {r.lo, r.hi};
}

}  // namespace cuda_device::analysis
