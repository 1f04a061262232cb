// The hidden counter of a For, in as few bits as hold all that it gets to.
#pragma once

#include "analysis/ranges/interval.h"
#include "codegen/thread/emit_context.h"

namespace cuda_device::codegen::thread {

class Counter {
 public:
  Counter(EmitContext& context, const ir::Inst& loop);

  void begin(llvm::AllocaInst* place);
  llvm::Value* load() const;
  // The counter in the loop's own type.
  llvm::Value* value_of(llvm::Value* now) const;
  llvm::Value* before_stop(llvm::Value* now) const;
  // Moves on by a step. Whether the counter leaves its type with that, so that the loop is done;
  // null where it never does.
  llvm::Value* advance() const;
  llvm::Type* type() const { return c_.type(kind_); }

 private:
  analysis::Interval reach() const;
  analysis::Interval range(size_t operand) const;
  llvm::Value* operand(size_t index) const;  // as wide as the counter
  llvm::Value* less(llvm::Value* x, llvm::Value* y) const;

  EmitContext& c_;
  const ir::Inst& loop_;
  ScalarKind own_, kind_;
  bool overflows_;
  llvm::AllocaInst* place_ = nullptr;
};

}  // namespace cuda_device::codegen::thread
