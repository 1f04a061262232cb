#include <algorithm>
#include <cmath>

#include "ir/evaluate.h"
#include "passes/rewrite.h"
#include "passes/simplify/constants.h"
#include "passes/simplify/simplify.h"

namespace cuda_device::passes {
namespace {

using ir::Inst;
using ir::Op;

// NaNs are left to the target: which one comes out is not the same everywhere.
bool is_nan(ir::Type type, int64_t bits) {
  return type.is_float() && std::isnan(ir::float_of_bits(type.scalar(), bits));
}

Inst* evaluate(Inst& inst) {
  const auto& operands = inst.operands;
  const ir::Evaluator evaluator = ir::evaluator(inst);
  if (!evaluator || !ir::is_exact(inst.op)) return nullptr;
  if (!std::ranges::all_of(operands, [](const Inst* i) { return is_const(*i); })) return nullptr;
  const auto operand = [&](size_t i) { return i < operands.size() ? operands[i]->imm : 0; };
  const int64_t value = evaluator(operand(0), operand(1), operand(2));
  if (is_nan(inst.type, value)) return nullptr;
  make_constant(inst, value);
  return &inst;
}

Inst* from_launch(const LaunchFacts& facts, Inst& inst) {
  const uint32_t extent = facts.block[static_cast<size_t>(inst.imm)];
  if (inst.op == Op::BlockDim) {
    make_constant(inst, extent);
    return &inst;
  }
  if (inst.op == Op::ThreadIdx && extent == 1) {
    make_constant(inst, 0);
    return &inst;
  }
  return nullptr;
}

}  // namespace

Inst* simplify_constant(ir::Builder& before, Inst& inst) {
  const LaunchFacts& facts = before.function().launch;
  if (inst.op == Op::BlockDim || inst.op == Op::ThreadIdx) {
    return facts.has_block() ? from_launch(facts, inst) : nullptr;
  }
  return evaluate(inst);
}

}  // namespace cuda_device::passes
