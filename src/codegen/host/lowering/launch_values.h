// Values of the whole launch: parameters and dimensions, loaded once at the entry of the kernel.
#pragma once

#include "codegen/host/emit_context.h"

namespace cuda_device::codegen::host {

class LaunchValues {
 public:
  LaunchValues(EmitContext& context, llvm::Function& function)
      : c_(context), params_(function.getArg(0)), launch_(function.getArg(1)) {}

  llvm::Value* scalar(uint32_t param);
  llvm::Value* data(uint32_t param);
  // Likewise, of an array with a place among the kernel's tables: of the table, where the worker
  // has one for it, or of the array.
  llvm::Value* updated_data(uint32_t param, size_t table);
  llvm::Value* has_table(uint32_t param, size_t table);  // i1
  llvm::Value* extent(uint32_t param, unsigned axis);    // int64
  llvm::Value* stride(uint32_t param,
                      unsigned axis);        // int64, bytes; a constant where a fact says so
  llvm::Value* block_extent(unsigned axis);  // uint32; a constant where it is a fact
  llvm::Value* grid_extent(unsigned axis);   // uint32
  llvm::Value* block_size();                 // threads of a block, uint32
  llvm::Value* arena();                      // of this worker
  llvm::Value* dynamic_shared();             // likewise, of the size that the launch asks for
  llvm::Value* dynamic_shared_bytes();       // int64

 private:
  llvm::Value* load(llvm::Value* base, uint64_t offset, llvm::Type* type, const llvm::Twine& name);
  llvm::Value* dimension(size_t offset, unsigned axis, const char* name);

  EmitContext& c_;
  llvm::Value* params_;
  llvm::Value* launch_;
  llvm::DenseMap<std::pair<llvm::Value*, uint64_t>, llvm::Value*> loaded_;
  llvm::Value* block_size_ = nullptr;
  struct Table {
    llvm::Value *data = nullptr, *is_there = nullptr;
  };
  const Table& table(uint32_t param, size_t table);
  llvm::DenseMap<size_t, Table> tables_;
};

}  // namespace cuda_device::codegen::host
