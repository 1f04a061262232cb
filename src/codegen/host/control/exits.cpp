#include "codegen/host/control/exits.h"

#include "support/check.h"

namespace cuda_device::codegen::host {
namespace {

using ir::Inst;
using ir::Op;

class Finder {
 public:
  explicit Finder(const ir::Function& f) : exits_(f.inst_count()) { block(f.body); }
  std::vector<Exits> take() { return std::move(exits_); }

 private:
  struct Open {
    const Inst* inst;
    bool is_target;  // a loop is none while its else region is walked
  };

  void block(const ir::Block& b) {
    for (const Inst* inst : b.insts) instruction(*inst);
  }

  void instruction(const Inst& inst) {
    switch (inst.op) {
      case Op::Break:
        return leave_to(innermost(Op::While, Op::For, 0), &Exits::breaks);
      case Op::Continue:
        return leave_to(innermost(Op::While, Op::For, 0), &Exits::continues);
      case Op::Leave:
        return leave_to(innermost(Op::Scope, Op::Scope, inst.imm), &Exits::leaves);
      case Op::Return:
        return leave_to(-1, nullptr);
      default:
        return regions(inst);
    }
  }

  void regions(const Inst& inst) {
    if (inst.regions.empty()) return;
    for (size_t i = 0; i < inst.regions.size(); ++i) {
      const bool is_else = (inst.op == Op::While && i == 2) || (inst.op == Op::For && i == 1);
      open_.push_back({&inst, !is_else});
      block(inst.regions[i]);
      open_.pop_back();
    }
  }

  int innermost(Op a, Op b, int64_t skip) {
    for (int i = static_cast<int>(open_.size()) - 1; i >= 0; --i) {
      const Open& o = open_[static_cast<size_t>(i)];
      if ((o.inst->op == a || o.inst->op == b) && o.is_target && skip-- == 0) return i;
    }
    CD_UNREACHABLE("an exit without a target");
  }

  void leave_to(int target, bool Exits::* how) {
    if (target >= 0) exits_[open_[static_cast<size_t>(target)].inst->id].*how = true;
    for (size_t i = static_cast<size_t>(target) + 1; i < open_.size(); ++i)
      exits_[open_[i].inst->id].escapes = true;
  }

  std::vector<Exits> exits_;
  std::vector<Open> open_;
};

}  // namespace

std::vector<Exits> find_exits(const ir::Function& f) { return Finder(f).take(); }

}  // namespace cuda_device::codegen::host
