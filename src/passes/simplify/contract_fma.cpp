#include "passes/simplify/contract_fma.h"

#include <algorithm>

#include "passes/rewrite.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Builder;
using ir::Function;
using ir::Inst;
using ir::Op;

class Contraction {
 public:
  explicit Contraction(Function& f)
      : function_(f), uses_(count_uses(f)), home_(f.inst_count()), fused_(f.inst_count()) {}

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
  bool is_product_of(const Block& b, const Inst& inst) const {
    return inst.op == Op::Mul && home_[inst.id] == &b && uses_[inst.id] == 1;
  }

  // Instructions made here lie after the tables.
  bool is_fused(const Inst& inst) const { return inst.id < fused_.size() && fused_[inst.id]; }

  void contract(Builder& before, Inst& sum, const Block& b) {
    if (!sum.type.is_float() || sum.type.is_stored()) return;
    if (sum.op != Op::Add && sum.op != Op::Sub) return;
    Inst *left = sum.operands[0], *right = sum.operands[1];
    before.set_span(sum.span);
    if (is_product_of(b, *left)) {
      Inst* addend = sum.op == Op::Sub ? before.op(Op::Neg, {right}) : right;
      fuse(sum, *left, left->operands[0], addend);
    } else if (is_product_of(b, *right)) {
      Inst* factor = right->operands[0];
      if (sum.op == Op::Sub) factor = before.op(Op::Neg, {factor});
      fuse(sum, *right, factor, left);
    }
  }

  void fuse(Inst& sum, const Inst& product, Inst* factor, Inst* addend) {
    fused_[product.id] = true;
    sum.op = Op::Fma;
    sum.operands = {factor, product.operands[1], addend};
  }

  Function& function_;
  const std::vector<uint32_t> uses_;
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
