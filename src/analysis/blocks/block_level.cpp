#include "analysis/blocks/block_level.h"

#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {

using ir::Inst;
using ir::Op;

BlockLevel::BlockLevel(const ir::Function& f) : tree_(f), contained_(f.inst_count()) {
  ir::for_each_inst(f.body, [&](const Inst& i) {
    if (!ir::is_barrier(i.op)) return;
    has_barrier_ = contained_[i.id] = true;
    raise_around(i, nullptr);
  });
  for (bool changed = has_barrier_; changed;) {
    changed = false;
    for (const Inst* jump : tree_.jumps()) {
      const Inst* target = tree_.target(*jump);
      if (!target || !contained_[target->id] || contained_[jump->id]) continue;
      changed = contained_[jump->id] = true;
      raise_around(*jump, target);
    }
  }
  for (const Inst* jump : tree_.jumps()) {
    const Inst* around = tree_.position(*jump).parent;
    if (has_barrier_ && jump->op == Op::Return)
      contained_[jump->id] = !around || contained_[around->id];
  }
}

// Whatever holds `i`, up to `outermost`.
void BlockLevel::raise_around(const Inst& i, const Inst* outermost) {
  for (const Inst* around = tree_.position(i).parent; around && around != outermost;
       around = tree_.position(*around).parent)
    contained_[around->id] = true;
}

}  // namespace cuda_device::analysis
