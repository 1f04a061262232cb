#include "analysis/shape_algebra.h"

#include <algorithm>

namespace cuda_device::analysis {
namespace {

int64_t reduce(int64_t v, int bits) {
  const int unused = 64 - bits;
  return static_cast<int64_t>(static_cast<uint64_t>(v) << unused) >> unused;
}

Step reduce(Step s, bool seen, int bits) {
  if (!seen) return {};
  return {s.known, s.known ? reduce(s.value, bits) : 0};
}

int64_t wrapping(int64_t (*f)(uint64_t, uint64_t), int64_t a, int64_t b) {
  return f(static_cast<uint64_t>(a), static_cast<uint64_t>(b));
}

Step plus(Step a, Step b) {
  if (!a.known || !b.known) return {.known = false};
  return {true, wrapping([](uint64_t x, uint64_t y) { return static_cast<int64_t>(x + y); },
                         a.value, b.value)};
}

Step times(Step a, Step b) {
  if (a == Step{} || b == Step{}) return {};
  if (!a.known || !b.known) return {.known = false};
  return {true, wrapping([](uint64_t x, uint64_t y) { return static_cast<int64_t>(x * y); },
                         a.value, b.value)};
}

Interval reach(Step s, int64_t last) {
  const Wide end = Wide{s.value} * last;
  return {std::min(end, Wide{0}), std::max(end, Wide{0})};
}

}  // namespace

Shape affine_shape(Step s0, Step s1, const LaneLayout& layout, ScalarKind k) {
  const int bits = bits_of(k);
  const Shape s{Level::Affine, reduce(s0, layout.period > 1, bits),
                reduce(s1, layout.width / layout.period > 1, bits)};
  return s.s0 == Step{} && s.s1 == Step{} ? uniform_shape(Level::GangUniform) : s;
}

Level join(Level a, Level b) { return std::max(a, b); }

Shape join(const Shape& a, const Shape& b) {
  if (a.uniform() && b.uniform()) return uniform_shape(join(a.level, b.level));
  return a == b ? a : varying_shape();
}

Shape add(const Shape& a, const Shape& b, const LaneLayout& layout, ScalarKind k) {
  const Level level = join(a.level, b.level);
  if (level != Level::Affine) return uniform_shape(level);
  return affine_shape(plus(a.s0, b.s0), plus(a.s1, b.s1), layout, k);
}

Shape scale(const Shape& a, Step factor, const LaneLayout& layout, ScalarKind k) {
  return affine_shape(times(a.s0, factor), times(a.s1, factor), layout, k);
}

std::optional<Interval> offsets(const Shape& a, const LaneLayout& layout) {
  if (!a.s0.known || !a.s1.known) return std::nullopt;
  const int64_t columns = int64_t{layout.period} - 1,
                rows = int64_t{layout.width / layout.period} - 1;
  const Interval x = reach(a.s0, columns), y = reach(a.s1, rows);
  return Interval{x.lo + y.lo, x.hi + y.hi};
}

bool extends(const Shape& a, Interval range, const LaneLayout& layout, int bits) {
  const auto offset = offsets(a, layout);
  if (!offset) return false;
  const Interval base{range.lo - offset->hi, range.hi - offset->lo};
  const Wide half = Wide{1} << (bits - 1);
  return hull(base, range).within({-half, half - 1});
}

}  // namespace cuda_device::analysis
