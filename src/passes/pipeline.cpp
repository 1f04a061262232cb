#include "passes/pipeline.h"

#include <string>

#include "passes/barriers/hoist_block_exits.h"
#include "passes/barriers/isolate_tail_exits.h"
#include "passes/barriers/predicate_barrier_regions.h"
#include "passes/barriers/spill_across_barriers.h"
#include "passes/barriers/unroll_barrier_loops.h"
#include "passes/loops/distribute_loops.h"
#include "passes/loops/known_trips.h"
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
#include "support/check.h"
#include "support/interrupted.h"

namespace cuda_device::passes {
namespace {

// After contract_fma no pass changes a bit of any result, but expand_math, within the bounds of
// docs/math.md.
using enum When;

constexpr Pass kPasses[] = {
    // where nobody makes them
    {.name = "drop_assertions", .run = drop_assertions, .when = Unchecked},
    // variables become temporaries where that is plain
    {.name = "forward_slots", .run = forward_slots},
    // stores nobody reads, so that products count as used once
    {.name = "dce", .run = dce},
    // by what the source says, before arithmetic is simplified
    {.name = "contract_fma", .run = contract_fma},
    // constants and launch facts; prunes ifs
    {.name = "fold", .run = fold},
    // through the ifs that are gone
    {.name = "forward_slots", .run = forward_slots},
    // with what that made known
    {.name = "fold", .run = fold},
    // loops that threads start at different numbers
    {.name = "known_trips", .run = known_trips, .tuning = Heuristic::known_trips},
    // loops around barriers, of known iterations
    {.name = "unroll_barrier_loops",
     .run = unroll_barrier_loops,
     .tuning = Heuristic::unroll_barrier_loops},
    // small loops over a thread's own arrays: their counters and indices become constants, which
    // makes the elements variables
    {.name = "unroll_local", .run = unroll_local, .tuning = Heuristic::unroll_local},
    {.name = "forward_slots", .run = forward_slots},
    {.name = "fold", .run = fold},
    {.name = "promote_local", .run = promote_local},
    {.name = "forward_slots", .run = forward_slots},
    // what it builds is not contracted: its rounding is chosen
    {.name = "expand_math", .run = expand_math, .when = ForLanes},
    {.name = "cse", .run = cse},
    {.name = "dce", .run = dce},
    // of loops that all lanes make but for the last iteration
    {.name = "peel_last_trip",
     .run = peel_last_trip,
     .when = ForLanes,
     .tuning = Heuristic::peel_last_trip},
    {.name = "fold", .run = fold, .when = ForLanes},
    // stores that lanes make apart, made together
    {.name = "if_convert_stores",
     .run_for = if_convert_stores,
     .when = ForLanes,
     .tuning = Heuristic::if_convert_stores},
    {.name = "sink_stores", .run = sink_stores, .when = ForLanes, .tuning = Heuristic::sink_stores},
    // what both sides of an if computed for one
    {.name = "cse", .run = cse, .when = ForLanes},
    {.name = "dce", .run = dce, .when = ForLanes},
    // threads may diverge there
    {.name = "isolate_tail_exits", .run = isolate_tail_exits, .when = ForLanes},
    // out of what threads diverge in
    {.name = "hoist_block_exits", .run = hoist_block_exits, .when = ForLanes},
    // what registers cannot carry at once
    {.name = "distribute_loops",
     .run_for = distribute_loops,
     .when = ForLanes,
     .tuning = Heuristic::distribute_loops},
    // only variables live across barriers
    {.name = "spill_across_barriers", .run = spill_across_barriers, .when = ForLanes},
    // at control around barriers
    {.name = "predicate_barrier_regions", .run = predicate_barrier_regions, .when = ForLanes},
    // what loops count, apart from what they leave
    {.name = "split_live_ranges",
     .run = split_live_ranges,
     .when = ForLanes,
     .tuning = Heuristic::split_live_ranges},
};

bool wanted(const Pass& pass, const PipelineOptions& options) {
  if (pass.tuning && !options.tuning.on(*pass.tuning)) return false;
  switch (pass.when) {
    case When::Always:
      return true;
    case When::ForLanes:
      return options.lanes.has_value();
    case When::Unchecked:
      return options.drop_assertions;
  }
  CD_UNREACHABLE("unknown condition of a pass");
}

void run(const Pass& pass, ir::Function& f, const PipelineOptions& options) {
  throw_if_stopped(options.stop);
  {
    const StageTimer timer(options.times, pass.name);
    Lanes lanes = options.lanes.value_or(Lanes());
    lanes.tuning = options.tuning;
    run_pass(pass, f, lanes);
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
    const bool for_lanes = pass.when == When::ForLanes;
    if (for_lanes && !checked) check(f, options);
    checked = checked || for_lanes;
    if (wanted(pass, options)) run(pass, f, options);
  }
}

}  // namespace cuda_device::passes
