// How threads are dealt to lanes. Linear order makes thread_idx.x affine only where a gang stays in
// one row of the block; Rows gets the same for short or odd rows, for the price of idle lanes.
#include "analysis/analysis.h"
#include "ir/effects.h"

namespace cuda_device::analysis {
namespace {

uint32_t divide_up(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

LaneLayout rows(const std::array<uint32_t, 3>& block, uint32_t width) {
  const auto [x, y, z] = block;
  LaneLayout l{.kind = LaneLayout::Kind::Rows, .width = width, .period = width};
  if (x > width) {
    l.gangs = divide_up(x, width) * y * z;
    return l;
  }
  l.period = x;
  l.rows_per_gang = width / x;
  l.gangs = divide_up(y, l.rows_per_gang) * z;
  return l;
}

}  // namespace

LaneLayout choose_layout(const ir::Function& f, uint32_t width, const Tuning& tuning) {
  const bool warps = ir::uses_warps(f);
  if (warps) width = kWarpWidth;
  LaneLayout linear{.width = width, .period = width};
  if (!f.launch.has_block()) return linear;
  const auto& block = f.launch.block;
  linear.gangs = divide_up(block[0] * block[1] * block[2], width);
  const bool one_row = block[1] == 1 && block[2] == 1;
  if (one_row || block[0] % width == 0 || warps) return linear;
  if (!tuning.on(Heuristic::lanes_follow_rows)) return linear;
  // Up to half as many gangs again are cheaper than a gather for every access.
  const LaneLayout by_rows = rows(block, width);
  return by_rows.gangs * 2 <= linear.gangs * 3 ? by_rows : linear;
}

}  // namespace cuda_device::analysis
