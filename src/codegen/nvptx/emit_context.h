// What the parts of the scalar emitter share while one kernel is emitted.
#pragma once

#include <vector>

#include "analysis/analysis.h"
#include "codegen/line_table.h"
#include "codegen/nvptx/nvptx_arithmetic.h"

namespace cuda_device::codegen::nvptx {

struct EmitContext {
  EmitContext(llvm::Function* kernel, const ir::Function& f, const analysis::Analysis& a,
              Conversions conversions)
      : function(f),
        analysis(a),
        kernel(kernel),
        b(llvm::BasicBlock::Create(kernel->getContext(), "entry", kernel)),
        arithmetic(b, *kernel->getParent(), conversions),
        values(f.inst_count()) {}

  llvm::LLVMContext& llvm() { return kernel->getContext(); }
  llvm::Type* type(ScalarKind kind) { return register_type(llvm(), kind); }
  llvm::Value* value(const ir::Inst& i) const { return values[i.id]; }
  llvm::Value* operand(const ir::Inst& i, size_t k) const { return values[i.operands[k]->id]; }
  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(llvm(), name, kernel);
  }

  const ir::Function& function;
  const analysis::Analysis& analysis;
  llvm::Function* kernel;
  llvm::IRBuilder<> b;
  NvptxArithmetic arithmetic;
  std::vector<llvm::Value*> values;                      // by Inst::id
  llvm::DenseMap<const ir::Inst*, llvm::Value*> second;  // of each atomic_load_pair
  LineTable lines;
};

}  // namespace cuda_device::codegen::nvptx
