#include "passes/tail_jumps.h"

#include <algorithm>

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Function;
using ir::Inst;
using ir::Op;

// The jump that does nothing at the end of a block.
struct Idle {
  Op jump = Op::Return;
  int64_t depth = 0;  // of a leave

  bool is(const Inst& inst) const {
    return inst.op == jump && (jump != Op::Leave || inst.imm == depth);
  }
};

class TailJumps {
 public:
  bool removed() const { return removed_; }

  void tail(Block& b, Idle idle) {
    if (!b.empty() && idle.is(*b.insts.back())) {
      b.insts.pop_back();
      removed_ = true;
    }
    for (Inst* inst : b.insts) {
      if (inst->op == Op::If && inst == b.insts.back()) {
        for (Block& region : inst->regions) tail(region, idle);
      } else {
        inside(*inst);
      }
    }
  }

 private:
  // Blocks at whose end control goes somewhere by itself.
  void inside(Inst& inst) {
    switch (inst.op) {
      case Op::Scope:
        return tail(inst.regions[0], {Op::Leave, 0});
      case Op::For:
        tail(inst.regions[0], {Op::Continue});
        return plain(inst.regions[1]);
      case Op::While:
        plain(inst.regions[0]);
        tail(inst.regions[1], {Op::Continue});
        return plain(inst.regions[2]);
      default:
        for (Block& region : inst.regions) plain(region);
    }
  }

  void plain(Block& b) {
    for (Inst* inst : b.insts) inside(*inst);
  }

  bool removed_ = false;
};

// Calls f(leave, depth) for every leave that goes beyond the block, `depth` being the number that means the scope around it.
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
  jumps.tail(f.body, {Op::Return});
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
