#include "analysis/next_gang.h"

#include "analysis/far_arrays.h"
#include "analysis/tree.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

const Inst* innermost_loop(const Inst& i, const Tree& tree) {
  const Inst* around = tree.position(i).parent;
  while (around && !is_loop(*around)) around = tree.position(*around).parent;
  return around;
}

bool goes_along_rows(const Inst& loop, const Analysis& a) {
  const Range& step = a.range(*loop.operands[2]);
  const auto differs = [&](size_t k) { return a.shape(*loop.operands[k]).level == Level::Varying; };
  return step.lo == 1 && step.hi == 1 && !step.unsigned_overflow && differs(0) && differs(1);
}

bool is_counter(const Inst& index, const Inst& loop) {
  const Inst* i = &index;
  while (i->op == Op::Wrap || i->op == Op::Convert) i = i->operands[0];
  return i->op == Op::SlotLoad && i->imm == loop.imm;
}

}  // namespace

bool goes_in_strides(const Inst& loop, const Analysis& a) {
  const Shape& start = a.shape(*loop.operands[0]);
  const Range& step = a.range(*loop.operands[2]);
  const auto shared = [&](size_t k) { return a.shape(*loop.operands[k]).uniform(); };
  const bool side_by_side =
      start.affine() && start.s0 == Step{true, 1} && start.period_in(a.layout) == a.layout.width;
  const bool far = step.lo > a.layout.width || (step.lo > 0 && step.lo != step.hi);
  return side_by_side && shared(1) && shared(2) && far;
}

std::vector<const Inst*> loops_of_next_gang(const ir::Function& f, const Analysis& a) {
  std::vector<const Inst*> loops(f.inst_count());
  const Tree tree(f);
  ir::for_each_inst(f.body, [&](const Inst& i) {
    if (i.op != Op::Load || i.operands.size() != 2 || !lies_beyond_cache(*i.operands[0], f)) return;
    const Inst* loop = innermost_loop(i, tree);
    if (!loop || loop->op != Op::For || !a.divergent[loop->id]) return;
    if (!is_counter(*i.operands[1], *loop)) return;
    if (goes_along_rows(*loop, a) || goes_in_strides(*loop, a)) loops[i.id] = loop;
  });
  return loops;
}

}  // namespace cuda_device::analysis
