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
  std::span<const abi::WorkerTable> tables;
  const Target& target;
  const HostOptions& options;
  Effort effort = Effort::Full;
  std::vector<std::string>* accesses = nullptr;  // see Listing
};

// The code of one kernel, while it is emitted.
struct Emission {
  Emission(llvm::Module& m, const KernelSource& s)
      : module(m),
        source(s),
        b(m.getContext()),
        entry(m.getContext()),
        masks(b, s.analysis.layout.width),
        arithmetic(b, m, s.target, s.function.options.flush_subnormals),
        notes(s.accesses) {}

  llvm::Module& module;
  const KernelSource source;
  llvm::IRBuilder<> b;
  llvm::IRBuilder<> entry;  // at the end of the entry block: what a launch computes once
  MaskOps masks;
  llvm::Value* gang = nullptr;  // the number, in its block, of the gang that code is for
  HostArithmetic arithmetic;
  AccessNotes notes;
  LineTable lines;
  bool has_nontemporal_stores = false;  // some store is a streaming one
  llvm::BasicBlock* failed = nullptr;   // where a thread has failed: leaves the kernel; null: none
};

// It, as a part of the emitter sees it whose code is for whole gangs, or for one lane at a time.
struct EmitContext {
  explicit EmitContext(Emission& e) : EmitContext(e, e.source.analysis, false) {}
  // `known`: in a scalarized loop, of the one lane that is run.
  EmitContext(Emission& e, const analysis::Analysis& known, bool scalarized)
      : emission(e),
        module(e.module),
        source(e.source),
        b(e.b),
        entry(e.entry),
        masks(e.masks),
        gang(e.gang),
        arithmetic(e.arithmetic),
        notes(e.notes),
        lines(e.lines),
        has_nontemporal_stores(e.has_nontemporal_stores),
        failed(e.failed),
        in_scalarized_loop(scalarized),
        analysis_(known) {}

  const analysis::Analysis& analysis() const { return analysis_; }
  bool uses(Heuristic h) const { return source.options.tuning.on(h); }
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

  Emission& emission;
  llvm::Module& module;
  const KernelSource& source;
  llvm::IRBuilder<>& b;
  llvm::IRBuilder<>& entry;
  MaskOps& masks;
  llvm::Value*& gang;
  HostArithmetic& arithmetic;
  AccessNotes& notes;
  LineTable& lines;
  bool& has_nontemporal_stores;
  llvm::BasicBlock*& failed;
  const bool in_scalarized_loop;  // code runs one lane at a time

 private:
  const analysis::Analysis& analysis_;
};

}  // namespace cuda_device::codegen::host
