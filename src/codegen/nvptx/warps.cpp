#include "codegen/nvptx/warps.h"

#include "support/check.h"

namespace cuda_device::codegen::nvptx {

using ir::Inst;
using ir::Op;
using llvm::Value;
namespace id = llvm::Intrinsic;

namespace {

constexpr unsigned kRegister = 32;  // bits that a shuffle moves

id::ID vote(Op op) {
  switch (op) {
    case Op::VoteAll:
      return id::nvvm_vote_all_sync;
    case Op::VoteAny:
      return id::nvvm_vote_any_sync;
    case Op::VoteEq:
      return id::nvvm_vote_uni_sync;
    case Op::Ballot:
      return id::nvvm_vote_ballot_sync;
#define OP(name, ...) case Op::name:
#define VOTE(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("no vote");
}

id::ID shuffle(Op op) {
  switch (op) {
    case Op::Shuffle:
      return id::nvvm_shfl_sync_idx_i32;
    case Op::ShuffleUp:
      return id::nvvm_shfl_sync_up_i32;
    case Op::ShuffleDown:
      return id::nvvm_shfl_sync_down_i32;
    case Op::ShuffleXor:
      return id::nvvm_shfl_sync_bfly_i32;
#define OP(name, ...) case Op::name:
#define SHUFFLE(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("no shuffle");
}

// The bits of a scalar, in 32 or 64 of them.
Value* bits_of_value(EmitContext& c, Value* v) {
  const auto bits = static_cast<unsigned>(v->getType()->getScalarSizeInBits());
  Value* own = c.b.CreateBitCast(v, c.b.getIntNTy(bits));
  return bits < kRegister ? c.b.CreateZExt(own, c.b.getInt32Ty()) : own;
}

Value* value_of_bits(EmitContext& c, Value* bits, llvm::Type* type) {
  const auto size = static_cast<unsigned>(type->getScalarSizeInBits());
  return c.b.CreateBitCast(c.b.CreateTrunc(bits, c.b.getIntNTy(size)), type);
}

// The last operand: the lane at which lanes end, and below which they begin, in segments of 32.
Value* shuffled(EmitContext& c, const Inst& inst, Value* bits) {
  Value* end = c.b.getInt32(inst.op == Op::ShuffleUp ? 0 : 31);
  return c.b.CreateIntrinsic(shuffle(inst.op), {c.operand(inst, 0), bits, c.operand(inst, 2), end});
}

Value* emit_vote(EmitContext& c, const Inst& inst) {
  return c.b.CreateIntrinsic(vote(inst.op), {c.operand(inst, 0), c.operand(inst, 1)});
}

Value* emit_shuffle(EmitContext& c, const Inst& inst) {
  Value* own = c.operand(inst, 1);
  Value* bits = bits_of_value(c, own);
  if (bits->getType()->isIntegerTy(kRegister))
    return value_of_bits(c, shuffled(c, inst, bits), own->getType());
  llvm::Type* wide = bits->getType();
  Value* low = shuffled(c, inst, c.b.CreateTrunc(bits, c.b.getInt32Ty()));
  Value* high =
      shuffled(c, inst, c.b.CreateTrunc(c.b.CreateLShr(bits, kRegister), c.b.getInt32Ty()));
  Value* both =
      c.b.CreateOr(c.b.CreateZExt(low, wide), c.b.CreateShl(c.b.CreateZExt(high, wide), kRegister));
  return value_of_bits(c, both, own->getType());
}

Value* emit_match(EmitContext& c, const Inst& inst) {
  Value* bits = bits_of_value(c, c.operand(inst, 1));
  const bool wide = !bits->getType()->isIntegerTy(kRegister);
  const auto match = [&](id::ID in_32_bits, id::ID in_64_bits) {
    return c.b.CreateIntrinsic(wide ? in_64_bits : in_32_bits, {c.operand(inst, 0), bits});
  };
  switch (inst.op) {
    case Op::MatchAny:
      return match(id::nvvm_match_any_sync_i32, id::nvvm_match_any_sync_i64);
    case Op::MatchAll:
      return c.b.CreateExtractValue(
          match(id::nvvm_match_all_sync_i32p, id::nvvm_match_all_sync_i64p), 0);
#define OP(name, ...) case Op::name:
#define MATCH(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("no match");
}

}  // namespace

Value* emit_warp(EmitContext& c, const Inst& inst) {
  switch (inst.op) {
    case Op::ActiveMask:
      return c.b.CreateIntrinsic(id::nvvm_activemask, {});
    case Op::WarpSync:
      c.b.CreateIntrinsic(id::nvvm_bar_warp_sync, {c.operand(inst, 0)});
      return nullptr;
#define VOTE(name, ...) case Op::name:
#include "ir/op.def"
      return emit_vote(c, inst);
#define SHUFFLE(name, ...) case Op::name:
#include "ir/op.def"
      return emit_shuffle(c, inst);
#define MATCH(name, ...) case Op::name:
#include "ir/op.def"
      return emit_match(c, inst);
#define OP(name, ...) case Op::name:
#define WARP(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("no operation of a warp");
}

}  // namespace cuda_device::codegen::nvptx
