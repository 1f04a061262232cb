#include "analysis/blocks/execution_plan.h"

#include <vector>

#include "analysis/analysis.h"
#include "analysis/blocks/waiting_loops.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

std::vector<const Inst*> meetings_in(const ir::Block& block) {
  std::vector<const Inst*> found;
  ir::for_each_inst(block, [&](const Inst& i) {
    if (ir::meets_warp(i.op) && i.op != Op::ActiveMask) found.push_back(&i);
  });
  return found;
}

bool same_mask(const Inst& a, const Inst& b) {
  const Inst &x = *a.operands[0], &y = *b.operands[0];
  return &x == &y || (x.op == y.op && x.imm == y.imm &&
                      (x.op == Op::Const || x.op == Op::SlotLoad || x.op == Op::Param));
}

// An operation on one side of the `if` that lanes of the other side come to as well.
const Inst* shared_meeting(const Inst& branch) {
  const std::vector<const Inst*> others = meetings_in(branch.regions[1]);
  for (const Inst* one : meetings_in(branch.regions[0]))
    for (const Inst* other : others)
      if (one->op == other->op && same_mask(*one, *other)) return one;
  return nullptr;
}

const Inst* find_divergent_meeting(const ir::Function& f) {
  std::vector<std::pair<const Inst*, const Inst*>> candidates;
  ir::for_each_inst(f.body, [&](const Inst& i) {
    if (i.op != Op::If) return;
    if (const Inst* meeting = shared_meeting(i)) candidates.emplace_back(&i, meeting);
  });
  if (candidates.empty()) return nullptr;
  const Analysis a = analyse(f);
  for (const auto& [branch, meeting] : candidates)
    if (!a.shape(*branch->operands[0]).uniform()) return meeting;
  return nullptr;
}

const Inst* find_call(const ir::Function& f) {
  const Inst* found = nullptr;
  ir::for_each_inst(f.body, [&](const Inst& i) {
    if (!found && i.op == Op::Call) found = &i;
  });
  return found;
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
  if (const Inst* meeting = find_divergent_meeting(f))
    return {Execution::Threads, "lanes on both sides of an if meet in one operation of their warp",
            meeting->span};
  return {Execution::Gangs, "no thread waits for another but at barriers and with its warp", {}};
}

}  // namespace cuda_device::analysis
