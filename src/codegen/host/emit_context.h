// What every part of the host emitter shares while one kernel is emitted.
#pragma once

#include "abi/kernel_image.h"
#include "analysis/analysis.h"
#include "codegen/effort.h"
#include "codegen/host/lowering/host_arithmetic.h"
#include "codegen/host/machine/target.h"
#include "codegen/host/masks/mask_ops.h"
#include "codegen/host/memory/access_notes.h"
#include "codegen/line_table.h"

namespace cuda_device::codegen::host {

struct KernelSource {
  const ir::Function& function;
  const analysis::Analysis& analysis;
  const abi::ParamLayout& layout;
  const Target& target;
  const HostOptions& options;
  Effort effort = Effort::Full;
  std::vector<std::string>* accesses = nullptr;  // see Listing
};

struct EmitContext {
  EmitContext(llvm::Module& m, const KernelSource& s)
      : module(m),
        source(s),
        b(m.getContext()),
        entry(m.getContext()),
        masks(b, s.analysis.layout.width),
        arithmetic(b, m, s.target),
        notes(s.accesses),
        analysis_(&s.analysis) {}

  // What is known of lanes; of the one lane that is run, while lanes are run one by one.
  const analysis::Analysis& analysis() const { return *analysis_; }
  void know(const analysis::Analysis& analysis) { analysis_ = &analysis; }
  bool in_scalarized_loop() const { return analysis_ != &source.analysis; }
  unsigned width() const { return masks.width(); }  // lanes of a gang
  llvm::LLVMContext& llvm() { return module.getContext(); }
  llvm::Type* scalar_type(ScalarKind kind) { return register_type(llvm(), kind); }
  llvm::Type* vector_type(ScalarKind kind) {
    return llvm::FixedVectorType::get(scalar_type(kind), width());
  }
  llvm::Value* integer(ScalarKind kind, int64_t value) {
    return llvm::ConstantInt::getSigned(scalar_type(kind), value, /*ImplicitTrunc=*/true);
  }
  // Promoted to registers later.
  llvm::AllocaInst* variable(llvm::Type* type, const llvm::Twine& name) {
    return masks.variable(type, name);
  }
  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(llvm(), name, b.GetInsertBlock()->getParent());
  }
  void start(llvm::BasicBlock* block) { b.SetInsertPoint(block); }

  llvm::Module& module;
  KernelSource source;
  llvm::IRBuilder<> b;
  llvm::IRBuilder<> entry;  // at the end of the entry block: what a launch computes once
  MaskOps masks;
  llvm::Value* gang = nullptr;  // the number, in its block, of the gang that code is for
  HostArithmetic arithmetic;
  AccessNotes notes;
  LineTable lines;
  bool has_nontemporal_stores = false;  // some store goes past the cache
  llvm::BasicBlock* failed = nullptr;   // where a thread has failed: leaves the kernel; null: none

 private:
  const analysis::Analysis* analysis_;
};

}  // namespace cuda_device::codegen::host
