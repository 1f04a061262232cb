// The half of a kernel in which the threads of a block may wait at different barriers
// (passes/barriers/meet_at_any_barrier.h).
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "passes/barriers/agreed_control.h"
#include "passes/barriers/barrier_sites.h"
#include "passes/barriers/predication.h"

namespace cuda_device::passes {

// Whether a barrier gives its threads an answer.
bool votes(ir::Op op);

// The answers of barriers that vote, which are no longer one for the block: variables. Each use
// of such a barrier in `b` becomes a load.
class BarrierAnswers {
 public:
  BarrierAnswers(ir::Function& f, ir::Block& b);
  uint32_t of(const ir::Inst& barrier) const { return slots_.at(&barrier); }
  // The answer of all threads that wait, by the kind of barrier.
  const std::map<ir::Op, uint32_t>& of_waiting() const { return waiting_; }
  const std::set<ir::Op>& kinds() const { return kinds_; }  // of all barriers

 private:
  void load(ir::Function& f, ir::Block& b);

  std::unordered_map<const ir::Inst*, uint32_t> slots_;
  std::map<ir::Op, uint32_t> waiting_;
  std::set<ir::Op> kinds_;
};

// Predicates all of a block, and puts it into a loop of phases. In each of them those that wait go
// on from their sites, in the order of the program, up to the next barrier or the end:
//
//   while barrier_or(not done) {      before: go = where they begin
//     run = false
//     ...
//     if run { at = 7; run = false }                     // barrier 7
//     if barrier_and(at == 7 or done) { run = not done } // nobody is elsewhere: on at once
//     else { run = run or go == 7 }
//     ...
//     done = done or run
//     go = at
//   }
//
// Where barriers are of several kinds, threads that wait at those of different kinds report it.
class WaitingThreads final : public Predication {
 public:
  WaitingThreads(ir::Function& f, const analysis::BlockLevel& level, const BarrierSites& sites,
                 const LoopLimits& limits, const BarrierAnswers& answers, uint32_t site);

  // `b` becomes the loop.
  void run_phases(ir::Block& b);

 private:
  bool diverges(const Inst&) const override { return true; }
  // No thread begins in front of the first site.
  bool may_be_active() const override { return has_begun_ || in_loop(); }
  void before_decision(const Inst& i, ir::Builder& b) override;
  Inst* any(ir::Builder& b, uint32_t flag, const Inst& control, size_t region) override;
  void count(ir::Builder& b, uint32_t slot, Inst* value) override;
  uint32_t limit_of(const Inst& loop, ir::Type type) override;
  void barrier(Inst& i, ir::Builder& b) override;
  void leave_kernel(Inst& jump, ir::Builder& b) override;

  void arrive(const Inst& i, ir::Builder& b);
  void go_on_together(const Inst& i, Block& to);
  void resume(int site, ir::Builder& b);
  Inst* answer(ir::Op op, ir::Builder& b);
  Inst* is(ir::Builder& b, uint32_t slot, int site);
  static void choose(ir::Builder& b, Inst* holds, uint32_t slot, Inst* value);
  void check_kinds(ir::Builder& b);
  void end_phase(ir::Builder& b);

  const BarrierSites& sites_;
  const LoopLimits& limits_;
  const BarrierAnswers& answers_;
  uint32_t go_;    // the site from which the thread is to go on in this phase, or none: zero
  uint32_t at_;    // the one at which it has come to wait in this phase, or none
  uint32_t done_;  // it has come to the end of the kernel
  uint32_t said_;  // its vote
  uint32_t kind_;  // of the barrier at which it waits
  bool has_begun_ = false;
  std::vector<std::pair<int, Span>> barriers_;  // by site
};

}  // namespace cuda_device::passes
