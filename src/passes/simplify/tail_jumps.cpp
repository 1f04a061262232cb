#include "passes/simplify/tail_jumps.h"

#include <algorithm>
#include <optional>

#include "ir/effects.h"
#include "passes/rewrite.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Function;
using ir::Inst;
using ir::Op;

// Jumps that do nothing at the end of a block.
struct Idle {
  std::vector<int64_t> leaves;  // depths
  bool continues = false;
  bool returns = false;

  bool contains(const Inst& inst) const {
    if (inst.op == Op::Leave) return std::ranges::find(leaves, inst.imm) != leaves.end();
    return (inst.op == Op::Continue && continues) || (inst.op == Op::Return && returns);
  }

  // The jumps that do nothing at the end of a scope that ends the block.
  Idle in_scope() const {
    Idle inner{{0}, continues, returns};
    for (int64_t depth : leaves) inner.leaves.push_back(depth + 1);
    return inner;
  }
};

// An early exit in a row of many costs a level of nesting; passes and codegen are recursive.
constexpr int kMaxDepth = 100;

// The side of an if that control can fall out of, if a jump that is idle at the end of the if's
// block ends the other one.
Block* side_that_goes_on(Inst& inst, const Idle& idle) {
  if (inst.op != Op::If) return nullptr;
  for (size_t side : {0, 1}) {
    const Block& b = inst.regions[side];
    if (!b.empty() && idle.contains(*b.insts.back())) return &inst.regions[1 - side];
  }
  return nullptr;
}

class TailJumps {
 public:
  bool removed() const { return removed_; }

  void block(Block& b, const Idle& idle) {
    ++depth_;
    if (!b.empty() && idle.contains(*b.insts.back())) {
      b.insts.pop_back();
      removed_ = true;
    }
    if (depth_ < kMaxDepth) move_tail_inside(b, idle);
    for (Inst* inst : b.insts) inside(*inst, inst == b.insts.back() ? idle : Idle{});
    --depth_;
  }

 private:
  // What follows an if with an early exit goes where the exit does not. What threads execute
  // together stays where it is: that those who miss a barrier have left the kernel is what makes it
  // right, and must show.
  static void move_tail_inside(Block& b, const Idle& idle) {
    std::optional<size_t> first;  // where none of it follows; looked for when it is asked for
    for (size_t i = 0; i + 1 < b.insts.size(); ++i) {
      Block* side = side_that_goes_on(*b.insts[i], idle);
      if (!side || never_falls_through(*side)) continue;
      if (!first) first = static_cast<size_t>(convergent_end(b) - b.insts.begin());
      if (i < *first) continue;
      const auto tail = b.insts.begin() + static_cast<ptrdiff_t>(i) + 1;
      side->insts.insert(side->insts.end(), tail, b.insts.end());
      b.insts.erase(tail, b.insts.end());
    }
  }

  // The index after the last instruction that threads execute together, or that holds one.
  static std::vector<Inst*>::iterator convergent_end(Block& b) {
    const auto holds = [](const Inst* inst) {
      return ir::converges(*inst) || std::ranges::any_of(inst->regions, ir::has_convergent);
    };
    return std::find_if(b.insts.rbegin(), b.insts.rend(), holds).base();
  }

  void inside(Inst& inst, const Idle& idle) {
    switch (inst.op) {
      case Op::Scope:
        return block(inst.regions[0], idle.in_scope());
      case Op::For:
        block(inst.regions[0], {.leaves = {}, .continues = true});
        return block(inst.regions[1], idle);
      case Op::While:
        block(inst.regions[0], {});
        block(inst.regions[1], {.leaves = {}, .continues = true});
        return block(inst.regions[2], idle);
      default:
        for (Block& region : inst.regions) block(region, idle);
    }
  }

  bool removed_ = false;
  int depth_ = 0;
};

// Calls f(leave, depth) for every leave that goes beyond the block, `depth` being the number that
// means the scope around it.
template <class F>
void for_each_leave(const Block& b, int64_t depth, F&& f) {
  for (Inst* inst : b.insts) {
    if (inst->op == Op::Leave && inst->imm >= depth) f(*inst, depth);
    for (const Block& region : inst->regions) {
      for_each_leave(region, depth + (inst->op == Op::Scope), f);
    }
  }
}

}  // namespace

bool remove_tail_jumps(Function& f) {
  TailJumps jumps;
  jumps.block(f.body, {.leaves = {}, .returns = f.results.empty()});
  return jumps.removed();
}

bool is_left_by_jump(const Inst& scope) {
  bool left = false;
  for_each_leave(scope.regions[0], 0,
                 [&](const Inst& leave, int64_t depth) { left |= leave.imm == depth; });
  return left;
}

std::vector<Inst*> body_without_scope(Inst& scope) {
  for_each_leave(scope.regions[0], 0, [](Inst& leave, int64_t) { --leave.imm; });
  return std::move(scope.regions[0].insts);
}

}  // namespace cuda_device::passes
