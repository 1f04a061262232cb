#include "passes/rewrite.h"

#include "ir/visitor.h"
#include "passes/simplify/tail_jumps.h"

namespace cuda_device::passes {

using ir::Block;
using ir::Function;
using ir::Inst;
using ir::Op;

std::vector<uint32_t> count_uses(const Function& f) {
  std::vector<uint32_t> uses(f.inst_count());
  ir::for_each_inst(f.body, [&](const Inst& inst) {
    for (const Inst* operand : inst.operands) ++uses[operand->id];
  });
  return uses;
}

std::vector<bool> loaded_slots(const Function& f) {
  std::vector<bool> loaded(f.slots.size());
  ir::for_each_inst(f.body, [&](const Inst& inst) {
    if (inst.op == Op::SlotLoad) loaded[static_cast<size_t>(inst.imm)] = true;
  });
  return loaded;
}

void Replacements::replace(const Inst& old, Inst* by) {
  if (by_id_.size() <= old.id) by_id_.resize(old.id + 1);
  by_id_[old.id] = by;
}

void Replacements::update_operands(Inst& inst) const {
  for (Inst*& operand : inst.operands) {
    while (operand->id < by_id_.size() && by_id_[operand->id]) operand = by_id_[operand->id];
  }
}

bool never_falls_through(const Block& block) {
  return !block.empty() && never_falls_through(*block.insts.back());
}

bool never_falls_through(const Inst& last) {
  if (last.op == Op::If) {
    return never_falls_through(last.regions[0]) && never_falls_through(last.regions[1]);
  }
  if (last.op == Op::Scope) {
    return never_falls_through(last.regions[0]) && !is_left_by_jump(last);
  }
  return ir::ends_block(last.op);
}

void make_constant(Inst& inst, int64_t value) {
  inst.op = Op::Const;
  inst.operands.clear();
  inst.imm = value;
}

}  // namespace cuda_device::passes
