#include "codegen/host/machine/gang_width.h"

#include <algorithm>

#include "analysis/prefetch.h"
#include "analysis/tree.h"
#include "analysis/trips.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::codegen::host {
namespace {

using analysis::Analysis;
using analysis::is_loop;
using ir::Inst;
using ir::Op;

constexpr uint32_t kVectorsInFlight = 4;

bool touches_memory(const Inst& loop) {
  bool touches = false;
  for (const ir::Block& region : loop.regions)
    ir::for_each_inst(region,
                      [&](const Inst& i) { touches = touches || ir::access_of(i).has_value(); });
  return touches;
}

bool has_exposed_loop(const ir::Function& f, const Analysis& warp) {
  bool exposed = false, memory = false;
  ir::for_each_inst(f.body, [&](const Inst& inst) {
    if (!is_loop(inst) || !warp.divergent[inst.id]) return;
    exposed = true;
    memory = memory || touches_memory(inst);
  });
  return exposed && !memory;
}

// Of the lanes' values; what all lanes share takes no vector.
int widest_lane_bits(const ir::Function& f, const Analysis& warp) {
  int bits = 32;
  ir::for_each_inst(f.body, [&](const Inst& inst) {
    if (!inst.type.is_scalar() || warp.shape(inst).uniform() || warp.narrow(inst)) return;
    bits = std::max(bits, inst.type.bits());
  });
  return bits;
}

bool is_innermost(const Inst& loop) {
  bool inner = true;
  for (const ir::Block& region : loop.regions)
    ir::for_each_inst(region, [&](const Inst& i) { inner = inner && !is_loop(i); });
  return inner;
}

// By slot: what an iteration reads from the one before, one a lane.
std::vector<bool> sums_of(const ir::Function& f, const Analysis& warp, const Inst& loop) {
  std::vector<bool> read(f.slots.size()), written(f.slots.size());
  for (const ir::Block& region : loop.regions)
    ir::for_each_inst(region, [&](const Inst& i) {
      if (i.op == Op::SlotLoad) read[static_cast<size_t>(i.imm)] = true;
      if (i.op == Op::SlotStore) written[static_cast<size_t>(i.imm)] = true;
    });
  for (size_t slot = 0; slot < read.size(); ++slot)
    read[slot] =
        read[slot] && written[slot] && warp.slot_shapes[slot].level == analysis::Level::Varying;
  return read;
}

// What lanes have in common of a load: one element for each row of them, one row for all rows, or
// both, one element for all.
struct Common {
  bool in_row = false, in_column = false;
};

Common common_of(const Inst& load, const Analysis& warp) {
  Common same{true, warp.layout.period < warp.layout.width};
  for (size_t k = 1; k < load.operands.size(); ++k) {
    const analysis::Shape& index = warp.shape(*load.operands[k]);
    if (index.level == analysis::Level::Varying || index.period != 0) return {};
    same.in_row = same.in_row && index.s0 == analysis::Step{};
    same.in_column = same.in_column && index.s1 == analysis::Step{};
  }
  return same;
}

bool loads_for_several(const Inst& loop, const Analysis& warp) {
  bool several = false;
  for (const ir::Block& region : loop.regions)
    ir::for_each_inst(region, [&](const Inst& i) {
      if (i.op != Op::Load) return;
      const Common same = common_of(i, warp);
      several = several || same.in_row || same.in_column;
    });
  return several;
}

// Whether the rows that all gangs load, in all iterations, stay in registers from gang to gang. So
// few iterations are unrolled, and the processor overlaps the sums of several gangs by itself.
bool keeps_rows(const Inst& loop, const Analysis& warp, uint32_t register_bytes) {
  const auto trips = analysis::known_trips(loop, warp);
  uint64_t bytes = 0;
  for (const ir::Block& region : loop.regions)
    ir::for_each_inst(region, [&](const Inst& i) {
      if (i.op == Op::Load && common_of(i, warp).in_column)
        bytes += uint64_t{warp.layout.period} * bytes_of(i.type.scalar);
    });
  return trips && bytes > 0 && *trips * bytes <= register_bytes;
}

// Some loop does, and none carries more than fits.
bool sums_up_what_lanes_share(const ir::Function& f, const Analysis& warp,
                              uint32_t half_of_registers) {
  const uint32_t lane_bytes = half_of_registers / (2 * analysis::kWarpWidth);
  bool some = false, fit = true;
  ir::for_each_inst(f.body, [&](const Inst& loop) {
    if (!is_loop(loop) || warp.divergent[loop.id] || !is_innermost(loop)) return;
    const std::vector<bool> sums = sums_of(f, warp, loop);
    uint32_t bytes = 0;
    for (size_t slot = 0; slot < sums.size(); ++slot)
      if (sums[slot]) bytes += static_cast<uint32_t>(f.slots[slot].type.bits() + 7) / 8;
    fit = fit && bytes <= lane_bytes;
    some = some || (bytes > 0 && loads_for_several(loop, warp) &&
                    !keeps_rows(loop, warp, half_of_registers));
  });
  return some && fit;
}

// From arrays that no cache holds, and side by side as a gang of `lanes` too.
bool reads_in_strides(const ir::Function& f, const Analysis& warp, uint32_t lanes) {
  if (f.launch.block[0] % lanes != 0) return false;
  return analysis::reads_in_strides(f, warp);
}

bool is_whole_number_of(uint32_t lanes, const LaunchFacts& launch) {
  return launch.has_block() && launch.block[0] * launch.block[1] * launch.block[2] % lanes == 0;
}

}  // namespace

uint32_t choose_gang_width(const ir::Function& f, const Analysis& warp,
                           const HostOptions& options) {
  if (options.gang_width != 0) return options.gang_width;
  constexpr uint32_t one = analysis::kWarpWidth, two = 2 * one;
  const auto bytes = static_cast<unsigned>(widest_lane_bits(f, warp)) / 8;
  const bool narrow = two * bytes / vector_bytes(options.mask) <= kVectorsInFlight;
  if (!options.tuning.on(Heuristic::wide_gangs)) return one;
  if (!is_whole_number_of(two, f.launch)) return one;
  const uint32_t half_of_registers = register_bytes(options.mask) / 2;
  const bool pays = (narrow && (has_exposed_loop(f, warp) || reads_in_strides(f, warp, two))) ||
                    sums_up_what_lanes_share(f, warp, half_of_registers);
  return pays ? two : one;
}

}  // namespace cuda_device::codegen::host
