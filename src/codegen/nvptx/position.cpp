#include "codegen/nvptx/position.h"

#include "support/check.h"

namespace cuda_device::codegen::nvptx {
namespace {

namespace id = llvm::Intrinsic;
using ir::Op;

constexpr id::ID kThreadIdx[] = {id::nvvm_read_ptx_sreg_tid_x, id::nvvm_read_ptx_sreg_tid_y,
                                 id::nvvm_read_ptx_sreg_tid_z};
constexpr id::ID kBlockIdx[] = {id::nvvm_read_ptx_sreg_ctaid_x, id::nvvm_read_ptx_sreg_ctaid_y,
                                id::nvvm_read_ptx_sreg_ctaid_z};
constexpr id::ID kBlockDim[] = {id::nvvm_read_ptx_sreg_ntid_x, id::nvvm_read_ptx_sreg_ntid_y,
                                id::nvvm_read_ptx_sreg_ntid_z};
constexpr id::ID kGridDim[] = {id::nvvm_read_ptx_sreg_nctaid_x, id::nvvm_read_ptx_sreg_nctaid_y,
                               id::nvvm_read_ptx_sreg_nctaid_z};
constexpr uint32_t kMaxBlock[] = {1024, 1024, 64};

struct Reader {
  EmitContext& c;
  size_t axis;

  llvm::Value* special_register(id::ID which) const { return c.b.CreateIntrinsic(which, {}); }

  // Below `end`, as the limits of a launch or its facts say.
  llvm::Value* bounded(id::ID which, uint64_t end) const {
    auto* call = c.b.CreateIntrinsic(which, {});
    call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, end)));
    return call;
  }

  llvm::Value* block_dim() const {
    const LaunchFacts& launch = c.function.launch;
    if (launch.has_block()) return c.b.getInt32(launch.block[axis]);
    return bounded(kBlockDim[axis], uint64_t{kMaxBlock[axis]} + 1);
  }

  llvm::Value* thread_idx() const {
    const LaunchFacts& launch = c.function.launch;
    const uint32_t extent = launch.has_block() ? launch.block[axis] : kMaxBlock[axis];
    return extent == 1 ? c.b.getInt32(0) : bounded(kThreadIdx[axis], extent);
  }

  // Facts of the launch say that neither product nor sum leaves 31 bits.
  llvm::Value* tid() const {
    const bool fits = c.function.launch.grid_fits_31;
    llvm::Value* start =
        c.b.CreateMul(special_register(kBlockIdx[axis]), block_dim(), "", fits, fits);
    return c.b.CreateAdd(start, thread_idx(), "", fits, fits);
  }

  llvm::Value* grid_size() const {
    const bool fits = c.function.launch.grid_fits_31;
    return c.b.CreateMul(special_register(kGridDim[axis]), block_dim(), "", fits, fits);
  }
};

}  // namespace

llvm::Value* emit_position(EmitContext& c, const ir::Inst& inst) {
  const Reader r{c, static_cast<size_t>(inst.imm)};
  switch (inst.op) {
    case Op::ThreadIdx:
      return r.thread_idx();
    case Op::BlockIdx:
      return r.special_register(kBlockIdx[r.axis]);
    case Op::BlockDim:
      return r.block_dim();
    case Op::GridDim:
      return r.special_register(kGridDim[r.axis]);
    case Op::Tid:
      return r.tid();
    case Op::GridSize:
      return r.grid_size();
    case Op::LaneId:
      return r.special_register(id::nvvm_read_ptx_sreg_laneid);
    default:
      CD_UNREACHABLE("not a position");
  }
}

}  // namespace cuda_device::codegen::nvptx
