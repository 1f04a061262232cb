#include "passes/forward_slots.h"

#include "ir/visitor.h"
#include "passes/rewrite.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Function;
using ir::Inst;
using ir::Op;

// By slot; null = not known.
using Values = std::vector<Inst*>;

bool is_loop(const Inst& inst) { return inst.op == Op::While || inst.op == Op::For; }

void forget_stored(const Inst& inst, Values& known) {
  const auto forget = [&](const Inst& i) {
    if (i.op == Op::SlotStore || i.op == Op::For) known[static_cast<size_t>(i.imm)] = nullptr;
  };
  forget(inst);
  for (const Block& region : inst.regions) ir::for_each_inst(region, forget);
}

class Forwarding {
 public:
  void block(Block& b, Values known) {
    std::vector<Inst*> kept;
    for (Inst* inst : b.insts) {
      replacements_.update_operands(*inst);
      if (!instruction(*inst, known)) kept.push_back(inst);
    }
    b.insts = std::move(kept);
  }

 private:
  // Whether the instruction is replaced.
  bool instruction(Inst& inst, Values& known) {
    const auto slot = static_cast<size_t>(inst.imm);
    if (inst.op == Op::SlotStore) {
      known[slot] = inst.operands[0];
    } else if (inst.op == Op::SlotLoad && known[slot]) {
      replacements_.replace(inst, known[slot]);
      return true;
    } else if (inst.op == Op::SlotLoad) {
      known[slot] = &inst;
    } else if (!inst.regions.empty()) {
      regions(inst, known);
    }
    return false;
  }

  void regions(Inst& inst, Values& known) {
    Values after = known;
    forget_stored(inst, after);
    // A loop's regions are also entered with what an earlier iteration stored.
    for (Block& region : inst.regions) block(region, is_loop(inst) ? after : known);
    known = std::move(after);
  }

  Replacements replacements_;
};

}  // namespace

void forward_slots(Function& f) { Forwarding().block(f.body, Values(f.slots.size())); }

}  // namespace cuda_device::passes
