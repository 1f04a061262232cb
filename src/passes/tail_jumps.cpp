#include "passes/tail_jumps.h"

#include <algorithm>

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

  // At the end of a scope that stands at the end of the block.
  Idle in_scope() const {
    Idle inner{{0}, continues, returns};
    for (int64_t depth : leaves) inner.leaves.push_back(depth + 1);
    return inner;
  }
};

class TailJumps {
 public:
  bool removed() const { return removed_; }

  void block(Block& b, const Idle& idle) {
    if (!b.empty() && idle.contains(*b.insts.back())) {
      b.insts.pop_back();
      removed_ = true;
    }
    for (Inst* inst : b.insts) inside(*inst, inst == b.insts.back() ? idle : Idle{});
  }

 private:
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
  jumps.block(f.body, {.leaves = {}, .returns = true});
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
