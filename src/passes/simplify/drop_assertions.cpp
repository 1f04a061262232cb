#include "passes/simplify/drop_assertions.h"

#include <ranges>

#include "ir/effects.h"
#include "passes/rewrite.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Function;
using ir::Inst;
using ir::Op;

// Threads of a GPU wait for each other: a WarpCheck has nothing to find there.
bool is_assertion(const Function& f, const Inst& inst) {
  return inst.op == Op::WarpCheck ||
         (inst.op == Op::Check && f.failures[static_cast<size_t>(inst.imm)].assertion);
}

void drop(const Function& f, Block& block) {
  std::erase_if(block.insts, [&](const Inst* inst) { return is_assertion(f, *inst); });
  for (Inst* inst : block.insts)
    for (Block& region : inst->regions) drop(f, region);
}

// What dce would keep. It walks from the last instruction to the first, so all that is after an
// instruction has been looked at; loads of slots in loops are found by walking again.
class Needed {
 public:
  explicit Needed(const Function& f)
      : function_(f), needed_(f.inst_count()), used_(f.inst_count()), loaded_(f.slots.size()) {}

  std::vector<bool> find() {
    do {
      changed_ = false;
      block(function_.body);
    } while (changed_);
    return std::move(needed_);
  }

 private:
  // Whether any instruction of the block is needed.
  bool block(const Block& b) {
    bool any = false;
    for (const Inst* inst : b.insts | std::views::reverse) {
      if (!is_needed(*inst)) continue;
      any = true;
      note(*inst);
    }
    return any;
  }

  bool is_needed(const Inst& inst) {
    bool inside = false;
    for (const Block& region : inst.regions | std::views::reverse) inside |= block(region);
    if (is_assertion(function_, inst)) return false;
    if (crosses_call(inst)) return true;
    if (ir::may_remove(inst)) return used_[inst.id];
    if (ir::sets_slot(inst.op)) return inside || is_loaded(inst);
    return inside || inst.regions.empty();
  }

  bool is_loaded(const Inst& inst) const { return loaded_[static_cast<size_t>(inst.imm)]; }

  void note(const Inst& inst) {
    if (needed_[inst.id]) return;
    needed_[inst.id] = changed_ = true;
    for (const Inst* operand : needed_operands(inst)) used_[operand->id] = true;
    if (inst.op == Op::SlotLoad) loaded_[static_cast<size_t>(inst.imm)] = true;
  }

  const Function& function_;
  std::vector<bool> needed_, used_, loaded_;
  bool changed_ = false;
};

}  // namespace

void drop_assertions(Function& f) { drop(f, f.body); }

std::span<Inst* const> needed_operands(const Inst& inst) {
  const std::span<Inst* const> operands = inst.operands;
  return inst.op == Op::Check ? operands.first(1) : operands;
}

std::vector<bool> needed_without_assertions(const Function& f) { return Needed(f).find(); }

}  // namespace cuda_device::passes
