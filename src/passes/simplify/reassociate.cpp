#include "passes/simplify/reassociate.h"

#include <algorithm>

#include "passes/rewrite.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Builder;
using ir::Inst;
using ir::Op;

constexpr size_t kFewestTerms = 4;

struct Term {
  Inst* value;
  bool negative;
};
using Terms = std::vector<Term>;

class Reassociation {
 public:
  explicit Reassociation(ir::Function& f)
      : function_(f), uses_(count_uses(f)), home_(f.inst_count()), inner_(f.inst_count()) {}

  void block(Block& b) {
    for (Inst* inst : b.insts) home_[inst->id] = &b;
    find_inner(b);
    const std::vector<Inst*> before = std::move(b.insts);
    b.insts.clear();
    Builder builder(function_, b);
    for (Inst* inst : before) {
      replaced_.update_operands(*inst);
      if (inner_[inst->id]) continue;
      builder.set_span(inst->span);
      if (Inst* sum = is_sum(*inst) ? by_pairs(builder, *inst) : nullptr) {
        replaced_.replace(*inst, sum);
        continue;
      }
      b.insts.push_back(inst);
      for (Block& region : inst->regions) block(region);
    }
  }

 private:
  static bool is_sum(const Inst& inst) {
    return (inst.op == Op::Add || inst.op == Op::Sub) && inst.type.is_float() &&
           !inst.type.is_stored();
  }

  // Marks the parts of sums that are long enough.
  void find_inner(const Block& b) {
    for (auto at = b.insts.rbegin(); at != b.insts.rend(); ++at) {
      if (!is_sum(**at) || inner_[(*at)->id]) continue;
      std::vector<Inst*> parts;
      if (parts_of(**at, b, parts) < kFewestTerms) continue;
      for (const Inst* part : parts) inner_[part->id] = true;
    }
  }

  bool is_part(const Inst& operand, const Block& b) const {
    return is_sum(operand) && home_[operand.id] == &b && uses_[operand.id] == 1;
  }

  // How many terms the sum has; `parts`: the sums among its operands, and theirs.
  size_t parts_of(const Inst& sum, const Block& b, std::vector<Inst*>& parts) const {
    std::vector<const Inst*> waiting{&sum};
    size_t terms = 1;
    while (!waiting.empty()) {
      const Inst* part = waiting.back();
      waiting.pop_back();
      ++terms;
      for (Inst* operand : part->operands) {
        if (!is_part(*operand, b)) continue;
        parts.push_back(operand);
        waiting.push_back(operand);
      }
    }
    return terms;
  }

  Terms terms_of(const Inst& sum) const {
    Terms terms;
    // The right operand waits below the left one, so that terms come in the order of the source.
    Terms waiting{{sum.operands[1], sum.op == Op::Sub}, {sum.operands[0], false}};
    while (!waiting.empty()) {
      const Term term = waiting.back();
      waiting.pop_back();
      const Inst& value = *term.value;
      if (value.id >= inner_.size() || !inner_[value.id]) {
        terms.push_back(term);
        continue;
      }
      waiting.push_back({value.operands[1], term.negative != (value.op == Op::Sub)});
      waiting.push_back({value.operands[0], term.negative});
    }
    return terms;
  }

  static Term added(Builder& b, const Term& x, const Term& y) {
    if (x.negative == y.negative) return {b.op(Op::Add, {x.value, y.value}), x.negative};
    if (x.negative) return {b.op(Op::Sub, {y.value, x.value}), false};
    return {b.op(Op::Sub, {x.value, y.value}), false};
  }

  // Null: the sum has too few terms.
  Inst* by_pairs(Builder& b, const Inst& sum) const {
    Terms terms = terms_of(sum);
    if (terms.size() < kFewestTerms) return nullptr;
    while (terms.size() > 1) {
      Terms sums;
      for (size_t i = 0; i + 1 < terms.size(); i += 2)
        sums.push_back(added(b, terms[i], terms[i + 1]));
      if (terms.size() % 2 == 1) sums.push_back(terms.back());
      terms = std::move(sums);
    }
    return terms[0].negative ? b.op(Op::Neg, {terms[0].value}) : terms[0].value;
  }

  ir::Function& function_;
  const std::vector<uint32_t> uses_;
  std::vector<const Block*> home_;
  std::vector<bool> inner_;  // by Inst::id: a part of a longer sum, which is added anew
  Replacements replaced_;
};

}  // namespace

void reassociate(ir::Function& f) {
  if (f.options.reassociate) Reassociation(f).block(f.body);
}

}  // namespace cuda_device::passes
