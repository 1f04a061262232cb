// Where threads diverge. Every control instruction has levels: the widest group of threads that
// surely stays together.
#pragma once

#include "analysis/analysis.h"
#include "analysis/tree.h"

namespace cuda_device::analysis {

// Levels of control instructions. They are at most GangUniform, or Varying: a gang may diverge.
class Divergence {
 public:
  Divergence(const ir::Function& f, const Tree& tree);

  // Recomputes from the shapes found so far; levels only rise. True where one rose.
  bool update(const std::vector<Shape>& shapes);

  // The level of the condition of an if or while, or of the trip count of a for.
  Level condition(const ir::Inst& i) const { return condition_[i.id]; }
  // At what level live threads may arrive at its end at different times or by divergent paths.
  Level exit(const ir::Inst& i) const { return exit_[i.id]; }
  // The same with threads that return: what happens to the set of active lanes.
  Level lanes(const ir::Inst& i) const { return lanes_[i.id]; }
  // At what level threads reach the next iteration of the loop by divergent paths.
  Level next_iteration(const ir::Inst& i) const { return next_[i.id]; }

 private:
  void jump(const ir::Inst& jump);
  void raise(std::vector<Level>& levels, const ir::Inst& i, Level level);
  Level condition_level(const ir::Inst& i, const std::vector<Shape>& shapes) const;

  const Tree& tree_;
  std::vector<const ir::Inst*> controls_;
  std::vector<Level> condition_, exit_, lanes_, next_;
  bool rose_ = false;
};

}  // namespace cuda_device::analysis
