#include "passes/pipeline.h"

#include <string>

#include "passes/barriers/hoist_block_exits.h"
#include "passes/barriers/isolate_tail_exits.h"
#include "passes/barriers/meet_at_any_barrier.h"
#include "passes/barriers/predicate_barrier_regions.h"
#include "passes/barriers/spill_across_barriers.h"
#include "passes/barriers/unroll_barrier_loops.h"
#include "passes/loops/distribute_loops.h"
#include "passes/loops/known_trips.h"
#include "passes/loops/split_live_ranges.h"
#include "passes/loops/unroll_local.h"
#include "passes/memory/if_convert_stores.h"
#include "passes/memory/prefetch_places.h"
#include "passes/memory/promote_local.h"
#include "passes/memory/sink_stores.h"
#include "passes/simplify/approximate_math.h"
#include "passes/simplify/contract_fma.h"
#include "passes/simplify/cse.h"
#include "passes/simplify/dce.h"
#include "passes/simplify/drop_assertions.h"
#include "passes/simplify/drop_warp_checks.h"
#include "passes/simplify/expand_math.h"
#include "passes/simplify/fold.h"
#include "passes/simplify/forward_slots.h"
#include "passes/simplify/legalise_floats.h"
#include "passes/simplify/reassociate.h"
#include "support/check.h"
#include "support/interrupted.h"

namespace cuda_device::passes {
namespace {

using enum When;

// The passes in order. After contract_fma no pass changes a bit of any result, but expand_math and,
// where a kernel allows it, approximate_math, within the bounds of docs/math.md.
constexpr Pass kPasses[] = {
    // Drops asserts where the target does not check them.
    {.name = "drop_assertions", .run = drop_assertions, .when = Unchecked},
    // Turns variables into temporaries where that is plain.
    {.name = "forward_slots", .run = forward_slots},
    // Removes dead stores, so that a product that one of them uses is fused too.
    {.name = "dce", .run = dce},
    // Adds long sums by pairs, where the kernel allows it; contract_fma takes what it makes.
    {.name = "reassociate", .run = reassociate},
    // Contracts products and sums as the source has them, before arithmetic is simplified.
    {.name = "contract_fma", .run = contract_fma},
    // Computes in float32 what is only stored, and rounds.
    {.name = "legalise_floats", .run = legalise_floats},
    // Folds constants and launch facts, and prunes ifs.
    {.name = "fold", .run = fold},
    // Again: folded ifs no longer hide what lies in a slot.
    {.name = "forward_slots", .run = forward_slots},
    // Again: slots became constants.
    {.name = "fold", .run = fold},
    // Counts iterations of loops that threads start at different numbers, but make equally often.
    {.name = "known_trips", .run = known_trips, .tuning = Heuristic::known_trips},
    // Unrolls loops around barriers whose iterations are known.
    {.name = "unroll_barrier_loops",
     .run = unroll_barrier_loops,
     .tuning = Heuristic::unroll_barrier_loops},
    // Unrolls small loops over a thread's own arrays: constant indices make elements variables.
    {.name = "unroll_local", .run = unroll_local, .tuning = Heuristic::unroll_local},
    // Again, with fold: counters of unrolled loops became constants.
    {.name = "forward_slots", .run = forward_slots},
    {.name = "fold", .run = fold},
    // Turns a thread's own arrays into variables where all indices are constants.
    {.name = "promote_local", .run = promote_local},
    {.name = "forward_slots", .run = forward_slots},
    // Estimates divisions, roots and functions, where the kernel allows it.
    {.name = "approximate_math", .run = approximate_math},
    // Expands float32 functions; what it builds is not contracted, for its rounding is chosen.
    {.name = "expand_math", .run = expand_math, .when = OwnMath},
    // Computes common subexpressions once; dce removes what nothing uses any more.
    {.name = "cse", .run = cse},
    {.name = "dce", .run = dce},
    // Drops checks of operations of warps that lanes miss which meet nobody else.
    {.name = "drop_warp_checks", .run = drop_warp_checks, .when = ForLanes},
    // Peels the iteration that only some lanes execute.
    {.name = "peel_last_trip",
     .run = peel_last_trip,
     .when = ForLanes,
     .tuning = Heuristic::peel_last_trip},
    {.name = "fold", .run = fold, .when = ForLanes},
    // If-converts stores of divergent ifs.
    {.name = "if_convert_stores",
     .run_for = if_convert_stores,
     .when = ForLanes,
     .tuning = Heuristic::if_convert_stores},
    // Sinks the last stores of both sides of a divergent if.
    {.name = "sink_stores", .run = sink_stores, .when = ForLanes, .tuning = Heuristic::sink_stores},
    // Again, with dce: both sides of an if had computed the index of a sunk store.
    {.name = "cse", .run = cse, .when = ForLanes},
    {.name = "dce", .run = dce, .when = ForLanes},
    // Isolates exits after the last barrier.
    {.name = "isolate_tail_exits", .run = isolate_tail_exits, .when = ForLanes},
    // Hoists block-level exits out of divergent control.
    {.name = "hoist_block_exits", .run = hoist_block_exits, .when = ForLanes},
    // Splits loops that carry more values than there are registers.
    {.name = "distribute_loops",
     .run_for = distribute_loops,
     .when = ForLanes,
     .tuning = Heuristic::distribute_loops},
    // Spills values that live across barriers.
    {.name = "spill_across_barriers", .run = spill_across_barriers, .when = ForLanes},
    // Lets threads meet at different barriers, where they may diverge and both come to one.
    {.name = "meet_at_any_barrier", .run = meet_at_any_barrier, .when = ForLanes},
    // Predicates regions whose barrier control may diverge.
    {.name = "predicate_barrier_regions", .run = predicate_barrier_regions, .when = ForLanes},
    // Gives loop counters a live range of their own.
    {.name = "split_live_ranges",
     .run = split_live_ranges,
     .when = ForLanes,
     .tuning = Heuristic::split_live_ranges},
    // Prefetches for atomic operations of the next gang. Nothing after it takes prefetches for
    // dead.
    {.name = "prefetch_places",
     .run = prefetch_places,
     .when = ForLanes,
     .tuning = Heuristic::prefetch_places},
};

bool wanted(const Pass& pass, const PipelineOptions& options) {
  if (pass.tuning && !options.tuning.on(*pass.tuning)) return false;
  switch (pass.when) {
    case When::Always:
      return true;
    case When::ForLanes:
      return options.lanes.has_value();
    case When::OwnMath:
      return options.own_math;
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

void check(const ir::Function& f, PipelineOptions& options) {
  if (!options.check && !options.choose_lanes) return;
  const StageTimer timer(options.times, "check");
  if (options.check) options.check(f);
  if (options.lanes && options.choose_lanes && !options.choose_lanes(f)) options.lanes.reset();
}

}  // namespace

std::span<const Pass> pipeline() { return kPasses; }

void run_pass(const Pass& pass, ir::Function& f, const Lanes& lanes) {
  if (pass.run)
    pass.run(f);
  else
    pass.run_for(f, lanes);
}

void run_pipeline(ir::Function& f, const PipelineOptions& asked) {
  PipelineOptions options = asked;
  if (options.verify) ir::verify_or_throw(f, "the frontend");
  bool checked = false;
  for (const Pass& pass : kPasses) {
    const bool for_some = pass.when == When::ForLanes || pass.when == When::OwnMath;
    if (for_some && !checked) check(f, options);
    checked = checked || for_some;
    if (wanted(pass, options)) run(pass, f, options);
  }
}

}  // namespace cuda_device::passes
