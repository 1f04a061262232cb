// Dispatch over op.def: a Derived class that misses one visit_<Name>(Inst&) does not compile.
#pragma once

#include "ir/ir.h"
#include "support/check.h"

namespace cuda_device::ir {

template <class Derived, class Result = void, class InstRef = const Inst&>
class Visitor {
 public:
  Result visit(InstRef inst) {
    switch (inst.op) {
#define OP(name, ...) \
  case Op::name:      \
    return static_cast<Derived*>(this)->visit_##name(inst);
#include "ir/op.def"
    }
    CD_UNREACHABLE("unknown op");
  }
};

// Calls f on every instruction of the block and of the regions inside, in order.
template <class F>
void for_each_inst(const Block& block, F&& f) {
  for (Inst* inst : block.insts) {
    f(*inst);
    for (const Block& region : inst->regions) for_each_inst(region, f);
  }
}

}  // namespace cuda_device::ir
