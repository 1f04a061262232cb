// How the host runs the threads of a kernel: as lanes of gangs, which is fast, or each on a stack
// of its own, which lets any of them wait for any other (docs/decisions/0051). The one place that
// decides.
#pragma once

#include <string>

#include "ir/ir.h"
#include "support/execution.h"

namespace cuda_device::analysis {

struct ExecutionPlan {
  Execution execution = Execution::Gangs;  // never Automatic
  std::string reason;                      // "it is asked for"
  Span place;                              // what needs it; may be unknown
  std::string called{};                    // the function whose call needs it; may be empty
};

// `f` has been simplified, and no pass for lanes has seen it. Where nothing is asked for, threads
// are run one by one only if they call a function, whatever is asked for, or may wait for each
// other in ways in which lanes cannot:
//   - a loop ends only when another thread has written what it reads (find_wait);
//   - lanes of one mask may come to operations of their warp on different paths (meetings_apart.h),
//     or some certainly miss one (missed_operations.h);
//   - threads of a block come to different barriers, in a kernel that has barriers of several
//     kinds: where those of different kinds would have to meet, only they name them all. Where all
//     are of one kind, lanes of gangs meet too (passes/barriers/meet_at_any_barrier.h);
//   - threads of a block may come to different ones of more than kMostBarriersOfPhases barriers.
// Where lanes of a warp miss each other and it is not known when compiling, they report a failure.
ExecutionPlan execution_plan(const ir::Function& f, Execution asked = Execution::Automatic);

// Lanes of gangs that may come to different barriers go through the kernel in phases, for which it
// is there twice, with a vote at each place where they decide: code for each barrier, which all of
// LLVM's passes go through. With 32 barriers that is one to two seconds, thread by thread a
// twentieth.
inline constexpr size_t kMostBarriersOfPhases = 32;

// Such as syncthreads and syncthreads_count.
bool has_barriers_of_several_kinds(const ir::Function& f);

}  // namespace cuda_device::analysis
