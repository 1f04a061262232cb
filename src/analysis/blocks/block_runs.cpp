#include "analysis/blocks/block_runs.h"

#include <algorithm>

#include "analysis/loops/trips.h"
#include "analysis/tree.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;

// Threads along x of a run. Much longer ones read their rows one after the other, rather than
// several streams of memory at once.
constexpr uint32_t kThreadsOfRun = 256;

bool touches_arrays(const Inst& i) {
  const auto access = ir::access_of(i);
  return access && (!access->array || access->array->type.space == ir::AddressSpace::Global);
}

bool goes_through_memory(const Inst& loop, const Analysis& a) {
  return is_loop(loop) && !unrolled_size(loop, a, kMostUnrolled) &&
         ir::any_inside(loop, touches_arrays);
}

bool threads_work_alone(const ir::Function& f, const Analysis& a) {
  return !ir::any_inst(f.body, [&](const Inst& i) {
    const bool shared = i.type.is_array() && i.type.space == ir::AddressSpace::Shared;
    return ir::depends_on_threads(i) || shared || goes_through_memory(i, a);
  });
}

}  // namespace

BlockRuns block_runs(const ir::Function& f, const Analysis& a) {
  if (!a.tuning.on(Heuristic::block_runs)) return {};
  if (!f.launch.has_block() || a.layout.gangs < 2) return {};
  const uint32_t threads = f.launch.block[0];
  const uint32_t line = std::max(1U, (threads + a.layout.width - 1) / a.layout.width);
  BlockRuns runs{std::max(1U, kThreadsOfRun / threads), line, a.layout.gangs / line};
  if (runs.blocks == 1 || runs.lines < 2 || a.layout.gangs % line != 0) return {};
  return threads_work_alone(f, a) ? runs : BlockRuns{};
}

}  // namespace cuda_device::analysis
