// What the parts of the emitter of single threads share while one kernel is emitted: values are
// scalars, whatever the target.
#pragma once

#include <vector>

#include "analysis/analysis.h"
#include "codegen/emit_arithmetic.h"
#include "codegen/line_table.h"

namespace cuda_device::codegen::thread {

struct EmitContext {
  // `builder`, which `arithmetic` uses too, stands at the end of the entry block of `kernel`.
  EmitContext(llvm::Function* kernel, const ir::Function& f, const analysis::Analysis& a,
              llvm::IRBuilder<>& builder, Arithmetic& arithmetic)
      : function(f),
        analysis(a),
        kernel(kernel),
        module(*kernel->getParent()),
        b(builder),
        arithmetic(arithmetic),
        values(f.inst_count()) {}

  llvm::LLVMContext& llvm() { return kernel->getContext(); }
  llvm::Type* type(ScalarKind kind) { return register_type(llvm(), kind); }
  llvm::Value* value(const ir::Inst& i) const { return values[i.id]; }
  llvm::Value* operand(const ir::Inst& i, size_t k) const { return values[i.operands[k]->id]; }
  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(llvm(), name, kernel);
  }
  // The bits of a scalar, zero-extended.
  llvm::Value* bits_in_64(llvm::Value* v) {
    const auto bits = static_cast<unsigned>(v->getType()->getScalarSizeInBits());
    return b.CreateZExt(b.CreateBitCast(v, b.getIntNTy(bits)), b.getInt64Ty());
  }
  // In the frame of the thread.
  llvm::AllocaInst* variable(llvm::Type* type) {
    llvm::BasicBlock& entry = kernel->getEntryBlock();
    return llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
  }

  const ir::Function& function;
  const analysis::Analysis& analysis;
  llvm::Function* kernel;
  llvm::Module& module;
  llvm::IRBuilder<>& b;
  Arithmetic& arithmetic;
  std::vector<llvm::Value*> values;                      // by Inst::id
  llvm::DenseMap<const ir::Inst*, llvm::Value*> second;  // of each atomic_load_pair
  LineTable lines;

  // What functions that are called have (calls.h).
  llvm::ArrayRef<llvm::Function*> called;               // by number in the module
  llvm::Value* depth = nullptr;                         // of this one; null: it is the kernel
  unsigned first_own = 0;                               // the argument of its first own parameter
  llvm::DenseMap<const ir::Inst*, llvm::Value*> calls;  // what each call gave
};

}  // namespace cuda_device::codegen::thread
