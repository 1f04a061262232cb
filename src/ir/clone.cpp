#include "ir/clone.h"

namespace cuda_device::ir {

Inst* clone(Function& f, const Inst& inst, Copies& copies) {
  Inst* copy = f.create(inst.op, inst.type, inst.span);
  copy->imm = inst.imm;
  for (Inst* operand : inst.operands) {
    const auto found = copies.find(operand);
    copy->operands.push_back(found == copies.end() ? operand : found->second);
  }
  copies[&inst] = copy;
  copy->regions.resize(inst.regions.size());
  for (size_t r = 0; r < inst.regions.size(); ++r)
    copy->regions[r].insts = clone(f, inst.regions[r], copies);
  return copy;
}

std::vector<Inst*> clone(Function& f, const Block& block, Copies& copies) {
  std::vector<Inst*> made;
  made.reserve(block.insts.size());
  for (const Inst* inst : block.insts) made.push_back(clone(f, *inst, copies));
  return made;
}

}  // namespace cuda_device::ir
