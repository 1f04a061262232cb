// Calls for threads that fail or print, of the runtime, and for operations of which nothing is
// known.
#pragma once

#include <string>

#include "codegen/host/lowering/position.h"

namespace cuda_device::codegen::host {

class Reports {
 public:
  Reports(EmitContext& context, LaneValues& values, Position& position)
      : c_(context), values_(values), position_(position) {}

  // Ends the current block: the lowest of these lanes, of which there is one, fails, and the kernel
  // returns.
  void fail(const ir::Inst& check, llvm::Value* lanes);
  void print(const ir::Inst& inst, const Mask& mask);
  // Calls cd_opaque(identity, count, operands, stride) for each lane, from the lowest: for tests.
  void opaque(const ir::Inst& inst, const Mask& mask);
  llvm::Value* bits(const Mask& mask);  // one a lane, the lowest first

 private:
  llvm::AllocaInst* operands_in_memory(const ir::Inst& inst);
  llvm::Value* wide_vector(const ir::Inst& operand);
  llvm::Value* wide(ScalarKind kind, llvm::Value* value);
  llvm::Value* told(const ir::Inst& operand, llvm::Value* lane);
  // A function of the module, which all checks with such arguments call.
  llvm::Function* make_report(const ir::Inst& check, const std::string& name,
                              llvm::ArrayRef<llvm::Value*> arguments);
  llvm::Value* launch();
  llvm::CallInst* call(const char* function, llvm::ArrayRef<llvm::Value*> arguments,
                       llvm::Type* result = nullptr);

  EmitContext& c_;
  LaneValues& values_;
  Position& position_;
  llvm::DenseMap<size_t, llvm::AllocaInst*> buffers_;  // by number of values
};

}  // namespace cuda_device::codegen::host
