// The compilation of one kernel, as a value: several run at once.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "analysis/blocks/execution_plan.h"
#include "codegen/codegen.h"
#include "compile/jit_api.h"
#include "ir/ir.h"
#include "support/stage_times.h"

namespace cuda_device::compile {

// What stands before the name of a host form that is run by another one's instructions.
inline const std::string kEmulated = "emulated-";

// "avx512", "emulated-avx512" → host; "sm_90" → PTX; "interpreter", "interpreter-seed7".
struct Target {
  enum class Kind : uint8_t { Host, Ptx, Interpreter };
  Kind kind = Kind::Host;
  codegen::MaskForm mask = codegen::MaskForm::Avx512;
  int sm = 0;
  uint32_t gang_width = 0;            // 0: chosen for each kernel
  bool emulated = false;              // the form, by instructions of AVX2
  std::optional<uint64_t> seed = {};  // of the interpreter: threads take turns in a random order
  // As the name of a host target says that ends in "-threads" or "-gangs", whatever the kernel.
  Execution execution = Execution::Automatic;
};
Target parse_target(
    const std::string& text);  // empty: the best host form. Throws DiagnosticError when unknown.

// The targets of the host that this CPU can run, with every gang width.
std::vector<std::string> host_targets();

// What machine code is made of.
struct Lowered {
  std::unique_ptr<ir::Function> function;
  analysis::Analysis gangs = {};      // of the host; of a plan of threads: of one thread
  analysis::ExecutionPlan plan = {};  // of the host
};

// The code, and what it was made of.
struct Made {
  Lowered from;
  abi::KernelImage image;
  uint32_t frame = 0;  // as in Listing
};

class Compilation {
 public:
  explicit Compilation(const CompileRequest& request, std::stop_token stop = {},
                       StageTimes* times = nullptr, std::vector<Warning>* warnings = nullptr)
      : request_(request),
        target_(parse_target(request.source.target.architecture)),
        stop_(std::move(stop)),
        times_(times),
        warnings_(warnings) {}

  // Each throws DiagnosticError for the user's mistakes, InternalError for ours, Interrupted where
  // it was told to stop.
  std::unique_ptr<ir::Function> lower() const;  // straight from the frontend
  Lowered optimised() const;                    // after the passes; runs no LLVM
  // Not for the interpreter. Lines, where the request asks for them: in the listing, else in the
  // image.
  Made machine_code(const codegen::Listing& listing = {}) const;
  const Target& target() const { return target_; }
  const Tuning& tuning() const { return request_.tuning; }

 private:
  std::unique_ptr<ir::Function> from_frontend() const;
  Lowered optimised_for(uint32_t gang_width) const;
  analysis::ExecutionPlan run_passes(ir::Function& f, uint32_t gang_width) const;
  Execution asked_execution() const;
  void check_plan(const analysis::ExecutionPlan& plan, const ir::Function& f) const;
  WaitSite site_of(const Span& span) const;
  void place_failures(ir::Function& f) const;
  Lowered for_host() const;
  codegen::HostOptions host_options() const;
  codegen::SourceLines lines_for(const codegen::Listing& listing) const;
  Made ptx(const codegen::Listing& listing) const;
  Made host_code(const codegen::Listing& listing) const;

  const CompileRequest& request_;
  Target target_;
  std::stop_token stop_;
  StageTimes* times_;
  std::vector<Warning>* warnings_;  // of the frontend
};

// "in kernel 'vec_add', specialised for (array[float32, 1], int)"
std::string context_of(const CompileRequest& request);

}  // namespace cuda_device::compile
