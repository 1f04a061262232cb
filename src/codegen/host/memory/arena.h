// The worker's memory for one block: what lives from one region to the next, and the arrays that
// the kernel asks for. Each piece has its alias scope.
#pragma once

#include "codegen/host/lowering/launch_values.h"

namespace cuda_device::codegen::host {

class Arena {
 public:
  Arena(EmitContext& context, LaunchValues& launch) : c_(context), launch_(launch) {}

  // The offset is a multiple of 64 bytes, or of more where that is requested.
  uint64_t reserve(uint64_t bytes, uint64_t align = 64);
  uint32_t bytes() const { return static_cast<uint32_t>(bytes_); }
  llvm::Value* at(uint64_t offset);

  uint64_t gangs() const;  // of the largest block there may be

  // One value of a type for each gang of a block.
  struct Cells {
    llvm::Type* type = nullptr;  // in memory
    uint64_t offset = 0;
  };
  Cells cells(llvm::Type* type);
  llvm::Value* load(const Cells& cells, llvm::Value* gang, llvm::Type* type);
  void store(const Cells& cells, llvm::Value* gang, llvm::Value* value);

 private:
  llvm::Value* place(const Cells& cells, llvm::Value* gang);

  EmitContext& c_;
  LaunchValues& launch_;
  uint64_t bytes_ = 0;
};

}  // namespace cuda_device::codegen::host
