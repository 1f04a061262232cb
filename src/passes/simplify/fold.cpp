#include "passes/simplify/fold.h"

#include <utility>

#include "ir/float_environment.h"
#include "ir/machine.h"
#include "passes/rewrite.h"
#include "passes/simplify/constants.h"
#include "passes/simplify/simplify.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Builder;
using ir::Function;
using ir::Inst;
using ir::Op;

class Folding {
 public:
  explicit Folding(Function& f) : function_(f) {}

  void block(Block& b) {
    Block rewritten;
    append(b, rewritten);
    b.insts = std::move(rewritten.insts);
  }

 private:
  // Folds the instructions of `from` onto the end of `to`, up to the first that never falls
  // through.
  void append(Block& from, Block& to) {
    for (Inst* inst : from.insts) {
      replacements_.update_operands(*inst);
      if (!instruction(*inst, to)) to.insts.push_back(inst);
      if (never_falls_through(to)) return;
    }
  }

  // Whether nothing is left of it, or it is placed already.
  bool instruction(Inst& inst, Block& to) {
    switch (inst.op) {
      case Op::If:
        return if_(inst, to);
      case Op::While:
        return while_(inst, to);
      case Op::For:
        return for_(inst, to);
      case Op::Scope:
        block(inst.regions[0]);
        return false;
      default:
        return value(inst, to);
    }
  }

  bool value(Inst& inst, Block& to) {
    Builder before(function_, to);
    before.set_span(inst.span);
    while (Inst* simpler = simplify(before, inst)) {
      if (simpler == &inst) continue;
      replacements_.replace(inst, simpler);
      return true;
    }
    return false;
  }

  bool if_(Inst& inst, Block& to) {
    if (is_const(*inst.operands[0])) {
      append(inst.regions[inst.operands[0]->imm ? 0 : 1], to);
      return true;
    }
    for (Block& region : inst.regions) block(region);
    if (inst.regions[0].empty() && !inst.regions[1].empty()) turn_round(inst, to);
    return false;
  }

  // if c {} else { x } → if not c { x }
  void turn_round(Inst& inst, Block& to) {
    Builder before(function_, to);
    before.set_span(inst.span);
    Inst* opposite = before.op(Op::Not, {inst.operands[0]});
    to.insts.pop_back();
    if (!value(*opposite, to)) to.insts.push_back(opposite);
    inst.operands[0] = opposite;
    replacements_.update_operands(inst);
    std::swap(inst.regions[0], inst.regions[1]);
  }

  bool while_(Inst& inst, Block& to) {
    for (Block& region : inst.regions) block(region);
    const Inst& condition = *inst.regions[0].insts.back()->operands[0];
    if (!is_const(condition)) return false;
    if (condition.imm) {  // ends by break alone
      inst.regions[2].insts.clear();
      return false;
    }
    inst.regions[0].insts.pop_back();
    splice(inst.regions[0], to);
    splice(inst.regions[2], to);
    return true;
  }

  bool for_(Inst& inst, Block& to) {
    for (Block& region : inst.regions) block(region);
    const Inst &start = *inst.operands[0], &stop = *inst.operands[1], &step = *inst.operands[2];
    const bool known = is_const(start) && is_const(stop) && is_const(step);
    if (!known || ir::trip_count(start.type.scalar(), start.imm, stop.imm, step.imm) != 0) {
      return false;
    }
    splice(inst.regions[1], to);
    return true;
  }

  static void splice(const Block& folded, Block& to) {
    to.insts.insert(to.insts.end(), folded.insts.begin(), folded.insts.end());
  }

  Function& function_;
  Replacements replacements_;
};

}  // namespace

void fold(Function& f) {
  const ir::DefaultFloatEnvironment environment;
  Folding(f).block(f.body);
}

}  // namespace cuda_device::passes
