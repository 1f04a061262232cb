// What passes need to change a Function in place.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace cuda_device::passes {

// How often each instruction is an operand, by Inst::id.
std::vector<uint32_t> count_uses(const ir::Function& f);

// Whether any instruction reads each slot.
std::vector<bool> loaded_slots(const ir::Function& f);

// Instructions to be read in place of others. A pass walks in order and asks for each operand.
class Replacements {
 public:
  void replace(const ir::Inst& old, ir::Inst* by);
  void update_operands(ir::Inst& inst) const;

 private:
  std::vector<ir::Inst*> by_id_;
};

// True where control never runs past the end of the block, or of the instruction.
bool never_falls_through(const ir::Block& block);
bool never_falls_through(const ir::Inst& inst);

// A number that one function gives to another: a conversion to its own format, which contract_fma
// removes.
inline bool crosses_call(const ir::Inst& inst) {
  return inst.op == ir::Op::Convert && inst.operands[0]->type == inst.type;
}

// Turns the instruction into a constant; `value` as Inst::imm.
void make_constant(ir::Inst& inst, int64_t value);

}  // namespace cuda_device::passes
