#include "analysis/blocks/execution_plan.h"

#include "analysis/blocks/different_barriers.h"
#include "analysis/blocks/exclusive_paths.h"
#include "analysis/blocks/meetings_apart.h"
#include "analysis/blocks/missed_operations.h"
#include "analysis/blocks/waiting_loops.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

const Inst* find_call(const ir::Function& f) {
  const Inst* found = nullptr;
  ir::for_each_inst(f.body, [&](const Inst& i) {
    if (!found && i.op == Op::Call) found = &i;
  });
  return found;
}

}  // namespace

bool has_barriers_of_several_kinds(const ir::Function& f) {
  const Inst* first = nullptr;
  return ir::any_inst(f.body, [&](const Inst& i) {
    if (!ir::is_barrier(i.op)) return false;
    if (!first) first = &i;
    return i.op != first->op;
  });
}

namespace {

size_t count_barriers(const ir::Function& f) {
  size_t count = 0;
  ir::for_each_inst(f.body, [&](const Inst& i) { count += ir::is_barrier(i.op); });
  return count;
}

}  // namespace

ExecutionPlan execution_plan(const ir::Function& f, Execution asked) {
  if (const Inst* call = find_call(f)) {
    const std::string& called = ir::called_function(f, *call).name;
    return {Execution::Threads, "it calls '" + called + "'", call->span, called};
  }
  if (asked != Execution::Automatic) return {asked, "it is asked for", {}};
  if (const Inst* loop = find_wait(f))
    return {Execution::Threads, "a loop ends when another thread has written what it reads",
            loop->span};
  if (const Inst* meeting = meetings_apart(f).first)
    return {Execution::Threads, "lanes on different paths meet in one operation of their warp",
            meeting->span};
  if (const Inst* meeting = missed_meeting(f))
    return {Execution::Threads, "not all lanes of a mask come to this operation of their warp",
            meeting->span};
  if (has_barriers_of_several_kinds(f)) {
    if (const auto missed = missed_barriers(f); !missed.empty())
      return {Execution::Threads, "some threads of a block do not come to this barrier",
              missed.front().operation->span};
    if (const Inst* barrier = exclusive_barriers(f).first)
      return {Execution::Threads, "threads on both sides of an if come to barriers", barrier->span};
  }
  if (count_barriers(f) > kMostBarriersOfPhases) {
    if (const Inst* decision = find_different_barriers(f))
      return {Execution::Threads,
              "threads may come to different ones of more than " +
                  std::to_string(kMostBarriersOfPhases) + " barriers",
              decision->span};
  }
  return {Execution::Gangs, "no thread waits for another but at barriers and with its warp", {}};
}

}  // namespace cuda_device::analysis
