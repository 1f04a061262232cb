#include "analysis/tree.h"

#include "support/check.h"

namespace cuda_device::analysis {

using ir::Inst;
using ir::Op;

bool is_loop(const Inst& i) { return i.op == Op::While || i.op == Op::For; }

bool in_iteration(const TreePosition& p) {
  if (!p.parent) return false;
  if (p.parent->op == Op::While) return p.region <= 1;
  return p.parent->op == Op::For && p.region == 0;
}

Tree::Tree(const ir::Function& f) : positions_(f.inst_count()) { enter(f.body, {}); }

void Tree::enter(const ir::Block& b, TreePosition position) {
  for (const Inst* inst : b.insts) {
    positions_[inst->id] = position;
    if (ir::ends_block(inst->op) && inst->op != Op::Yield) jumps_.push_back(inst);
    for (size_t r = 0; r < inst->regions.size(); ++r) enter(inst->regions[r], {inst, r});
  }
}

const Inst* Tree::target(const Inst& jump) const {
  if (jump.op == Op::Return) return nullptr;
  int64_t scopes = jump.op == Op::Leave ? jump.imm : 0;
  for (TreePosition p = position(jump); p.parent; p = position(*p.parent)) {
    if (jump.op != Op::Leave && in_iteration(p)) return p.parent;
    if (jump.op == Op::Leave && p.parent->op == Op::Scope && scopes-- == 0) return p.parent;
  }
  CD_UNREACHABLE("a jump without a target");
}

}  // namespace cuda_device::analysis
