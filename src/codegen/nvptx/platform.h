// A thread on a GPU: special registers, parameters by value, barriers and warps of the hardware.
#pragma once

#include <vector>

#include "codegen/nvptx/backoff.h"
#include "codegen/nvptx/params.h"
#include "codegen/thread/platform.h"

namespace cuda_device::codegen::nvptx {

class Platform : public thread::Platform {
 public:
  explicit Platform(EmitContext& context)
      : c_(context), params_(context), backoff_(context), shared_(context.function.arrays.size()) {}

  llvm::Value* scalar(uint32_t param) override { return params_.scalar(param); }
  llvm::Value* data(uint32_t param) override { return params_.data(param); }
  llvm::Value* extent(uint32_t param, int64_t axis) override { return params_.extent(param, axis); }
  llvm::Value* stride(uint32_t param, int64_t axis) override { return params_.stride(param, axis); }

  llvm::SmallVector<llvm::Value*> environment() override;

  llvm::Value* shared(size_t array) override;
  llvm::Value* dynamic_shared() override;
  llvm::Value* dynamic_shared_bytes() override;
  unsigned constant_space() const override;

  llvm::Value* position(const ir::Inst& inst) override;
  llvm::Value* barrier(const ir::Inst& inst) override;
  llvm::Value* meet_warp(const ir::Inst& inst) override;
  llvm::Value* atomic(const ir::Inst& inst, llvm::Value* pointer) override;
  void fence(const ir::Inst& inst) override;
  void check(llvm::Value* holds, uint32_t failure, const ir::Inst* message) override;
  void print(const ir::Inst& inst) override;

  // The hardware's scheduler is fair.
  bool takes_turns(const ir::Inst&) const override { return false; }
  void turn(const ir::Inst&, llvm::Value*, const Word*) override {}
  void begin_wait() override { backoff_.begin(); }
  void look_again() override { backoff_.look_again(); }

 protected:
  EmitContext& c_;

 private:
  Params params_;
  Backoff backoff_;
  std::vector<llvm::Value*> shared_;  // by array of the function; made when first used
};

// The environment of functions that are called: of each array among the kernel's parameters that
// some of them uses, its data, extents and strides. By parameter, whether it is there.
std::vector<bool> arrays_of_called(const ir::Function& kernel);
llvm::SmallVector<llvm::Type*> environment_types(llvm::LLVMContext& context,
                                                 const ir::Function& kernel);

// In such a function.
class CalledPlatform : public Platform {
 public:
  explicit CalledPlatform(EmitContext& context);

  llvm::Value* scalar(uint32_t param) override;
  llvm::Value* data(uint32_t param) override;
  llvm::Value* extent(uint32_t param, int64_t axis) override;
  llvm::Value* stride(uint32_t param, int64_t axis) override;

 private:
  std::vector<unsigned> first_;  // argument, by parameter
};

}  // namespace cuda_device::codegen::nvptx
