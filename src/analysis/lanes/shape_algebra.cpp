#include "analysis/lanes/shape_algebra.h"

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

// The second step of an affine shape that goes up by s0 from lane to lane.
Step across(Step s0, uint32_t period, int bits) {
  return reduce(times(s0, {true, period}), true, bits);
}

// The same lanes with rows of `period`.
std::optional<Shape> in_rows_of(const Shape& a, uint32_t period, const LaneLayout& layout,
                                int bits) {
  if (a.period == period || !a.affine()) return a;
  if (a.period != 0) return std::nullopt;
  const bool one_row = layout.period >= layout.width;
  const bool known = a.s0.known && a.s1.known;
  if (!one_row && !(known && a.s1 == across(a.s0, layout.period, bits))) return std::nullopt;
  return Shape{Level::Affine, a.s0, across(a.s0, period, bits), period};
}

}  // namespace

Shape affine_shape(Step s0, Step s1, const LaneLayout& layout, ScalarKind k, uint32_t period) {
  const int bits = bits_of(k);
  Shape s{Level::Affine, s0, s1, period == layout.period ? 0 : period};
  const uint32_t row = s.period_in(layout);
  s.s0 = reduce(s0, row > 1, bits);
  s.s1 = reduce(s1, layout.width / row > 1, bits);
  if (s.s0 == Step{} && s.s1 == Step{}) return uniform_shape(Level::GangUniform);
  const bool goes_on = s.s0.known && s.s1.known && s.s1 == across(s.s0, row, bits);
  if (s.period == 0 || !goes_on) return s;
  return affine_shape(s.s0, across(s.s0, layout.period, bits), layout, k);
}

Level join(Level a, Level b) { return std::max(a, b); }

Shape join(const Shape& a, const Shape& b) {
  if (a.uniform() && b.uniform()) return uniform_shape(join(a.level, b.level));
  return a == b ? a : varying_shape();
}

Shape add(const Shape& a, const Shape& b, const LaneLayout& layout, ScalarKind k) {
  const Level level = join(a.level, b.level);
  if (level != Level::Affine) return uniform_shape(level);
  const uint32_t period = std::max(a.period, b.period);
  const auto x = in_rows_of(a, period, layout, bits_of(k));
  const auto y = in_rows_of(b, period, layout, bits_of(k));
  if (!x || !y) return varying_shape();
  return affine_shape(plus(x->s0, y->s0), plus(x->s1, y->s1), layout, k, period);
}

Shape scale(const Shape& a, Step factor, const LaneLayout& layout, ScalarKind k) {
  return affine_shape(times(a.s0, factor), times(a.s1, factor), layout, k, a.period);
}

std::optional<Interval> offsets(const Shape& a, const LaneLayout& layout) {
  if (!a.s0.known || !a.s1.known) return std::nullopt;
  const uint32_t period = a.period_in(layout);
  const int64_t columns = int64_t{period} - 1, rows = int64_t{layout.width / period} - 1;
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
