#include "codegen/nvptx/platform.h"

#include "codegen/nvptx/atomics.h"
#include "codegen/nvptx/position.h"
#include "codegen/nvptx/reports.h"
#include "codegen/nvptx/warps.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace cuda_device::codegen::nvptx {
namespace {

using ir::Inst;
using ir::Op;
using llvm::Value;

constexpr unsigned kSharedSpace = 3;
// No kernel has a $ in its symbol.
constexpr const char* kShared = "shared$";
constexpr const char* kDynamicShared = "dynamic$shared";
constexpr uint64_t kDynamicAlign = 16;  // the widest load

llvm::GlobalVariable* shared_variable(llvm::Module& module, uint64_t bytes,
                                      llvm::GlobalValue::LinkageTypes linkage,
                                      const std::string& name, uint64_t align) {
  llvm::Type* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), bytes);
  const bool external = linkage == llvm::GlobalValue::ExternalLinkage;
  auto* variable = new llvm::GlobalVariable(
      module, type, false, linkage, external ? nullptr : llvm::UndefValue::get(type), name, nullptr,
      llvm::GlobalValue::NotThreadLocal, kSharedSpace);
  variable->setAlignment(llvm::Align(align));
  return variable;
}

llvm::Intrinsic::ID reduction(Op op) {
  switch (op) {
    case Op::Barrier:
      break;
    case Op::BarrierCount:
      return llvm::Intrinsic::nvvm_barrier_cta_red_popc_aligned_all;
    case Op::BarrierAnd:
      return llvm::Intrinsic::nvvm_barrier_cta_red_and_aligned_all;
    case Op::BarrierOr:
      return llvm::Intrinsic::nvvm_barrier_cta_red_or_aligned_all;
#define OP(name, ...) case Op::name:
#define BARRIER(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("no barrier with a result");
}

}  // namespace

// One for all functions of the module.
Value* Platform::shared(size_t array) {
  const ir::Allocation& a = c_.function.arrays[array];
  const std::string name = kShared + std::to_string(array);
  if (!shared_[array]) shared_[array] = c_.module.getGlobalVariable(name, /*AllowInternal=*/true);
  if (!shared_[array])
    shared_[array] =
        shared_variable(c_.module, a.bytes(), llvm::GlobalValue::InternalLinkage, name, a.align);
  return shared_[array];
}

Value* Platform::dynamic_shared() {
  if (llvm::GlobalVariable* known = c_.module.getNamedGlobal(kDynamicShared)) return known;
  return shared_variable(c_.module, 0, llvm::GlobalValue::ExternalLinkage, kDynamicShared,
                         kDynamicAlign);
}

Value* Platform::dynamic_shared_bytes() {
  return c_.b.CreateZExt(
      c_.b.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size, {}),
      c_.b.getInt64Ty());
}

unsigned Platform::constant_space() const { return kGlobalSpace; }

Value* Platform::position(const Inst& inst) { return emit_position(c_, inst); }

// LLVM's intrinsics are convergent and may touch any memory: nothing moves across them. All use
// barrier 0, which counts the threads that have not left.
Value* Platform::barrier(const Inst& inst) {
  Value* barrier = c_.b.getInt32(0);
  if (inst.op != Op::Barrier)
    return c_.b.CreateIntrinsic(reduction(inst.op), {barrier, c_.operand(inst, 0)});
  c_.b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {barrier});
  return nullptr;
}

Value* Platform::meet_warp(const Inst& inst) { return emit_warp(c_, inst); }

Value* Platform::atomic(const Inst& inst, Value* pointer) { return emit_atomic(c_, inst, pointer); }

void Platform::fence(const Inst& inst) { emit_fence(c_, inst); }

void Platform::check(Value* holds, uint32_t, const Inst*) { emit_check(c_, holds); }

void Platform::print(const Inst& inst) { emit_print(c_, inst); }

// -------------------------------------------------------------------- functions that are called

std::vector<bool> arrays_of_called(const ir::Function& kernel) {
  std::vector<bool> used(kernel.params.size());
  for (const auto& f : kernel.functions) {
    ir::for_each_inst(f->body, [&](const Inst& i) {
      if (i.op == Op::Param && i.type.is_array()) used[static_cast<size_t>(i.imm)] = true;
    });
  }
  return used;
}

llvm::SmallVector<llvm::Type*> environment_types(llvm::LLVMContext& context,
                                                 const ir::Function& kernel) {
  llvm::SmallVector<llvm::Type*> types;
  const std::vector<bool> used = arrays_of_called(kernel);
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    types.push_back(llvm::PointerType::get(context, kGlobalSpace));
    types.append(2 * size_t{kernel.params[i].type.ndim}, llvm::Type::getInt64Ty(context));
  }
  return types;
}

llvm::SmallVector<Value*> Platform::environment() {
  llvm::SmallVector<Value*> values;
  const std::vector<bool> used = arrays_of_called(c_.function.module());
  for (uint32_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    values.push_back(data(i));
    const int64_t ndim = c_.function.params[i].type.ndim;
    for (int64_t axis = 0; axis < ndim; ++axis) values.push_back(extent(i, axis));
    for (int64_t axis = 0; axis < ndim; ++axis) values.push_back(stride(i, axis));
  }
  return values;
}

CalledPlatform::CalledPlatform(EmitContext& context) : Platform(context) {
  const std::vector<bool> used = arrays_of_called(c_.function.module());
  unsigned next = 0;
  for (size_t i = 0; i < used.size(); ++i) {
    first_.push_back(next);
    if (used[i]) next += 1 + 2 * unsigned{c_.function.params[i].type.ndim};
  }
}

Value* CalledPlatform::scalar(uint32_t) {
  CD_UNREACHABLE("functions that are called have scalars as arguments");
}

Value* CalledPlatform::data(uint32_t param) { return c_.kernel->getArg(first_[param]); }

Value* CalledPlatform::extent(uint32_t param, int64_t axis) {
  return c_.kernel->getArg(first_[param] + 1 + static_cast<unsigned>(axis));
}

Value* CalledPlatform::stride(uint32_t param, int64_t axis) {
  const ir::Param& p = c_.function.params[param];
  if (p.facts.unit_inner && axis + 1 == p.type.ndim)
    return c_.b.getInt64(uint64_t{p.type.element_bytes()});
  return c_.kernel->getArg(first_[param] + 1 + p.type.ndim + static_cast<unsigned>(axis));
}

}  // namespace cuda_device::codegen::nvptx
