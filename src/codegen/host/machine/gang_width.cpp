// How many lanes the gangs of a kernel have: decided here, without asking LLVM. Where a kernel uses
// warps as such, a gang is a warp (analysis/lanes/layout.cpp).
#include <algorithm>

#include "analysis/loops/trips.h"
#include "analysis/memory/prefetch.h"
#include "analysis/register_pressure.h"
#include "analysis/tree.h"
#include "codegen/host/machine/form_info.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::codegen {
namespace {

using analysis::Analysis;
using analysis::is_loop;
using analysis::LaneLayout;
using ir::Inst;
using ir::Op;

constexpr uint32_t kWarp = analysis::kWarpWidth, kTwoWarps = 2 * kWarp;
constexpr uint32_t kVectorsInFlight = 4;

// Some loop is divergent, and no such loop touches memory.
bool has_exposed_loop(const ir::Function& f, const Analysis& warp) {
  const auto is_divergent = [&](const Inst& i) { return is_loop(i) && warp.divergent[i.id]; };
  const auto accesses = [](const Inst& i) { return ir::access_of(i).has_value(); };
  return ir::any_inst(f.body, is_divergent) && !ir::any_inst(f.body, [&](const Inst& i) {
           return is_divergent(i) && ir::any_inside(i, accesses);
         });
}

// The bits of the widest value that is a vector.
int widest_lane_bits(const ir::Function& f, const Analysis& warp) {
  int bits = 32;
  ir::for_each_inst(f.body, [&](const Inst& inst) {
    if (!inst.type.is_scalar() || warp.shape(inst).uniform() || warp.narrow(inst)) return;
    bits = std::max(bits, inst.type.bits());
  });
  return bits;
}

// The variables, by slot, that an iteration reads from the one before, one a lane.
std::vector<bool> sums_of(const ir::Function& f, const Analysis& warp, const Inst& loop) {
  std::vector<bool> read(f.slots.size()), written(f.slots.size());
  ir::for_each_inside(loop, [&](const Inst& i) {
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
  return ir::any_inside(loop, [&](const Inst& i) {
    if (!ir::is_plain_load(i)) return false;
    const Common same = common_of(i, warp);
    return same.in_row || same.in_column;
  });
}

// Whether the rows that all gangs load, in all iterations, stay in registers from gang to gang. So
// few iterations are unrolled, and the processor overlaps the sums of several gangs by itself.
bool keeps_rows(const Inst& loop, const Analysis& warp, uint32_t register_bytes) {
  const auto trips = analysis::known_trips(loop, warp);
  uint64_t bytes = 0;
  ir::for_each_inside(loop, [&](const Inst& i) {
    if (ir::is_plain_load(i) && common_of(i, warp).in_column)
      bytes += uint64_t{warp.layout.period} * bytes_of(i.type.scalar());
  });
  return trips && bytes > 0 && *trips * bytes <= register_bytes;
}

// Some innermost loop does, and none carries more than fits.
bool sums_up_what_lanes_share(const ir::Function& f, const Analysis& warp,
                              uint32_t half_of_registers) {
  const uint32_t lane_bytes = half_of_registers / kTwoWarps;
  bool some = false, fit = true;
  ir::for_each_inst(f.body, [&](const Inst& loop) {
    if (!is_loop(loop) || warp.divergent[loop.id] || ir::any_inside(loop, is_loop)) return;
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

bool is_whole_number_of(uint32_t lanes, const LaunchFacts& launch) {
  return launch.has_block() && launch.block[0] * launch.block[1] * launch.block[2] % lanes == 0;
}

// What a warp keeps alive in vectors.
uint32_t live_bytes(const ir::Function& f, const Analysis& warp) {
  return kWarp * analysis::live_lane_bytes(f, warp);
}

// Where a single warp would leave the latency of its operations exposed, or more of what lanes
// share would be read at once; as long as registers hold nearly all that two keep.
bool wants_two_warps(const ir::Function& f, const Analysis& warp, const HostOptions& options) {
  const uint32_t registers = register_bytes(options.mask);
  if (!options.tuning.on(Heuristic::wide_gangs) || !is_whole_number_of(kTwoWarps, f.launch))
    return false;
  const auto bytes = static_cast<unsigned>(widest_lane_bits(f, warp)) / 8;
  const bool few = kTwoWarps * bytes / vector_bytes(options.mask) <= kVectorsInFlight;
  const bool side_by_side = f.launch.block[0] % kTwoWarps == 0;
  const bool waits =
      has_exposed_loop(f, warp) || (side_by_side && analysis::reads_in_strides(f, warp));
  const bool pays = (few && waits) || sums_up_what_lanes_share(f, warp, registers / 2);
  return pays && 2 * live_bytes(f, warp) <= registers + registers / 2;
}

bool has_more_idle_lanes(const ir::Function& f, const Analysis& warp, uint32_t width) {
  const LaneLayout narrow = analysis::choose_layout(f, width, warp.tuning);
  return narrow.gangs * narrow.width > warp.layout.gangs * warp.layout.width;
}

// Half a warp where its loops keep more of each lane's own than registers hold, a quarter where
// that goes far beyond what half a warp's do.
uint32_t fewest_spills(const ir::Function& f, const Analysis& warp, const HostOptions& options) {
  const bool pays = info_of(options.mask).narrow_gangs_pay;
  if (!pays || !options.tuning.on(Heuristic::narrow_gangs)) return kWarp;
  const uint32_t registers = register_bytes(options.mask), live = live_bytes(f, warp);
  if (live <= registers) return kWarp;
  const uint32_t width = live / 2 <= 2 * registers ? kWarp / 2 : kWarp / 4;
  return has_more_idle_lanes(f, warp, width) ? kWarp : width;
}

// Whether lanes of the wider gangs diverge somewhere where those of a warp converge.
bool makes_warps_diverge(const ir::Function& f, const Analysis& warp, const Analysis& wider) {
  return ir::any_inst(f.body, [&](const Inst& i) {
    return !i.regions.empty() && wider.divergent[i.id] && !warp.divergent[i.id];
  });
}

uint32_t best_width(const ir::Function& f, const Analysis& warp, const HostOptions& options) {
  return wants_two_warps(f, warp, options) ? kTwoWarps : fewest_spills(f, warp, options);
}

}  // namespace

Analysis choose_gangs(const ir::Function& f, const HostOptions& options) {
  const StageTimer timer(options.times, "analyses");
  const auto with = [&](uint32_t width) { return analysis::analyse(f, width, options.tuning); };
  if (options.gang_width != 0) return with(options.gang_width);
  Analysis warp = with(kWarp);
  const uint32_t width = best_width(f, warp, options);
  if (width == kWarp) return warp;
  Analysis chosen = with(width);
  return makes_warps_diverge(f, warp, chosen) ? warp : chosen;
}

}  // namespace cuda_device::codegen
