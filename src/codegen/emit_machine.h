// What both targets need of LLVM as a program: initialised once, its faults as exceptions, its back
// ends as functions.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "codegen/llvm.h"

namespace cuda_device::codegen {

// Owns an object of LLVM's that must not be torn down in the middle of a fault: value handles of
// abandoned frames may still point into it. While an exception passes through, it is leaked.
struct LeakInFault {
  template <class T>
  void operator()(T* object) const {
    if (std::uncaught_exceptions() == 0) delete object;
  }
};
template <class T>
using Owned = std::unique_ptr<T, LeakInFault>;

// Runs `work` on a fresh context. Whatever LLVM reports as fatal, or as an error of the back end,
// leaves as an InternalError, and as Interrupted what was told to stop, which is looked at before
// LLVM's passes; the context is then leaked, since its state is unknown.
void with_llvm(const std::stop_token& stop, const std::function<void(llvm::LLVMContext&)>& work);

// The largest stack frame, in bytes, of the functions that the back end wrote in this context and
// that requested it with report_frame; 0 where there is none.
void report_frame(llvm::Function& function);
uint64_t largest_frame(const llvm::LLVMContext& context);

struct Machine {
  std::string triple;
  std::string cpu;
  std::string features;
};

Owned<llvm::TargetMachine> make_target_machine(const Machine& machine);

// Sets triple and data layout of a new module.
void set_target(llvm::Module& module, const llvm::TargetMachine& machine);

// Runs the passes that `fill` adds, on the whole module.
using FillPasses = std::function<void(llvm::PassBuilder&, llvm::ModulePassManager&)>;
void run_passes(llvm::Module& module, llvm::TargetMachine& machine, const FillPasses& fill);

void verify_or_throw(const llvm::Module& module, const char* after);
std::string text_of(const llvm::Module& module);
llvm::SmallVector<char, 0> emit_object(llvm::Module& module, llvm::TargetMachine& machine);
std::string emit_assembly(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace cuda_device::codegen
