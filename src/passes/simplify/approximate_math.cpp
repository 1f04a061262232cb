#include "passes/simplify/approximate_math.h"

#include <cmath>

#include "passes/rewrite.h"

namespace cuda_device::passes {
namespace {

using ir::Builder;
using ir::Inst;
using ir::Op;

constexpr double kLog2OfE = 0x1.71547652b82fep+0, kLogOf2 = 0x1.62e42fefa39efp-1;
constexpr double kLog10Of2 = 0x1.34413509f79ffp-2;

class Approximation {
 public:
  explicit Approximation(ir::Function& f) : function_(f), allowed_(f.options) {}
  void run() { block(function_.body); }

 private:
  void block(ir::Block& b) {
    const std::vector<Inst*> before = std::move(b.insts);
    b.insts.clear();
    Builder builder(function_, b);
    for (Inst* inst : before) {
      replaced_.update_operands(*inst);
      builder.set_span(inst->span);
      if (Inst* estimate = inst->type == ir::kF32 ? estimate_of(builder, *inst) : nullptr) {
        replaced_.replace(*inst, estimate);
        continue;
      }
      b.insts.push_back(inst);
      for (ir::Block& region : inst->regions) block(region);
    }
  }

  Inst* estimate_of(Builder& b, const Inst& inst) const {
    if (inst.op == Op::Div) return allowed_.approximate_divide ? quotient(b, inst) : nullptr;
    if (inst.op == Op::Sqrt)
      return allowed_.approximate_sqrt ? b.op(Op::SqrtEstimate, {inst.operands[0]}) : nullptr;
    return allowed_.approximate_functions ? function(b, inst) : nullptr;
  }

  static Inst* quotient(Builder& b, const Inst& inst) {
    Inst *dividend = inst.operands[0], *divisor = inst.operands[1];
    // The root was looked at before: it is estimated where that is allowed.
    if (divisor->op == Op::SqrtEstimate) {
      Inst* inverse = b.op(Op::RsqrtEstimate, {divisor->operands[0]});
      return is_one(*dividend) ? inverse : b.op(Op::Mul, {dividend, inverse});
    }
    // A constant whose reciprocal is no normal number keeps its division: an estimate would make
    // zeros and infinities of ordinary quotients.
    if (divisor->op == Op::Const) {
      const double inverse = 1 / ir::const_as_double(*divisor);
      return std::isnormal(static_cast<float>(inverse))
                 ? b.op(Op::Mul, {dividend, b.const_float(ir::kF32, inverse)})
                 : nullptr;
    }
    return b.op(Op::DivEstimate, {dividend, divisor});
  }

  static Inst* function(Builder& b, const Inst& inst) {
    Inst* x = inst.operands.empty() ? nullptr : inst.operands[0];
    const auto times = [&](Inst* value, double factor) {
      return b.op(Op::Mul, {value, b.const_float(ir::kF32, factor)});
    };
    switch (inst.op) {
      case Op::Exp:
        return b.op(Op::Exp2Estimate, {times(x, kLog2OfE)});
      case Op::Exp2:
        return b.op(Op::Exp2Estimate, {x});
      case Op::Log:
        return times(b.op(Op::Log2Estimate, {x}), kLogOf2);
      case Op::Log2:
        return b.op(Op::Log2Estimate, {x});
      case Op::Log10:
        return times(b.op(Op::Log2Estimate, {x}), kLog10Of2);
      case Op::Pow: {
        Inst* exponent = b.op(Op::Mul, {inst.operands[1], b.op(Op::Log2Estimate, {x})});
        return b.op(Op::Exp2Estimate, {exponent});
      }
      case Op::Sin:
        return b.op(Op::SinEstimate, {x});
      case Op::Cos:
        return b.op(Op::CosEstimate, {x});
      case Op::Tan:
        return b.op(Op::DivEstimate, {b.op(Op::SinEstimate, {x}), b.op(Op::CosEstimate, {x})});
      case Op::Tanh:
        return b.op(Op::TanhEstimate, {x});
      default:
        return nullptr;
    }
  }

  static bool is_one(const Inst& x) { return x.op == Op::Const && ir::const_as_double(x) == 1.0; }

  ir::Function& function_;
  const FastMath& allowed_;
  Replacements replaced_;
};

}  // namespace

void approximate_math(ir::Function& f) {
  const FastMath& allowed = f.options;
  if (allowed.approximate_divide || allowed.approximate_sqrt || allowed.approximate_functions)
    Approximation(f).run();
}

}  // namespace cuda_device::passes
