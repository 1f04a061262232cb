#include "codegen/nvptx/barriers.h"

#include "support/check.h"

namespace cuda_device::codegen::nvptx {
namespace {

namespace id = llvm::Intrinsic;
using ir::Op;

id::ID reduction(Op op) {
  switch (op) {
    case Op::BarrierCount:
      return id::nvvm_barrier_cta_red_popc_aligned_all;
    case Op::BarrierAnd:
      return id::nvvm_barrier_cta_red_and_aligned_all;
    case Op::BarrierOr:
      return id::nvvm_barrier_cta_red_or_aligned_all;
    default:
      CD_UNREACHABLE("no barrier with a result");
  }
}

}  // namespace

// LLVM's intrinsics are convergent and may touch any memory: nothing moves across them. All use
// barrier 0, which counts the threads that have not left.
llvm::Value* emit_barrier(EmitContext& c, const ir::Inst& inst) {
  llvm::Value* barrier = c.b.getInt32(0);
  if (inst.op == Op::Barrier) {
    c.b.CreateIntrinsic(id::nvvm_barrier_cta_sync_aligned_all, {barrier});
    return nullptr;
  }
  return c.b.CreateIntrinsic(reduction(inst.op), {barrier, c.operand(inst, 0)});
}

}  // namespace cuda_device::codegen::nvptx
