#include "codegen/nvptx/params.h"

namespace cuda_device::codegen::nvptx {
namespace {

constexpr unsigned kData = 0, kShape = 1, kStrides = 2;

llvm::StructType* array_type(llvm::LLVMContext& context, unsigned ndim) {
  auto* extents = llvm::ArrayType::get(llvm::Type::getInt64Ty(context), ndim);
  return llvm::StructType::get(context, {llvm::PointerType::get(context, 0), extents, extents});
}

}  // namespace

llvm::FunctionType* kernel_type(llvm::LLVMContext& context, const ir::Function& f) {
  llvm::SmallVector<llvm::Type*, 8> types;
  for (const ir::Param& p : f.params) {
    types.push_back(p.type.is_array() ? llvm::PointerType::get(context, 0)
                                      : memory_type(context, p.type.scalar()));
  }
  return llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
}

void set_param_attributes(llvm::Function& kernel, const ir::Function& f) {
  llvm::LLVMContext& context = kernel.getContext();
  for (unsigned i = 0; i < f.params.size(); ++i) {
    if (!f.params[i].type.is_array()) continue;
    kernel.addParamAttr(
        i, llvm::Attribute::getWithByValType(context, array_type(context, f.params[i].type.ndim)));
    kernel.addParamAttr(i, llvm::Attribute::getWithAlignment(context, llvm::Align(8)));
    kernel.addParamAttr(i, llvm::Attribute::ReadOnly);
  }
}

llvm::Value* Params::scalar(uint32_t param) {
  llvm::Value* v = c_.kernel->getArg(param);
  if (!is_bool(c_.function.params[param].type.scalar())) return v;
  return c_.b.CreateICmpNE(v, llvm::ConstantInt::get(v->getType(), 0));
}

llvm::Value* Params::load(llvm::Type* type, uint32_t param, unsigned field, int64_t axis) {
  const unsigned ndim = c_.function.params[param].type.ndim;
  const uint64_t offset =
      field == kData ? 0 : 8 + 8 * ((field - kShape) * ndim + static_cast<uint64_t>(axis));
  llvm::Value* at =
      c_.b.CreateConstInBoundsGEP1_64(c_.b.getInt8Ty(), c_.kernel->getArg(param), offset);
  return c_.b.CreateAlignedLoad(type, at, llvm::Align(8));
}

llvm::Value* Params::data(uint32_t param) {
  llvm::Value* generic = load(c_.b.getPtrTy(), param, kData, 0);
  return c_.b.CreateAddrSpaceCast(generic, c_.b.getPtrTy(kGlobalSpace));
}

// The low half is all there is where the facts say 31 bits.
llvm::Value* Params::number(uint32_t param, unsigned field, int64_t axis, bool is_signed) {
  if (!c_.function.params[param].facts.fits_31) return load(c_.b.getInt64Ty(), param, field, axis);
  llvm::Value* low = load(c_.b.getInt32Ty(), param, field, axis);
  return is_signed ? c_.b.CreateSExt(low, c_.b.getInt64Ty())
                   : c_.b.CreateZExt(low, c_.b.getInt64Ty(), "", true);
}

llvm::Value* Params::extent(uint32_t param, int64_t axis) {
  return number(param, kShape, axis, false);
}

llvm::Value* Params::stride(uint32_t param, int64_t axis) {
  const ir::Param& p = c_.function.params[param];
  if (p.facts.unit_inner && axis + 1 == p.type.ndim)
    return c_.b.getInt64(uint64_t{p.type.element_bytes()});
  return number(param, kStrides, axis, true);
}

}  // namespace cuda_device::codegen::nvptx
