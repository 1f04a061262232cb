#include "codegen/host/gang_width.h"

#include <algorithm>

#include "ir/visitor.h"

namespace cuda_device::codegen::host {
namespace {

using analysis::Analysis;
using ir::Inst;
using ir::Op;

constexpr uint32_t kVectorsInFlight = 4;

bool is_loop(const Inst& inst) { return inst.op == Op::While || inst.op == Op::For; }

bool touches_memory(const Inst& loop) {
  bool touches = false;
  for (const ir::Block& region : loop.regions)
    ir::for_each_inst(
        region, [&](const Inst& i) { touches = touches || i.op == Op::Load || i.op == Op::Store; });
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
  return narrow && is_whole_number_of(two, f.launch) && has_exposed_loop(f, warp) ? two : one;
}

}  // namespace cuda_device::codegen::host
