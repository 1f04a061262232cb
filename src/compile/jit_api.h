// C interface of libcuda_device_jit.so: C functions over plain C++ data (both sides are built
// together). The runtime object opens it at the first compile. No Python here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "abi/kernel_image.h"
#include "frontend/request.h"
#include "support/diagnostic.h"
#include "support/stage_times.h"
#include "support/tuning.h"

namespace cuda_device::compile {

struct CompileRequest {
  frontend::Request source;
  std::string libdevice;
  int ptx_version = 0;
  Tuning tuning;
  // For compile, the image gets an object with lines for debuggers; for inspect, lines of the
  // source stand in what it shows.
  bool lines = false;
  StageTimes* times = nullptr;  // of compile: where to write how long its stages take
  // Called about every 50 ms on the calling thread, which waits for the compiler's: true means to
  // give up. Null: never called.
  const std::function<bool()>* interrupted = nullptr;
  // Taken by the call, and kept until the compiler is done with `source`, which may be after a call
  // that was given up.
  std::shared_ptr<const void> held;
};

enum class Status : uint8_t { Ok, UserError, CompilerFault, Interrupted };

struct CompileResult {
  Status status = Status::Ok;
  std::vector<Diagnostic> diagnostics;  // UserError
  std::string fault;                    // CompilerFault: text
  // For the interpreter it has the name, target, shared memory and messages only; after a failure
  // the name.
  abi::KernelImage image;
  uint32_t lanes = 0;           // of all gangs of a block, where the host knows its shape
  uint32_t stack = 0;           // bytes, of the host's code: see codegen::Listing::frame
  void* interpreted = nullptr;  // target "interpreter": pass to cd_jit_interpret, cd_jit_release
};

// what: "ir", "ir_raw", "llvm", "llvm_raw", "asm", "ptx", "facts", "result_type", "times",
// "ir_times", "syntax"
struct InspectResult {
  Status status = Status::Ok;
  std::vector<Diagnostic> diagnostics;
  std::string fault;
  std::string text;
};

}  // namespace cuda_device::compile

#pragma GCC visibility push(default)
extern "C" {
void cd_jit_compile(cuda_device::compile::CompileRequest* request,
                    cuda_device::compile::CompileResult* result);
void cd_jit_inspect(cuda_device::compile::CompileRequest* request, const char* what,
                    cuda_device::compile::InspectResult* result);
// Waits for what was given up and has not yet stopped. Before the process ends.
void cd_jit_finish();
// Runs a whole launch on the IR interpreter. params as KernelImage::params lays them out. Returns
// an error text or null; `report` gets what the kernel's threads say.
const char* cd_jit_interpret(void* interpreted, const void* params,
                             const cuda_device::abi::LaunchDims* dims,
                             cuda_device::LaunchReport* report);
void cd_jit_release(void* interpreted);
// Comma-separated: the host forms this CPU runs, best first; those it runs by other instructions;
// both, with every number of lanes a gang; then the PTX architectures.
const char* cd_jit_host_forms();
const char* cd_jit_emulated_forms();
const char* cd_jit_host_targets();
const char* cd_jit_ptx_architectures();
const char* cd_jit_llvm_version();
}
#pragma GCC visibility pop
