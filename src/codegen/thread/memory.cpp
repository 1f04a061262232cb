#include "codegen/thread/memory.h"

#include "ir/effects.h"
#include "support/check.h"

namespace cuda_device::codegen::thread {
using ir::Inst;
using ir::Op;

Memory::Memory(EmitContext& context, Platform& platform, Arrays& arrays)
    : c_(context),
      platform_(platform),
      arrays_(arrays),
      changing_(ir::changing_arrays(context.function)),
      scopes_(context.function.params.size()) {
  llvm::MDBuilder metadata(c_.llvm());
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain("arrays");
  for (size_t i = 0; i < scopes_.size(); ++i) {
    if (c_.function.params[i].facts.no_alias)
      scopes_[i] = metadata.createAnonymousAliasScope(domain);
  }
}

bool Memory::offsets_are_u32(const Inst& array) const {
  if (array.op != Op::Param) return false;
  const ArrayFacts& facts = c_.function.params[static_cast<size_t>(array.imm)].facts;
  return facts.contiguous && facts.fits_31;
}

// An array that overlaps no other is in a scope of its own, and outside of those of all others.
void Memory::annotate(llvm::Instruction* access, const Inst& array) const {
  const Inst* base = ir::whole_array(array);
  if (base && base->op == Op::Array &&
      c_.function.arrays[static_cast<size_t>(base->imm)].is_constant())
    access->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(c_.llvm(), {}));
  if (!base || base->op != Op::Param) return;
  const auto param = static_cast<size_t>(base->imm);
  if (!scopes_[param]) return;
  llvm::SmallVector<llvm::Metadata*, 8> others;
  for (size_t i = 0; i < scopes_.size(); ++i) {
    if (scopes_[i] && i != param) others.push_back(scopes_[i]);
  }
  access->setMetadata(llvm::LLVMContext::MD_alias_scope,
                      llvm::MDNode::get(c_.llvm(), {scopes_[param]}));
  access->setMetadata(llvm::LLVMContext::MD_noalias, llvm::MDNode::get(c_.llvm(), others));
  const bool constant = !changing_[param] && llvm::isa<llvm::LoadInst>(access);
  if (constant)
    access->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(c_.llvm(), {}));
}

// No offset into a contiguous array below 2**31 bytes has a negative part: where an axis has a
// negative stride it has one element, at index zero. PTX multiplies two numbers of 32 bits to one
// of 64 at once.
llvm::Value* Memory::offset(const Inst& array, const Inst& index, int64_t axis) {
  llvm::Value* wide = c_.arithmetic.convert(index.type.scalar(), ScalarKind::I64, c_.value(index));
  llvm::Value* stride = arrays_.stride(array, axis);
  if (!offsets_are_u32(array)) return c_.b.CreateMul(wide, stride);
  const auto low = [&](llvm::Value* v) {
    return c_.b.CreateZExt(c_.b.CreateTrunc(v, c_.b.getInt32Ty()), c_.b.getInt64Ty());
  };
  return c_.b.CreateNUWMul(low(wide), low(stride));
}

llvm::Value* Memory::emit(const Inst& inst) {
  switch (inst.op) {
    case Op::Load:
      return load(inst);
    case Op::Store:
      store(inst);
      return nullptr;
    case Op::Prefetch:
      return nullptr;  // of gangs
#define ATOMIC(name, ...) case Op::name:
#include "ir/op.def"
      return platform_.atomic(inst, address(inst));
#define OP(name, ...) case Op::name:
#define ACCESS(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("no access to an element");
}

llvm::Value* Memory::address(const Inst& inst) {
  const ir::Access access = *ir::access_of(inst);
  const Inst& array = *access.array;
  llvm::Value* at = arrays_.data(array);
  for (size_t k = 0; k < access.indices.size(); ++k) {
    llvm::Value* step = offset(array, *access.indices[k], static_cast<int64_t>(k));
    at = c_.b.CreateGEP(c_.b.getInt8Ty(), at, step);
  }
  const auto into = static_cast<uint64_t>(ir::leaf_offset(inst));
  return into == 0 ? at : c_.b.CreateConstGEP1_64(c_.b.getInt8Ty(), at, into);
}

// The alignment of the scalar that is accessed.
llvm::Align Memory::alignment(const Inst& inst) const {
  return llvm::commonAlignment(arrays_.alignment(*inst.operands[0]),
                               static_cast<uint64_t>(ir::leaf_offset(inst)));
}

llvm::Value* Memory::load(const Inst& inst) {
  const Inst& array = *inst.operands[0];
  llvm::Value* at = address(inst);
  llvm::LoadInst* element =
      c_.b.CreateAlignedLoad(memory_type(c_.llvm(), inst.type.scalar()), at, alignment(inst));
  annotate(element, array);
  if (!inst.type.is_bool()) return element;
  return c_.b.CreateICmpNE(element, llvm::ConstantInt::get(element->getType(), 0));
}

void Memory::store(const Inst& inst) {
  const Inst& array = *inst.operands[0];
  llvm::Value* value = c_.value(*inst.operands.back());
  if (inst.operands.back()->type.is_bool()) value = c_.b.CreateZExt(value, c_.b.getInt8Ty());
  llvm::Value* at = address(inst);
  annotate(c_.b.CreateAlignedStore(value, at, alignment(inst)), array);
}

}  // namespace cuda_device::codegen::thread
