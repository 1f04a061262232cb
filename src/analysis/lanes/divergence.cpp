#include "analysis/lanes/divergence.h"

#include "analysis/lanes/shape_algebra.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {

using ir::Inst;
using ir::Op;

Divergence::Divergence(const ir::Function& f, const Tree& tree)
    : tree_(tree),
      condition_(f.inst_count()),
      exit_(f.inst_count()),
      lanes_(f.inst_count()),
      next_(f.inst_count()) {
  ir::for_each_inst(f.body, [&](const Inst& i) {
    if (!i.regions.empty()) controls_.push_back(&i);
  });
}

void Divergence::raise(std::vector<Level>& levels, const Inst& i, Level level) {
  const Level higher = join(levels[i.id], level);
  rose_ |= higher != levels[i.id];
  levels[i.id] = higher;
}

Level Divergence::condition_level(const Inst& i, const std::vector<Shape>& shapes) const {
  Level level = Level::LaunchUniform;
  const auto take = [&](const Inst& value) { level = join(level, shapes[value.id].level); };
  for (const Inst* operand : i.operands) take(*operand);
  if (i.op == Op::While) take(*i.regions[0].insts.back()->operands[0]);
  return level == Level::Affine ? Level::Varying : level;
}

bool Divergence::update(const std::vector<Shape>& shapes) {
  rose_ = false;
  for (const Inst* i : controls_) {
    const Level level = condition_level(*i, shapes);
    raise(condition_, *i, level);
    raise(lanes_, *i, level);
    if (i->op != Op::If) raise(exit_, *i, level);
  }
  for (const Inst* j : tree_.jumps()) jump(*j);
  return rose_;
}

// Goes outwards from the jump: `missed` is the level at which threads that entered a construct may
// miss the jump. Threads that returned are gone: lanes diverge, but never join them again.
void Divergence::jump(const Inst& jump) {
  const Inst* target = tree_.target(jump);
  Level missed = Level::LaunchUniform;
  for (TreePosition p = tree_.position(jump); p.parent; p = tree_.position(*p.parent)) {
    const Inst& around = *p.parent;
    raise(lanes_, around, missed);
    if (jump.op != Op::Return && around.op != Op::If) raise(exit_, around, missed);
    if (&around == target) {
      if (jump.op == Op::Continue) raise(next_, around, missed);
      return;
    }
    missed = join(missed, around.op == Op::If ? condition_[around.id] : exit_[around.id]);
  }
}

}  // namespace cuda_device::analysis
