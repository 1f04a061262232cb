#include "passes/simplify/simplify.h"

namespace cuda_device::passes {

ir::Inst* simplify(ir::Builder& before, ir::Inst& inst) {
  for (auto* rules : {simplify_constant, simplify_array, simplify_integer, simplify_float,
                      simplify_compare, simplify_convert}) {
    if (ir::Inst* simpler = rules(before, inst)) return simpler;
  }
  return nullptr;
}

}  // namespace cuda_device::passes
