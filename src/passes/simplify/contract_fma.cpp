#include "passes/simplify/contract_fma.h"

#include <algorithm>

#include "ir/visitor.h"
#include "passes/rewrite.h"
#include "passes/simplify/drop_assertions.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Builder;
using ir::Function;
using ir::Inst;
using ir::Op;

std::vector<uint32_t> count_uses_by(const Function& f, const std::vector<bool>& users) {
  std::vector<uint32_t> uses(f.inst_count());
  ir::for_each_inst(f.body, [&](const Inst& inst) {
    if (!users[inst.id]) return;
    for (const Inst* operand : needed_operands(inst)) ++uses[operand->id];
  });
  return uses;
}

class Contraction {
 public:
  explicit Contraction(Function& f)
      : function_(f),
        needed_(needed_without_assertions(f)),
        uses_(count_uses(f)),
        needed_uses_(count_uses_by(f, needed_)),
        home_(f.inst_count()),
        fused_(f.inst_count()) {}

  void block(Block& b) {
    Block rewritten;
    Builder before(function_, rewritten);
    for (Inst* inst : b.insts) {
      home_[inst->id] = &b;
      contract(before, *inst, b);
      rewritten.insts.push_back(inst);
      for (Block& region : inst->regions) block(region);
    }
    std::erase_if(rewritten.insts, [&](const Inst* i) { return is_fused(*i); });
    b.insts = std::move(rewritten.insts);
  }

 private:
  bool is_product_of(const Inst& sum, const Block& b, const Inst& inst) const {
    if (inst.op != Op::Mul || home_[inst.id] != &b) return false;
    return (needed_[sum.id] ? needed_uses_ : uses_)[inst.id] == 1;
  }

  // Instructions made here lie after the tables.
  bool is_fused(const Inst& inst) const { return inst.id < fused_.size() && fused_[inst.id]; }

  void contract(Builder& before, Inst& sum, const Block& b) {
    if (!sum.type.is_float() || sum.type.is_stored()) return;
    if (sum.op != Op::Add && sum.op != Op::Sub) return;
    Inst *left = sum.operands[0], *right = sum.operands[1];
    before.set_span(sum.span);
    if (is_product_of(sum, b, *left)) {
      Inst* addend = sum.op == Op::Sub ? before.op(Op::Neg, {right}) : right;
      fuse(sum, *left, left->operands[0], addend);
    } else if (is_product_of(sum, b, *right)) {
      Inst* factor = right->operands[0];
      if (sum.op == Op::Sub) factor = before.op(Op::Neg, {factor});
      fuse(sum, *right, factor, left);
    }
  }

  void fuse(Inst& sum, const Inst& product, Inst* factor, Inst* addend) {
    fused_[product.id] = uses_[product.id] == 1;  // else an assertion reads it too
    sum.op = Op::Fma;
    sum.operands = {factor, product.operands[1], addend};
  }

  Function& function_;
  const std::vector<bool> needed_;
  const std::vector<uint32_t> uses_, needed_uses_;
  std::vector<const Block*> home_;
  std::vector<bool> fused_;
};

void join_functions(Block& b, Replacements& replaced) {
  std::erase_if(b.insts, [&](Inst* inst) {
    replaced.update_operands(*inst);
    for (Block& region : inst->regions) join_functions(region, replaced);
    if (!crosses_call(*inst)) return false;
    replaced.replace(*inst, inst->operands[0]);
    return true;
  });
}

}  // namespace

void contract_fma(Function& f) {
  if (f.options.fmad) Contraction(f).block(f.body);
  Replacements replaced;
  join_functions(f.body, replaced);
}

}  // namespace cuda_device::passes
