#include "passes/barriers/different_barriers.h"

#include <algorithm>
#include <ranges>
#include <unordered_map>

#include "analysis/tree.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

class Paths {
 public:
  Paths(const ir::Function& f, const analysis::BlockLevel& level,
        const std::function<bool(const Inst&)>& diverges)
      : f_(f), level_(level), diverges_(diverges), tree_(f) {}

  bool found() {
    block(f_.body, false);
    return found_;
  }

 private:
  // Whether a barrier may be reached from the beginning, where one may from the end or not.
  bool block(const Block& b, bool after) {
    for (const Inst* i : std::views::reverse(b.insts))
      if (level_.contains(*i)) after = from(*i, after);
    return after;
  }

  bool from(const Inst& i, bool after) {
    switch (i.op) {
      case Op::If:
        return branch(i, after);
      case Op::While:
      case Op::For:
        return loop(i, after);
      case Op::Scope:
        after_[&i] = after;
        return block(i.regions[0], after);
      case Op::Return:
        return false;
      case Op::Break:
      case Op::Leave:
        return after_.at(tree_.target(i));
      case Op::Continue:
        return next_.at(tree_.target(i));
      default:
        return true;  // a barrier
    }
  }

  bool branch(const Inst& i, bool after) {
    const bool yes = block(i.regions[0], after), no = block(i.regions[1], after);
    if (yes && no && diverges_(i) && meets_before_join(i)) found_ = true;
    return yes || no;
  }

  bool loop(const Inst& i, bool after) {
    const bool has_barrier = ir::holds_barrier(i);
    after_[&i] = after;
    const bool ended = block(i.regions.back(), after);
    const bool again = next_[&i] = has_barrier || ended;
    for (size_t r = 0; r + 1 < i.regions.size(); ++r) block(i.regions[r], again);
    if (has_barrier && ended && diverges_(i)) found_ = true;
    return again;
  }

  // Whether a barrier lies between a decision and where all its paths join.
  bool meets_before_join(const Inst& i) const {
    if (ir::holds_barrier(i)) return true;
    return ir::any_inside(i, [&](const Inst& jump) {
      return level_.contains(jump) && ir::ends_block(jump.op) && jump.op != Op::Yield &&
             meets_before(i, jump);
    });
  }

  // Whether one lies between it and where the jump goes to.
  bool meets_before(const Inst& i, const Inst& jump) const {
    const Inst* target = tree_.target(jump);
    for (const Inst* at = &i;;) {
      const analysis::TreePosition p = tree_.position(*at);
      if (barrier_after(*at, p.parent ? p.parent->regions[p.region] : f_.body)) return true;
      if (!p.parent) return false;
      const bool iterates = analysis::in_iteration(p) && jump.op != Op::Continue;
      if (p.parent == target) return iterates && ir::holds_barrier(*target);
      if (analysis::in_iteration(p) && ir::holds_barrier(*p.parent)) return true;
      at = p.parent;
    }
  }

  static bool barrier_after(const Inst& i, const Block& b) {
    const auto rest = std::ranges::subrange(std::ranges::find(b.insts, &i) + 1, b.insts.end());
    return std::ranges::any_of(
        rest, [](const Inst* x) { return ir::is_barrier(x->op) || ir::holds_barrier(*x); });
  }

  const ir::Function& f_;
  const analysis::BlockLevel& level_;
  const std::function<bool(const Inst&)>& diverges_;
  analysis::Tree tree_;
  std::unordered_map<const Inst*, bool> after_, next_;  // of loops and scopes: a barrier is ahead
  bool found_ = false;
};

}  // namespace

bool may_wait_at_different_barriers(const ir::Function& f, const analysis::BlockLevel& level,
                                    const std::function<bool(const Inst&)>& diverges) {
  return Paths(f, level, diverges).found();
}

}  // namespace cuda_device::passes
