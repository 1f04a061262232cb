#include "codegen/host/memory/arena.h"

#include "support/check.h"
#include "support/launch_limits.h"

namespace cuda_device::codegen::host {

using llvm::Value;

namespace {

constexpr uint64_t kLine = 64;

bool is_mask(llvm::Type* type) { return type->isVectorTy() && type->getScalarSizeInBits() == 1; }

uint64_t bytes_of(const EmitContext& c, llvm::Type* type) {
  return c.module.getDataLayout().getTypeAllocSize(type);
}

}  // namespace

uint64_t Arena::reserve(uint64_t bytes, uint64_t align) {
  CD_CHECK(align <= abi::kArenaAlign, "an array aligned to more than its worker's memory");
  const uint64_t offset = llvm::alignTo(bytes_, std::max(align, kLine));
  bytes_ = llvm::alignTo(offset + bytes, kLine);
  return offset;
}

uint64_t Arena::gangs() const {
  const uint32_t known = c_.analysis().layout.gangs;
  return known != 0 ? known : (kMostThreadsOfBlock + c_.width() - 1) / c_.width();
}

Value* Arena::at(uint64_t offset) {
  return c_.b.CreateConstInBoundsGEP1_64(c_.b.getInt8Ty(), launch_.arena(), offset);
}

Arena::Cells Arena::cells(llvm::Type* type) {
  // Masks of single bits are slow to store wherever they are not one register.
  llvm::Type* stored = is_mask(type) ? with_lanes_of(type, c_.b.getInt32Ty()) : type;
  return {stored, reserve(gangs() * bytes_of(c_, stored))};
}

Value* Arena::place(const Cells& cells, Value* gang) {
  return c_.b.CreateInBoundsGEP(cells.type, at(cells.offset),
                                c_.b.CreateZExt(gang, c_.b.getInt64Ty()));
}

Value* Arena::load(const Cells& cells, Value* gang, llvm::Type* type) {
  Value* stored = c_.b.CreateLoad(cells.type, place(cells, gang));
  return is_mask(type) ? c_.b.CreateICmpNE(stored, llvm::Constant::getNullValue(cells.type))
                       : stored;
}

void Arena::store(const Cells& cells, Value* gang, Value* value) {
  if (is_mask(value->getType())) value = c_.b.CreateSExt(value, cells.type);
  c_.b.CreateStore(value, place(cells, gang));
}

}  // namespace cuda_device::codegen::host
