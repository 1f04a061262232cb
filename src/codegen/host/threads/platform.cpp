#include "codegen/host/threads/platform.h"

#include <algorithm>
#include <cstddef>

#include "analysis/blocks/waiting_loops.h"
#include "codegen/host/machine/runtime_call.h"
#include "codegen/host/memory/atomic_element.h"
#include "codegen/thread/opaque.h"
#include "ir/atomic.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using abi::HostContext;
using abi::HostThread;
using abi::LaunchDims;
using abi::ThreadBarrier;
using abi::ThreadMeeting;
using ir::Inst;
using ir::Op;
using llvm::Value;

namespace {

ThreadBarrier barrier_kind(Op op) {
  switch (op) {
    case Op::Barrier:
      return ThreadBarrier::Barrier;
    case Op::BarrierCount:
      return ThreadBarrier::Count;
    case Op::BarrierAnd:
      return ThreadBarrier::And;
    case Op::BarrierOr:
      return ThreadBarrier::Or;
#define OP(name, ...) case Op::name:
#define BARRIER(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("no barrier");
}

ThreadMeeting meeting_kind(Op op) {
  switch (op) {
    case Op::ActiveMask:
      return ThreadMeeting::ActiveMask;
    case Op::WarpSync:
      return ThreadMeeting::Sync;
    case Op::VoteAll:
      return ThreadMeeting::All;
    case Op::VoteAny:
      return ThreadMeeting::Any;
    case Op::VoteEq:
      return ThreadMeeting::Eq;
    case Op::Ballot:
      return ThreadMeeting::Ballot;
    case Op::Shuffle:
      return ThreadMeeting::Shuffle;
    case Op::ShuffleUp:
      return ThreadMeeting::ShuffleUp;
    case Op::ShuffleDown:
      return ThreadMeeting::ShuffleDown;
    case Op::ShuffleXor:
      return ThreadMeeting::ShuffleXor;
    case Op::MatchAny:
      return ThreadMeeting::MatchAny;
    case Op::MatchAll:
      return ThreadMeeting::MatchAll;
#define OP(name, ...) case Op::name:
#define WARP(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("no operation of a warp");
}

// Shared arrays one after the other; those that overlap nothing else.
std::vector<uint64_t> shared_offsets(const ir::Function& f, uint32_t& bytes) {
  std::vector<uint64_t> offsets(f.arrays.size());
  uint64_t end = 0;
  for (size_t i = 0; i < f.arrays.size(); ++i) {
    const ir::Allocation& a = f.arrays[i];
    if (a.is_constant() || a.type.space != ir::AddressSpace::Shared) continue;
    offsets[i] = llvm::alignTo(end, a.align);
    end = offsets[i] + a.bytes();
  }
  bytes = static_cast<uint32_t>(llvm::alignTo(end, 64));
  return offsets;
}

constexpr uint64_t kDims = offsetof(HostContext, dims);

}  // namespace

ThreadPlatform::ThreadPlatform(thread::EmitContext& context, HostArithmetic& arithmetic,
                               const ThreadKernel& source, ThreadCode& code)
    : c_(context),
      arithmetic_(arithmetic),
      source_(source),
      waiting_(analysis::waiting_loops(source.function)),
      within_waiting_(analysis::within_waiting_loops(source.function, waiting_)),
      code_(code),
      offsets_(shared_offsets(source.function, code_.arena)) {}

// ------------------------------------------------------------------------------------- parameters

Value* ThreadPlatform::constant_load(Value* base, uint64_t offset, llvm::Type* type) {
  llvm::BasicBlock& entry = c_.kernel->getEntryBlock();
  Value*& value = loaded_[{base, offset}];
  if (value) return value;
  llvm::IRBuilder<> top(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  auto* read = top.CreateLoad(type, top.CreateConstInBoundsGEP1_64(top.getInt8Ty(), base, offset));
  read->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(c_.llvm(), {}));
  return value = read;
}

Value* ThreadPlatform::scalar(uint32_t param) {
  const ir::Type type = c_.function.params[param].type;
  Value* v = constant_load(c_.kernel->getArg(0), source_.layout.slots[param].offset,
                           memory_type(c_.llvm(), type.scalar()));
  if (!type.is_bool()) return v;
  return c_.b.CreateICmpNE(v, llvm::ConstantInt::get(v->getType(), 0));
}

Value* ThreadPlatform::data(uint32_t param) {
  return constant_load(c_.kernel->getArg(0), source_.layout.slots[param].offset, c_.b.getPtrTy());
}

Value* ThreadPlatform::extent(uint32_t param, int64_t axis) {
  const uint64_t offset = source_.layout.slots[param].offset + 8 + 8 * static_cast<uint64_t>(axis);
  return constant_load(c_.kernel->getArg(0), offset, c_.b.getInt64Ty());
}

Value* ThreadPlatform::stride(uint32_t param, int64_t axis) {
  const ir::Param& p = c_.function.params[param];
  if (p.facts.unit_inner && axis + 1 == p.type.ndim) return c_.b.getInt64(p.type.element_bytes());
  const uint64_t offset =
      source_.layout.slots[param].offset + 8 + 8 * (p.type.ndim + static_cast<uint64_t>(axis));
  return constant_load(c_.kernel->getArg(0), offset, c_.b.getInt64Ty());
}

// ----------------------------------------------------------------------------------------- memory

Value* ThreadPlatform::shared(size_t array) {
  Value* arena = constant_load(self(), offsetof(HostContext, arena), c_.b.getPtrTy());
  auto* read = llvm::cast<llvm::Instruction>(arena);
  llvm::IRBuilder<> after(read->getParent(), std::next(read->getIterator()));
  return after.CreateConstInBoundsGEP1_64(after.getInt8Ty(), arena, offsets_[array]);
}

Value* ThreadPlatform::dynamic_shared() {
  return constant_load(self(), offsetof(HostContext, shared), c_.b.getPtrTy());
}

Value* ThreadPlatform::dynamic_shared_bytes() {
  Value* bytes = constant_load(self(), kDims + offsetof(LaunchDims, shared), c_.b.getInt32Ty());
  return c_.b.CreateZExt(bytes, c_.b.getInt64Ty());
}

// --------------------------------------------------------------------------------------- position

Value* ThreadPlatform::dimension(size_t member, int64_t axis) {
  return constant_load(self(), member + 4 * static_cast<uint64_t>(axis), c_.b.getInt32Ty());
}

Value* ThreadPlatform::block_dim(int64_t axis) {
  const LaunchFacts& launch = c_.function.launch;
  if (launch.has_block()) return c_.b.getInt32(launch.block[static_cast<size_t>(axis)]);
  return dimension(kDims + offsetof(LaunchDims, block), axis);
}

Value* ThreadPlatform::thread_idx(int64_t axis) {
  return dimension(offsetof(HostThread, thread), axis);
}

Value* ThreadPlatform::block_idx(int64_t axis) {
  return dimension(offsetof(HostThread, block), axis);
}

Value* ThreadPlatform::lane_id() {
  Value* plane = c_.b.CreateAdd(c_.b.CreateMul(thread_idx(2), block_dim(1)), thread_idx(1));
  Value* linear = c_.b.CreateAdd(c_.b.CreateMul(plane, block_dim(0)), thread_idx(0));
  return c_.b.CreateAnd(linear, c_.b.getInt32(31));
}

Value* ThreadPlatform::position(const Inst& inst) {
  switch (inst.op) {
    case Op::ThreadIdx:
      return thread_idx(inst.imm);
    case Op::BlockIdx:
      return block_idx(inst.imm);
    case Op::BlockDim:
      return block_dim(inst.imm);
    case Op::GridDim:
      return dimension(kDims + offsetof(LaunchDims, grid), inst.imm);
    case Op::Tid:
      return c_.b.CreateAdd(c_.b.CreateMul(block_idx(inst.imm), block_dim(inst.imm)),
                            thread_idx(inst.imm));
    case Op::GridSize:
      return c_.b.CreateMul(dimension(kDims + offsetof(LaunchDims, grid), inst.imm),
                            block_dim(inst.imm));
    case Op::LaneId:
      return lane_id();
    default:
      CD_UNREACHABLE("not a position");
  }
}

// ---------------------------------------------------------------------------------------- meetings

llvm::CallInst* ThreadPlatform::call(const char* name, llvm::Type* result,
                                     llvm::ArrayRef<Value*> arguments) {
  return call_runtime(c_.b, c_.module, name, result, arguments);
}

Value* ThreadPlatform::site(const Inst& inst) {
  code_.sites.push_back(inst.span);
  return c_.b.getInt32(static_cast<uint32_t>(code_.sites.size() - 1));
}

Value* ThreadPlatform::meeting_site(const Inst& inst) {
  Value* where = site(inst);
  if (!within_waiting_[inst.id]) return where;
  return c_.b.CreateOr(where, c_.b.getInt32(abi::kWithinTurns));
}

Value* ThreadPlatform::barrier(const Inst& inst) {
  Value* operand = inst.op == Op::Barrier ? c_.b.getInt32(0)
                                          : c_.b.CreateZExt(c_.operand(inst, 0), c_.b.getInt32Ty());
  Value* result = call("cd_thread_barrier", c_.b.getInt32Ty(),
                       {self(), meeting_site(inst),
                        c_.b.getInt32(static_cast<uint32_t>(barrier_kind(inst.op))), operand});
  if (inst.op == Op::Barrier) return nullptr;
  if (inst.op == Op::BarrierCount) return result;
  return c_.b.CreateICmpNE(result, c_.b.getInt32(0));
}

Value* ThreadPlatform::meet_warp(const Inst& inst) {
  const size_t count = inst.operands.size();
  Value* mask = count > 0 ? c_.operand(inst, 0) : c_.b.getInt32(0);
  Value* value = count > 1 ? c_.bits_in_64(c_.operand(inst, 1)) : c_.b.getInt64(0);
  Value* number = count > 2 ? c_.operand(inst, 2) : c_.b.getInt32(0);
  Value* bits =
      call("cd_thread_meet", c_.b.getInt64Ty(),
           {self(), meeting_site(inst), c_.b.getInt32(static_cast<uint32_t>(meeting_kind(inst.op))),
            mask, value, number});
  if (inst.type.is_none()) return nullptr;
  llvm::Type* type = c_.type(inst.type.scalar());
  const auto size = static_cast<unsigned>(type->getScalarSizeInBits());
  return c_.b.CreateBitCast(c_.b.CreateTrunc(bits, c_.b.getIntNTy(size)), type);
}

namespace {

bool of_the_system(const Inst& i) {
  if (ir::info(i.op).imm != ir::ImmKind::Atomic) return false;
  const auto spec = ir::AtomicSpec::decoded(i.imm);
  return spec && spec->scope == ir::ThreadScope::System;
}

// Functions that it calls may.
bool reads_what_the_host_writes(const Inst& loop, const ir::Function& module) {
  if (ir::any_inside(loop, of_the_system)) return true;
  return ir::any_inside(loop, [](const Inst& i) { return i.op == Op::Call; }) &&
         std::ranges::any_of(module.functions, [](const auto& called) {
           return ir::any_inst(called->body, of_the_system);
         });
}

}  // namespace

void ThreadPlatform::turn(const Inst& loop, Value* state, const Word* word) {
  Value* where = site(loop);
  if (reads_what_the_host_writes(loop, source_.function.module()))
    where = c_.b.CreateOr(where, c_.b.getInt32(abi::kHostMayChange));
  if (!word) {
    call("cd_thread_turn", c_.b.getVoidTy(), {self(), where, state});
    return;
  }
  call("cd_thread_wait", c_.b.getVoidTy(),
       {self(), where, state, word->address, word->value, c_.b.getInt32(word->bytes)});
}

// ----------------------------------------------------------------------------------------- atomics

// One worker runs a block, so nobody else is at shared memory.
Value* ThreadPlatform::atomic(const Inst& inst, Value* pointer) {
  const ir::AtomicSpec spec = *ir::AtomicSpec::decoded(inst.imm);
  const bool alone = !spec.concurrent() || inst.operands[0]->type.space == ir::AddressSpace::Shared;
  const bool pair = inst.op == Op::AtomicLoadPair || inst.op == Op::AtomicStorePair;
  const ScalarKind kind = pair ? ScalarKind::I64 : inst.operands[0]->type.scalar();
  AtomicElement element(c_.b, arithmetic_, spec, kind, alone);
  const auto value = [&](size_t from_end) {
    return c_.operand(inst, inst.operands.size() - from_end);
  };
  switch (inst.op) {
    case Op::AtomicLoad:
      return element.load(c_.type(kind), pointer);
    case Op::AtomicStore:
      element.store(value(1), pointer);
      return nullptr;
    case Op::AtomicRmw:
      return element.rmw(value(1), pointer);
    case Op::AtomicCas:
      return element.compare_and_swap(value(2), value(1), pointer);
    case Op::AtomicLoadPair: {
      Value* both = element.load(c_.b.getInt128Ty(), pointer);
      c_.second[&inst] = c_.b.CreateTrunc(c_.b.CreateLShr(both, 64), c_.b.getInt64Ty());
      return c_.b.CreateTrunc(both, c_.b.getInt64Ty());
    }
    case Op::AtomicStorePair: {
      Value* low = c_.b.CreateZExt(value(2), c_.b.getInt128Ty());
      Value* high = c_.b.CreateShl(c_.b.CreateZExt(value(1), c_.b.getInt128Ty()), 64);
      element.store(c_.b.CreateOr(low, high), pointer);
      return nullptr;
    }
#define OP(name, ...) case Op::name:
#define ATOMIC(...)
#include "ir/op.def"
    break;
  }
  CD_UNREACHABLE("no atomic operation");
}

void ThreadPlatform::fence(const Inst& inst) {
  const ir::AtomicSpec spec = *ir::AtomicSpec::decoded(inst.imm);
  if (spec.orders()) c_.b.CreateFence(AtomicElement::ordering(spec.order));
}

// ----------------------------------------------------------------------------------------- reports

void ThreadPlatform::check(Value* holds, uint32_t failure, const Inst* message) {
  llvm::BasicBlock *failed = c_.new_block("failed"), *passed = c_.new_block("passed");
  c_.b.CreateCondBr(holds, passed, failed, llvm::MDBuilder(c_.llvm()).createLikelyBranchWeights());
  c_.b.SetInsertPoint(failed);
  Value* place =
      c_.b.CreateConstInBoundsGEP1_64(c_.b.getInt8Ty(), self(), offsetof(HostThread, block));
  static_assert(offsetof(HostThread, thread) == offsetof(HostThread, block) + 12);
  llvm::SmallVector<Value*, 8> values;
  for (size_t k = 1; message && k < message->operands.size(); ++k)
    values.push_back(thread::wide_operand(c_, *message, k));
  Value* memory = values.empty() ? llvm::ConstantPointerNull::get(c_.b.getPtrTy())
                                 : thread::in_memory(c_, values);
  auto* count = c_.b.getInt32(static_cast<uint32_t>(values.size()));
  call("cd_kernel_failed", c_.b.getVoidTy(), {self(), c_.b.getInt32(failure), place, count, memory})
      ->addFnAttr(llvm::Attribute::Cold);
  call("cd_thread_leave", c_.b.getVoidTy(), {self()})->setDoesNotReturn();
  c_.b.CreateUnreachable();
  c_.b.SetInsertPoint(passed);
}

void ThreadPlatform::print(const Inst& inst) {
  llvm::SmallVector<Value*, 8> values;
  for (size_t k = 0; k < inst.operands.size(); ++k)
    values.push_back(thread::wide_operand(c_, inst, k));
  call("cd_kernel_prints", c_.b.getVoidTy(),
       {self(), c_.b.getInt32(static_cast<uint32_t>(inst.imm)), c_.b.getInt32(1), c_.b.getInt64(1),
        thread::in_memory(c_, values)});
}

}  // namespace cuda_device::codegen::host
