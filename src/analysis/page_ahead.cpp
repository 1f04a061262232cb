#include "analysis/page_ahead.h"

#include "analysis/block_level.h"
#include "analysis/far_arrays.h"
#include "analysis/trips.h"

namespace cuda_device::analysis {
namespace {

bool stands_in_loop(const ir::Inst& i, const Tree& tree, const Analysis& a) {
  for (const ir::Inst* around = tree.position(i).parent; around;
       around = tree.position(*around).parent)
    if (is_loop(*around) && !written_out(*around, a, kMostWrittenOut)) return true;
  return false;
}

// Each operation of lanes is two instructions or more; processors look ahead by 400 to 500, over a
// few gangs. Measured: three operations lose by asking, 39 gain a little, 67 twofold (0035).
bool computes_for_long(const ir::Function& f, const Analysis& a) {
  constexpr size_t kManyOperations = 30;
  size_t operations = 0;
  ir::for_each_inst(f.body, [&](const ir::Inst& i) {
    if (i.type.is_scalar() && a.shape(i).level == Level::Varying) ++operations;
  });
  return operations >= kManyOperations;
}

}  // namespace

std::vector<bool> loads_page_ahead(const ir::Function& f, const Analysis& a) {
  std::vector<bool> found(f.inst_count());
  if (BlockLevel(f).has_barrier()) return found;
  const Tree tree(f);
  const bool for_long = computes_for_long(f, a);
  ir::for_each_inst(f.body, [&](const ir::Inst& i) {
    if (i.op != ir::Op::Load || stands_in_loop(i, tree, a)) return;
    const ir::Inst& array = *i.operands[0];
    if (array.op != ir::Op::Param) return;  // the thread's own
    found[i.id] = for_long || (array.type.ndim > 1 && lies_beyond_cache(array, f));
  });
  return found;
}

}  // namespace cuda_device::analysis
