#include "passes/memory/same_value.h"

#include "ir/effects.h"

namespace cuda_device::passes {
namespace {

using ir::Inst;
using ir::Op;

// Pairs of instructions that are compared for one question; indices are smaller.
constexpr int kMostPairs = 64;

class Comparison {
 public:
  explicit Comparison(const SameLoad& same_load) : same_load_(same_load) {}

  bool same(const Inst& a, const Inst& b) {
    if (&a == &b) return true;
    if (pairs_left_ == 0) return false;  // and so is every pair above
    --pairs_left_;
    const bool alike = a.op == b.op && a.type == b.type && a.imm == b.imm &&
                       a.operands.size() == b.operands.size();
    if (!alike) return false;
    if (a.op == Op::SlotLoad) return same_load_(a, b);
    if (!ir::is_pure(a.op)) return false;
    for (size_t k = 0; k < a.operands.size(); ++k)
      if (!same(*a.operands[k], *b.operands[k])) return false;
    return true;
  }

 private:
  const SameLoad& same_load_;
  int pairs_left_ = kMostPairs;
};

}  // namespace

bool same_value(const Inst& a, const Inst& b, const SameLoad& same_load) {
  return Comparison(same_load).same(a, b);
}
bool same_value(const Inst& a, const Inst& b) {
  return same_value(a, b, [](const Inst&, const Inst&) { return false; });
}

}  // namespace cuda_device::passes
