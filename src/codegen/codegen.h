// IR → KernelImage. No LLVM in this header: only the targets' sources see it.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "abi/kernel_image.h"
#include "analysis/analysis.h"
#include "ir/ir.h"
#include "support/span.h"
#include "support/stage_times.h"
#include "support/tuning.h"

namespace cuda_device::codegen {

enum class MaskForm : uint8_t { Avx512, Avx2, Sse4 };

// Lines of the Python source, for debuggers and listings. They change nothing in the code.
struct SourceLines {
  enum class Form : uint8_t {
    Directives,  // in assembly and LLVM IR only
    Tables       // in an object: HostCode keeps it as KernelImage::debug_object
  };
  const SourceMap* files = nullptr;
  Span definition;  // of the kernel
  Form form = Form::Directives;
};

struct HostOptions {
  MaskForm mask = MaskForm::Avx512;
  std::string cpu;   // as LLVM names it; empty: this machine's, which must be able to run the form
  std::string tune;  // a CPU whose speeds the code suits; empty: the one that it is for
  // The AVX-512 form, on a machine of AVX2: to show what the form does where no CPU has it. Slow.
  bool emulate = false;
  uint32_t gang_width = 0;  // lanes: 8, 16, 32 or 64; 0: as suits the kernel
  bool verify_llvm = false;
  Tuning tuning;
  std::stop_token stop{};  // looked at between LLVM's passes
  StageTimes* times = nullptr;
  const SourceLines* lines = nullptr;  // null: none
};

struct PtxOptions {
  int sm = 90;
  int ptx_version = 0;    // 0 = the newest LLVM can write
  std::string libdevice;  // path of libdevice.10.bc; only kernels that call math functions need it
  bool verify_llvm = false;
  std::stop_token stop{};  // as above
  StageTimes* times = nullptr;
  const SourceLines* lines = nullptr;  // as directives; null: none
};

// Descriptions of the code: IR, assembly, figures. Filled where a pointer is given.
struct Listing {
  std::string* llvm = nullptr;      // before optimisation
  std::string* llvm_opt = nullptr;  // after
  std::string* assembly = nullptr;  // target assembly, or PTX
  // How the host makes each load and store, in words, by Inst::id; empty for other instructions.
  std::vector<std::string>* accesses = nullptr;
  // Bytes of stack that the host's code takes: what registers do not hold, arrays of its own, the
  // caller's registers, and what it pushes for a call.
  uint32_t* frame = nullptr;
  bool code = true;  // false: nothing is made after emission, and the image has no code
};

// Fills in what the image describes of its function for every target.
void describe(const ir::Function& f, abi::KernelImage& image);

// How the host deals the threads of a kernel that has been through passes/pipeline to gangs:
// LaneLayout::width lanes each, as the options say or as suits the kernel.
analysis::Analysis choose_gangs(const ir::Function& f, const HostOptions& options);

// `f` has been through passes/pipeline, and `gangs` is an analysis of it. Thread-safe; a fault
// inside LLVM becomes an InternalError. Throws Interrupted where it was told to stop.
abi::KernelImage compile_host(const ir::Function& f, const analysis::Analysis& gangs,
                              const HostOptions& options, const Listing& listing = {});
// Thread by thread (abi/host_thread.h). `analysis` is one of `f`, with any layout: code is for
// single threads. Where they may wait, by the numbers of KernelImage::sites, goes to `sites`; the
// image's stack is for the caller to fill in from Listing::frame.
abi::KernelImage compile_host_threads(const ir::Function& f, const analysis::Analysis& analysis,
                                      const HostOptions& options, std::vector<Span>& sites,
                                      const Listing& listing = {});
abi::KernelImage compile_ptx(const ir::Function& f, const PtxOptions& options,
                             const Listing& listing = {});

inline constexpr MaskForm kMaskForms[] = {MaskForm::Avx512, MaskForm::Avx2, MaskForm::Sse4};
std::vector<MaskForm> host_mask_forms();  // that this CPU can run, best first
bool can_emulate(MaskForm form);          // on this CPU
const char* generic_cpu(MaskForm form);   // the least CPU that has it, for HostOptions::cpu
const char* name_of(MaskForm form);       // "avx512", "avx2", "sse4"
uint32_t vector_bytes(MaskForm form);     // of a vector register
uint32_t register_bytes(MaskForm form);   // of all of them together
const char* llvm_version();
std::vector<int> ptx_architectures();  // 75, 80, 86, 89, 90, 100, 120

}  // namespace cuda_device::codegen
