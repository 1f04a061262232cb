#include "codegen/host/lowering/launch_values.h"

#include <cstddef>

namespace cuda_device::codegen::host {

llvm::Value* LaunchValues::load(llvm::Value* base, uint64_t offset, llvm::Type* type,
                                const llvm::Twine& name) {
  llvm::Value*& value = loaded_[{base, offset}];
  if (value) return value;
  llvm::Value* place = c_.entry.CreateConstInBoundsGEP1_64(c_.entry.getInt8Ty(), base, offset);
  llvm::LoadInst* read = c_.entry.CreateLoad(type, place, name);
  read->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(c_.llvm(), {}));
  return value = read;
}

llvm::Value* LaunchValues::scalar(uint32_t param) {
  const ir::Param& p = c_.source.function.params[param];
  const uint32_t offset = c_.source.layout.slots[param].offset;
  llvm::Value* value = load(params_, offset, memory_type(c_.llvm(), p.type.scalar()), p.name);
  if (!p.type.is_bool()) return value;
  return c_.entry.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
}

llvm::Value* LaunchValues::data(uint32_t param) {
  const uint32_t offset = c_.source.layout.slots[param].offset;
  return load(params_, offset, c_.b.getPtrTy(), c_.source.function.params[param].name);
}

// A launch without tables has no list of them: the array's own pointer is loaded from its place
// among the parameters.
const LaunchValues::Table& LaunchValues::table(uint32_t param, size_t number) {
  Table& table = tables_[number];
  if (table.data) return table;
  llvm::Value* own = data(param);
  llvm::Value* all = load(launch_, offsetof(abi::HostContext, tables), c_.b.getPtrTy(), "tables");
  const auto place = [&](llvm::Value* base, uint64_t offset) {
    return c_.entry.CreateConstGEP1_64(c_.entry.getInt8Ty(), base, offset);
  };
  llvm::Value* from = c_.entry.CreateSelect(c_.entry.CreateIsNull(all),
                                            place(params_, c_.source.layout.slots[param].offset),
                                            place(all, number * sizeof(void*)));
  table.data = c_.entry.CreateLoad(c_.b.getPtrTy(), from, "table");
  table.is_there = c_.entry.CreateICmpNE(table.data, own, "has_table");
  return table;
}

llvm::Value* LaunchValues::updated_data(uint32_t param, size_t number) {
  return table(param, number).data;
}

llvm::Value* LaunchValues::has_table(uint32_t param, size_t number) {
  return table(param, number).is_there;
}

llvm::Value* LaunchValues::extent(uint32_t param, unsigned axis) {
  const uint32_t offset = c_.source.layout.slots[param].offset + 8 + 8 * axis;
  return load(params_, offset, c_.b.getInt64Ty(), "extent");
}

llvm::Value* LaunchValues::stride(uint32_t param, unsigned axis) {
  const ir::Param& p = c_.source.function.params[param];
  const unsigned ndim = p.type.ndim;
  if (p.facts.unit_inner && axis + 1 == ndim) return c_.b.getInt64(p.type.element_bytes());
  const uint32_t offset = c_.source.layout.slots[param].offset + 8 + 8 * (ndim + axis);
  return load(params_, offset, c_.b.getInt64Ty(), "stride");
}

llvm::Value* LaunchValues::dimension(size_t offset, unsigned axis, const char* name) {
  return load(launch_, offset + 4 * axis, c_.b.getInt32Ty(), name);
}

llvm::Value* LaunchValues::block_extent(unsigned axis) {
  const LaunchFacts& facts = c_.source.function.launch;
  if (facts.has_block()) return c_.b.getInt32(facts.block[axis]);
  return dimension(offsetof(abi::HostContext, dims) + offsetof(abi::LaunchDims, block), axis,
                   "block_dim");
}

llvm::Value* LaunchValues::grid_extent(unsigned axis) {
  return dimension(offsetof(abi::HostContext, dims) + offsetof(abi::LaunchDims, grid), axis,
                   "grid_dim");
}

llvm::Value* LaunchValues::arena() {
  return load(launch_, offsetof(abi::HostContext, arena), c_.b.getPtrTy(), "arena");
}

llvm::Value* LaunchValues::dynamic_shared() {
  return load(launch_, offsetof(abi::HostContext, shared), c_.b.getPtrTy(), "dynamic_shared");
}

llvm::Value* LaunchValues::dynamic_shared_bytes() {
  llvm::Value* bytes =
      load(launch_, offsetof(abi::HostContext, dims) + offsetof(abi::LaunchDims, shared),
           c_.b.getInt32Ty(), "shared_bytes");
  return c_.entry.CreateZExt(bytes, c_.b.getInt64Ty());
}

llvm::Value* LaunchValues::block_size() {
  if (!block_size_) {
    llvm::Value* plane = c_.entry.CreateMul(block_extent(0), block_extent(1));
    block_size_ = c_.entry.CreateMul(plane, block_extent(2));
  }
  return block_size_;
}

}  // namespace cuda_device::codegen::host
