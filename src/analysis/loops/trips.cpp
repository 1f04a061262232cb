#include "analysis/loops/trips.h"

#include <algorithm>

#include "analysis/tree.h"
#include "ir/machine.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {

using ir::Inst;
using ir::Op;

std::optional<TripBounds> trip_bounds(const Inst& loop, const std::vector<Interval>& values) {
  if (loop.op != Op::For) return std::nullopt;
  const Interval &start = values[loop.operands[0]->id], &stop = values[loop.operands[1]->id],
                 &step = values[loop.operands[2]->id];
  if (!stop.single() || !step.single()) return std::nullopt;
  const auto trips = [&](Wide from) {
    return ir::trip_count(loop.operands[0]->type.scalar(), static_cast<int64_t>(from),
                          static_cast<int64_t>(stop.lo), static_cast<int64_t>(step.lo));
  };
  const auto [least, most] = std::minmax({trips(start.lo), trips(start.hi)});
  return TripBounds{least, most};
}

std::optional<uint64_t> known_trips(const Inst& loop, const Analysis& a) {
  if (loop.op != Op::For) return std::nullopt;
  for (const Inst* bound : loop.operands) {
    const Range& range = a.range(*bound);
    if (range.lo != range.hi || range.unsigned_overflow) return std::nullopt;
  }
  const auto at = [&](size_t i) { return a.range(*loop.operands[i]).lo; };
  if (at(2) <= 0) return std::nullopt;
  return ir::trip_count(loop.operands[0]->type.scalar(), at(0), at(1), at(2));
}

std::optional<uint64_t> unrolled_size(const Inst& loop, const Analysis& a, uint64_t most) {
  const auto of = [&](const ir::Block& block, const auto& self) -> std::optional<uint64_t> {
    uint64_t sum = 0;
    for (const Inst* inst : block.insts) {
      uint64_t inside = 1;
      if (inst->op == Op::While) return std::nullopt;
      if (inst->op == Op::For) {
        const auto loop_inside = unrolled_size(*inst, a, most);
        if (!loop_inside) return std::nullopt;
        inside = *loop_inside;
      } else {
        for (const ir::Block& region : inst->regions) {
          const auto part = self(region, self);
          if (!part) return std::nullopt;
          inside += *part;
        }
      }
      sum += inside;
    }
    return sum;
  };
  const auto trips = known_trips(loop, a);
  const auto body = of(loop.regions[0], of);
  if (!trips || !body || *trips > most || *trips * *body > most) return std::nullopt;
  return *trips * *body;
}

bool counts_in_step(const Inst& loop, const Analysis& a) {
  const Shape& start = a.shape(*loop.operands[0]);
  const bool side_by_side =
      start.affine() && start.s0 == Step{true, 1} && start.period_in(a.layout) == a.layout.width;
  const auto shared = [&](size_t i) { return a.shape(*loop.operands[i]).uniform(); };
  return side_by_side && shared(1) && shared(2) && a.range(*loop.operands[2]).lo > 0;
}

// A mask carried from one iteration to the next costs more than its arithmetic: with it, fewer
// iterations, and fewer of their loads, are on their way at once.
bool has_full_iterations(const Inst& loop, const Analysis& a) {
  constexpr size_t kMostInstructions = 64;  // of a body, that there will be twice
  const ir::Block& body = loop.regions[0];
  return a.tuning.on(Heuristic::full_iterations) && counts_in_step(loop, a) &&
         ir::count_insts(body) <= kMostInstructions && !ir::any_inst(body, is_loop);
}

}  // namespace cuda_device::analysis
