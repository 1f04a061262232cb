#include "passes/simplify/forward_slots.h"

#include "analysis/tree.h"
#include "passes/rewrite.h"
#include "passes/simplify/slot_contents.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Function;
using ir::Inst;
using ir::Op;

class Forwarding {
 public:
  explicit Forwarding(size_t slots) : contents_(slots) {}

  void block(Block& b) {
    std::vector<Inst*> kept;
    for (Inst* inst : b.insts) {
      replacements_.update_operands(*inst);
      if (!instruction(*inst)) kept.push_back(inst);
    }
    b.insts = std::move(kept);
  }

 private:
  // Whether the instruction is replaced.
  bool instruction(Inst& inst) {
    const auto slot = static_cast<size_t>(inst.imm);
    if (inst.op == Op::SlotStore) {
      contents_.stored(slot, inst.operands[0]);
    } else if (inst.op == Op::SlotLoad && contents_.of(slot)) {
      replacements_.replace(inst, contents_.of(slot));
      return true;
    } else if (inst.op == Op::SlotLoad) {
      contents_.loaded(slot, &inst);
    } else if (!inst.regions.empty()) {
      regions(inst);
    }
    return false;
  }

  void regions(Inst& inst) {
    // A loop's regions are also entered with what an earlier iteration stored.
    if (analysis::is_loop(inst)) contents_.forget_stored(inst);
    std::vector<size_t> stored;
    for (Block& region : inst.regions) {
      const size_t mark = contents_.mark();
      block(region);
      contents_.undo(mark, stored);
    }
    for (size_t slot : stored) contents_.forget(slot);
  }

  SlotContents contents_;
  Replacements replacements_;
};

}  // namespace

void forward_slots(Function& f) { Forwarding(f.slots.size()).block(f.body); }

}  // namespace cuda_device::passes
