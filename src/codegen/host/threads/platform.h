// A thread on the host: its place and its block's memory are in an abi::HostThread, and it meets
// others by calls of the runtime (abi/host_thread.h).
#pragma once

#include <map>
#include <vector>

#include "abi/host_thread.h"
#include "codegen/host/lowering/host_arithmetic.h"
#include "codegen/host/threads/kernel.h"
#include "codegen/thread/platform.h"

namespace cuda_device::codegen::host {

class ThreadPlatform : public thread::Platform {
 public:
  ThreadPlatform(thread::EmitContext& context, HostArithmetic& arithmetic,
                 const ThreadKernel& source, ThreadCode& code);

  llvm::Value* scalar(uint32_t param) override;
  llvm::Value* data(uint32_t param) override;
  llvm::Value* extent(uint32_t param, int64_t axis) override;
  llvm::Value* stride(uint32_t param, int64_t axis) override;

  llvm::SmallVector<llvm::Value*> environment() override { return {c_.kernel->getArg(0), self()}; }

  llvm::Value* shared(size_t array) override;
  llvm::Value* dynamic_shared() override;
  llvm::Value* dynamic_shared_bytes() override;
  unsigned constant_space() const override { return 0; }

  llvm::Value* position(const ir::Inst& inst) override;
  llvm::Value* barrier(const ir::Inst& inst) override;
  llvm::Value* meet_warp(const ir::Inst& inst) override;
  llvm::Value* atomic(const ir::Inst& inst, llvm::Value* pointer) override;
  void fence(const ir::Inst& inst) override;
  void check(llvm::Value* holds, uint32_t failure, const ir::Inst* message) override;
  void print(const ir::Inst& inst) override;

  bool takes_turns(const ir::Inst& loop) const override { return waiting_[loop.id]; }
  void turn(const ir::Inst& loop, llvm::Value* state, const Word* word) override;

 private:
  llvm::Value* self() const { return c_.kernel->getArg(1); }
  // Loads what stays the same while the thread runs, where the kernel begins.
  llvm::Value* constant_load(llvm::Value* base, uint64_t offset, llvm::Type* type);
  llvm::Value* dimension(size_t member, int64_t axis);
  llvm::Value* block_dim(int64_t axis);
  llvm::Value* thread_idx(int64_t axis);
  llvm::Value* block_idx(int64_t axis);
  llvm::Value* lane_id();
  llvm::Value* site(const ir::Inst& inst);
  llvm::Value* meeting_site(const ir::Inst& inst);
  llvm::CallInst* call(const char* name, llvm::Type* result,
                       llvm::ArrayRef<llvm::Value*> arguments);

  thread::EmitContext& c_;
  HostArithmetic& arithmetic_;
  const ThreadKernel& source_;
  const std::vector<bool> waiting_;         // by Inst::id: loops that may wait
  const std::vector<bool> within_waiting_;  // the same: of what is within one of them
  ThreadCode& code_;                        // filled by what follows
  std::vector<uint64_t> offsets_;           // of shared arrays, in the arena
  std::map<std::pair<llvm::Value*, uint64_t>, llvm::Value*> loaded_;
};

}  // namespace cuda_device::codegen::host
