#include "analysis/trips.h"

#include <algorithm>

namespace cuda_device::analysis {

using ir::Inst;
using ir::Op;

std::optional<uint64_t> known_trips(const Inst& loop, const Analysis& a) {
  if (loop.op != Op::For) return std::nullopt;
  const Range &start = a.range(*loop.operands[0]), &stop = a.range(*loop.operands[1]),
              &step = a.range(*loop.operands[2]);
  for (const Range* r : {&start, &stop, &step})
    if (r->lo != r->hi || r->unsigned_overflow) return std::nullopt;
  if (step.lo <= 0) return std::nullopt;
  if (stop.lo <= start.lo) return 0;
  const uint64_t distance = static_cast<uint64_t>(stop.lo) - static_cast<uint64_t>(start.lo);
  return (distance - 1) / static_cast<uint64_t>(step.lo) + 1;
}

std::optional<uint64_t> written_out(const Inst& loop, const Analysis& a, uint64_t most) {
  const auto of = [&](const ir::Block& block, const auto& self) -> std::optional<uint64_t> {
    uint64_t sum = 0;
    for (const Inst* inst : block.insts) {
      uint64_t inside = 1;
      if (inst->op == Op::While) return std::nullopt;
      if (inst->op == Op::For) {
        const auto loop_inside = written_out(*inst, a, most);
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

}  // namespace cuda_device::analysis
