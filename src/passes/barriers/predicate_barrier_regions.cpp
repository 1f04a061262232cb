#include "passes/barriers/predicate_barrier_regions.h"

#include "analysis/blocks/block_level.h"
#include "analysis/blocks/divergent_control.h"
#include "ir/effects.h"
#include "passes/barriers/predication.h"
#include "passes/simplify/dce.h"
#include "support/check.h"

namespace cuda_device::passes {
namespace {

using analysis::BlockLevel;
using analysis::DivergentControl;
using ir::Inst;
using ir::Op;

// Predicates what may diverge. Only active threads vote.
class DivergentRegions final : public Predication {
 public:
  DivergentRegions(ir::Function& f, const BlockLevel& level, const DivergentControl& divergent)
      : Predication(f, level), divergent_(divergent) {}

 private:
  bool diverges(const Inst& control) const override { return divergent_[control]; }

  void barrier(Inst& i, ir::Builder& b) override {
    if (flags().empty() || i.op == Op::Barrier) return keep(i, b);
    i.operands[0] = b.slot_load(set(b, vote_of_active(i, b)));
    b.block().insts.push_back(&i);
  }

  Inst* vote_of_active(const Inst& i, ir::Builder& b) {
    Inst *vote = again(*i.operands[0], b), *here = active(b);
    if (ir::neutral_vote(i.op)) return b.op(Op::Or, {vote, b.op(Op::Not, {here})});
    return b.op(Op::And, {vote, here});
  }

  const DivergentControl& divergent_;
};

}  // namespace

void predicate_barrier_regions(ir::Function& f) {
  const BlockLevel level(f);
  if (!level.has_barrier()) return;
  const DivergentControl divergent(f, level);
  if (!divergent.any()) return;
  DivergentRegions(f, level, divergent).run(f.body);
  dce(f);  // ifs and flags of paths on which nothing is done
}

}  // namespace cuda_device::passes
