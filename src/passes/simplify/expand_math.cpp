#include "passes/simplify/expand_math.h"

#include <functional>
#include <unordered_map>

#include "passes/simplify/ir_emitter.h"
#include "passes/simplify/math_f32.h"

namespace cuda_device::passes {
namespace {

using ir::Inst;
using ir::Op;

class Expansion {
 public:
  explicit Expansion(ir::Function& f) : function_(f) {}
  void run() { block(function_.body); }

 private:
  void block(ir::Block& b);
  Inst* expanded(ir::Builder& builder, Inst& inst);
  Inst* angle_function(ir::Builder& builder, Inst& inst);
  void redirect(Inst& inst);

  ir::Function& function_;
  std::unordered_map<Inst*, Inst*> replaced_;
};

bool is_hot(const Inst& inst) {
  if (inst.type != ir::kF32) return false;
  switch (inst.op) {
    case Op::Exp:
    case Op::Exp2:
    case Op::Log:
    case Op::Log2:
    case Op::Sin:
    case Op::Cos:
    case Op::Tanh:
    case Op::Erf:
    case Op::Pow:
    case Op::Exp2Estimate:
    case Op::Log2Estimate:
    case Op::SinEstimate:
    case Op::CosEstimate:
    case Op::TanhEstimate:
      return true;
    default:
      return false;
  }
}

void Expansion::redirect(Inst& inst) {
  for (Inst*& operand : inst.operands)
    if (auto at = replaced_.find(operand); at != replaced_.end()) operand = at->second;
}

// Rebuilds the block: kept instructions are appended as they are, hot ones as their expansion.
void Expansion::block(ir::Block& b) {
  const std::vector<Inst*> before = std::move(b.insts);
  b.insts.clear();
  ir::Builder builder(function_, b);
  for (Inst* inst : before) {
    redirect(*inst);
    if (is_hot(*inst)) {
      builder.set_span(inst->span);
      replaced_[inst] = expanded(builder, *inst);
      continue;
    }
    b.insts.push_back(inst);
    for (ir::Block& region : inst->regions) block(region);
  }
}

Inst* Expansion::expanded(ir::Builder& builder, Inst& inst) {
  IrEmitter e(builder);
  Inst* x = inst.operands[0];
  switch (inst.op) {
    case Op::Exp:
      return math::exp(e, x);
    case Op::Exp2:
    case Op::Exp2Estimate:
      return math::exp2(e, x);
    case Op::Log:
      return math::log(e, x);
    case Op::Log2:
      return math::log2(e, x);
    case Op::Tanh:
      return math::tanh(e, x);
    case Op::Erf:
      return math::erf(e, x);
    case Op::Pow:
      return math::pow(e, x, inst.operands[1]);
    case Op::Log2Estimate:
      return math::log2_estimate(e, x);
    case Op::SinEstimate:
      return math::sin_or_cos_estimate(e, x, 0);
    case Op::CosEstimate:
      return math::sin_or_cos_estimate(e, x, 1);
    case Op::TanhEstimate:
      return math::tanh_estimate(e, x);
    default:
      return angle_function(builder, inst);
  }
}

// The reduction is exact enough up to kTrigLimit; the library's function serves beyond (and
// infinities, NaN).
Inst* Expansion::angle_function(ir::Builder& builder, Inst& inst) {
  IrEmitter e(builder);
  Inst* x = inst.operands[0];
  const auto slot = static_cast<uint32_t>(function_.slots.size());
  function_.slots.push_back({"", ir::kF32});
  builder.slot_store(slot, inst.op == Op::Sin ? math::sin(e, x) : math::cos(e, x));
  Inst* beyond = e.not_(builder.op(Op::Le, {e.abs(x), e.f(math::kTrigLimit)}));
  Inst* branch = builder.control(Op::If, {beyond}, 2);
  ir::Builder inside(function_, ir::then_block(*branch));
  inside.set_span(inst.span);
  inside.slot_store(slot, inside.op(inst.op, {x}));
  return builder.slot_load(slot);
}

}  // namespace

void expand_math(ir::Function& f) { Expansion(f).run(); }

}  // namespace cuda_device::passes
