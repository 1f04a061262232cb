#include "passes/pipeline.h"

#include <string>

#include "passes/barriers/hoist_block_exits.h"
#include "passes/barriers/isolate_tail_exits.h"
#include "passes/barriers/predicate_barrier_regions.h"
#include "passes/barriers/spill_across_barriers.h"
#include "passes/barriers/unroll_barrier_loops.h"
#include "passes/loops/distribute_loops.h"
#include "passes/loops/equal_trips.h"
#include "passes/loops/peel_last_trip.h"
#include "passes/loops/split_live_ranges.h"
#include "passes/loops/unroll_local.h"
#include "passes/memory/if_convert_stores.h"
#include "passes/memory/promote_local.h"
#include "passes/memory/sink_stores.h"
#include "passes/simplify/contract_fma.h"
#include "passes/simplify/cse.h"
#include "passes/simplify/dce.h"
#include "passes/simplify/drop_assertions.h"
#include "passes/simplify/expand_math.h"
#include "passes/simplify/fold.h"
#include "passes/simplify/forward_slots.h"

namespace cuda_device::passes {
namespace {

// After contract_fma no pass changes a bit of any result, but expand_math, within the bounds of
// docs/math.md.
constexpr Pass kPasses[] = {
    {"drop_assertions", drop_assertions, false, nullptr, true},  // where nobody makes them
    {"forward_slots", forward_slots},  // variables become temporaries where that is plain
    {"dce", dce},                      // stores nobody reads, so that products count as used once
    {"contract_fma", contract_fma},    // by what the source says, before arithmetic is simplified
    {"fold", fold},                    // constants and launch facts; prunes ifs
    {"forward_slots", forward_slots},  // through the ifs that are gone
    {"fold", fold},                    // with what that made known
    {"equal_trips", equal_trips},      // loops that lanes start at different numbers
    {"unroll_barrier_loops", unroll_barrier_loops},  // loops around barriers, of known iterations
    {"unroll_local", unroll_local},                  // small loops over arrays of a thread's own
    {"forward_slots", forward_slots},                // their counters
    {"fold", fold},                                  // and indices become constants
    {"promote_local", promote_local},                // which makes the elements variables
    {"forward_slots", forward_slots},
    {"expand_math", expand_math, true},  // what it builds is not contracted: its rounding is chosen
    {"cse", cse},
    {"dce", dce},
    {"peel_last_trip", peel_last_trip, true},  // of loops that all lanes make but for the last one
    {"fold", fold, true},
    {"if_convert_stores", nullptr, true,
     if_convert_stores},  // stores that lanes make apart, made together
    {"sink_stores", sink_stores, true},
    {"cse", cse, true},  // what both sides of an if computed for one
    {"dce", dce, true},
    {"isolate_tail_exits", isolate_tail_exits, true},        // threads may part there
    {"hoist_block_exits", hoist_block_exits, true},          // out of where each goes its own way
    {"distribute_loops", nullptr, true, distribute_loops},   // what registers cannot carry at once
    {"spill_across_barriers", spill_across_barriers, true},  // only variables live across barriers
    {"predicate_barrier_regions", predicate_barrier_regions, true},  // at control around barriers
    {"split_live_ranges", split_live_ranges, true},  // what loops count, apart from what they leave
};

void run(const Pass& pass, ir::Function& f, const PipelineOptions& options) {
  {
    const StageTimer timer(options.times, pass.name);
    run_pass(pass, f, options.lanes.value_or(Lanes()));
  }
  if (options.dump) options.dump(pass.name, f);
  if (options.verify) ir::verify_or_throw(f, std::string(pass.name).c_str());
}

void check(const ir::Function& f, const PipelineOptions& options) {
  const StageTimer timer(options.times, "check");
  options.check(f);
}

}  // namespace

std::span<const Pass> pipeline() { return kPasses; }

void run_pass(const Pass& pass, ir::Function& f, const Lanes& lanes) {
  if (pass.run)
    pass.run(f);
  else
    pass.run_for(f, lanes);
}

void run_pipeline(ir::Function& f, const PipelineOptions& options) {
  if (options.verify) ir::verify_or_throw(f, "the frontend");
  bool checked = !options.check;
  for (const Pass& pass : kPasses) {
    if (pass.for_lanes && !checked) check(f, options);
    checked = checked || pass.for_lanes;
    const bool wanted = (!pass.for_lanes || options.lanes.has_value()) &&
                        (!pass.unchecked || options.drop_assertions);
    if (wanted) run(pass, f, options);
  }
}

}  // namespace cuda_device::passes
