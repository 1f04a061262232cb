#include "passes/simplify/cse.h"

#include <unordered_set>

#include "ir/effects.h"
#include "passes/rewrite.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Function;
using ir::Inst;

struct Hash {
  size_t operator()(const Inst* inst) const {
    size_t h = static_cast<size_t>(inst->op);
    const auto mix = [&h](uint64_t value) { h = (h ^ value) * 0x9e3779b97f4a7c15ull + (h >> 29); };
    mix(inst->type.hash());
    mix(static_cast<uint64_t>(inst->imm));
    for (const Inst* operand : inst->operands) mix(operand->id);
    return h;
  }
};

struct SameValue {
  bool operator()(const Inst* a, const Inst* b) const {
    return a->op == b->op && a->type == b->type && a->imm == b->imm && a->operands == b->operands;
  }
};

class Elimination {
 public:
  void block(Block& b) {
    std::vector<Inst*> kept;
    std::vector<Inst*> added;  // to available_, by this block
    for (Inst* inst : b.insts) {
      replacements_.update_operands(*inst);
      if (is_repeated(*inst, added)) continue;
      kept.push_back(inst);
      for (Block& region : inst->regions) block(region);
    }
    for (Inst* inst : added) available_.erase(inst);
    b.insts = std::move(kept);
  }

 private:
  bool is_repeated(Inst& inst, std::vector<Inst*>& added) {
    if (!ir::is_pure(inst.op)) return false;
    auto [known, is_new] = available_.insert(&inst);
    if (is_new) {
      added.push_back(&inst);
    } else {
      replacements_.replace(inst, *known);
    }
    return !is_new;
  }

  std::unordered_set<Inst*, Hash, SameValue> available_;
  Replacements replacements_;
};

}  // namespace

void cse(Function& f) { Elimination().block(f.body); }

}  // namespace cuda_device::passes
