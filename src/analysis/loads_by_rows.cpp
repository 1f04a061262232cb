#include "analysis/loads_by_rows.h"

#include "analysis/block_level.h"
#include "analysis/far_arrays.h"
#include "analysis/trips.h"

namespace cuda_device::analysis {
namespace {

bool stands_in_loop(const ir::Inst& i, const Tree& tree, const Analysis& a) {
  for (const ir::Inst* around = tree.place(i).parent; around; around = tree.place(*around).parent)
    if (is_loop(*around) && !written_out(*around, a, kMostWrittenOut)) return true;
  return false;
}

}  // namespace

std::vector<bool> loads_by_rows(const ir::Function& f, const Analysis& a) {
  std::vector<bool> found(f.inst_count());
  if (BlockLevel(f).has_barrier()) return found;
  const Tree tree(f);
  ir::for_each_inst(f.body, [&](const ir::Inst& i) {
    if (i.op != ir::Op::Load || !lies_beyond_cache(*i.operands[0], f)) return;
    found[i.id] = i.operands[0]->type.ndim > 1 && !stands_in_loop(i, tree, a);
  });
  return found;
}

}  // namespace cuda_device::analysis
