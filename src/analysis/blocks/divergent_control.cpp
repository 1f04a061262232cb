#include "analysis/blocks/divergent_control.h"

#include <algorithm>

#include "analysis/analysis.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {

using ir::Block;
using ir::Inst;
using ir::Op;

DivergentControl::DivergentControl(const ir::Function& f, const BlockLevel& level)
    : level_(level), divergent_(f.inst_count()), tree_(f), divergence_(f, tree_) {
  if (!may_diverge(f.body)) return;
  const Analysis a = analyse(f);
  while (divergence_.update(a.shapes)) {
  }
  enter(f.body, false);
}

// False where it is plain, without an analysis, that no thread diverges.
bool DivergentControl::may_diverge(const Block& b) const {
  return std::ranges::any_of(b.insts, [&](const Inst* i) {
    if (i->regions.empty() || !level_.contains(*i)) return false;
    const auto varies = [](const Inst* x) {
      return x->op != Op::Const && x->op != Op::Param && !ir::is_barrier(x->op);
    };
    return std::ranges::any_of(i->operands, varies) || i->op == Op::While ||
           std::ranges::any_of(i->regions,
                               [&](const Block& inside) { return may_diverge(inside); });
  });
}

void DivergentControl::enter(const Block& b, bool in_divergent) {
  for (const Inst* i : b.insts) {
    if (i->regions.empty() || !level_.contains(*i)) continue;
    const Level level = i->op == Op::If ? divergence_.condition(*i) : divergence_.exit(*i);
    const bool divergent = level > Level::BlockUniform || (in_divergent && !stays_convergent(*i));
    divergent_[i->id] = divergent;
    any_ = any_ || divergent;
    for (const Block& inside : i->regions) enter(inside, in_divergent || divergent);
  }
}

// Whether it is convergent whichever threads are active, even none: a variable that only some
// threads stored to proves nothing, and a loop must end when all threads have left it by a jump.
bool DivergentControl::stays_convergent(const Inst& i) const {
  const auto fixed = [](const Inst* x) { return x->op == Op::Const; };
  if (i.op == Op::If) return fixed(i.operands[0]) || ir::is_barrier(i.operands[0]->op);
  return i.op == Op::For && std::ranges::all_of(i.operands, fixed) && !holds_jump(i);
}

bool DivergentControl::holds_jump(const Inst& i) const {
  return ir::any_inside(i, [&](const Inst& x) {
    return ir::ends_block(x.op) && x.op != Op::Yield && level_.contains(x);
  });
}

}  // namespace cuda_device::analysis
