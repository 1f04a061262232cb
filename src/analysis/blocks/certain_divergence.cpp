#include "analysis/blocks/certain_divergence.h"

#include <algorithm>

#include "analysis/blocks/missed_operations.h"
#include "support/check.h"

namespace cuda_device::analysis {
namespace {

using ir::Op;

const char* name_of_barrier(Op op) {
  switch (op) {
    case Op::BarrierCount:
      return "syncthreads_count()";
    case Op::BarrierAnd:
      return "syncthreads_and()";
    case Op::BarrierOr:
      return "syncthreads_or()";
    case Op::Barrier:
      return "syncthreads()";
#define OP(name, ...) case Op::name:
#define BARRIER(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("not a barrier");
}

// Once for a barrier of the source: an unrolled loop holds copies.
std::vector<Diagnostic> errors_of(const std::vector<MissedOperation>& barriers,
                                  const std::vector<Note>& notes) {
  std::vector<Diagnostic> found;
  for (const auto& [barrier, condition] : barriers) {
    const Span place = barrier->span;
    const auto is_it = [&](const Diagnostic& d) { return d.span == place; };
    if (place.known() && std::ranges::any_of(found, is_it)) continue;
    Diagnostic d{DiagCode::divergent_barrier, place, {name_of_barrier(barrier->op)}, {}, "", {}};
    if (condition) d.notes.push_back({condition->span, "under this condition"});
    d.notes.insert(d.notes.end(), notes.begin(), notes.end());
    found.push_back(std::move(d));
  }
  return found;
}

}  // namespace

std::vector<Diagnostic> errors_of_unmatched_barriers(const ir::Function& f) {
  return errors_of(unmatched_barriers(f), {});
}

std::vector<Diagnostic> errors_of_missed_barriers(const ir::Function& f) {
  return errors_of(missed_barriers(f), {{{},
                                         "or leave execution=\"gangs\" out: threads with stacks of "
                                         "their own tell barriers of different kinds apart"}});
}

}  // namespace cuda_device::analysis
