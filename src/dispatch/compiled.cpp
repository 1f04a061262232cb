#include "dispatch/compiled.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "dispatch/disk/kernel_cache.h"
#include "dispatch/gpu_code.h"
#include "dispatch/jit_library.h"
#include "dispatch/kernel_messages.h"
#include "dispatch/tuning.h"
#include "runtime/cuda/toolkit.h"
#include "runtime/host/loader.h"
#include "runtime/host/pool.h"
#include "runtime/host/profiler_hooks.h"
#include "support/log.h"
#include "support/targets.h"

namespace cuda_device::dispatch {
namespace {

using frontend::TargetName;

constexpr std::string_view kOfGpu = "gpu sm_";  // as Gpu::target says it

std::vector<std::string> split(const char* text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

// What the compiler needs until it is done, though the call may be over.
struct Held {
  explicit Held(std::shared_ptr<const syntax::Program> p) : program(std::move(p)) {}
  const std::shared_ptr<const syntax::Program> program;
  const UnfinishedWork work{};
};

class HostCompiled : public Compiled {
 public:
  HostCompiled(const abi::KernelImage& image, const Specialisation& s)
      : Compiled(image),
        messages_(image, s.functions),
        threads_(image.threads),
        alone_(image.sites.empty()),
        flush_subnormals_(image.flush_subnormals),
        stack_(image.stack),
        arena_(image.arena),
        tables_(image.tables),
        params_(tables_.empty() ? abi::ParamLayout{} : image.params),
        code_(image) {}
  runtime::Error run(const void* params, const abi::LaunchDims& dims,
                     runtime::Interrupt* interrupt) const override {
    if (threads_) return run_threads(params, dims, interrupt);
    const auto job = std::make_shared<runtime::Job>(code_.entry(), params, dims, arena_);
    if (flush_subnormals_) job->flush_subnormals();
    if (!tables_.empty()) plan_tables(*job, params, dims);
    if (messages_.nothing()) return runtime::pool().run(job, interrupt);
    runtime::Report report(messages_.formats());
    job->report_to(report);
    const std::string error = runtime::pool().run(job, interrupt);
    return messages_.heard(report.take(), error);
  }

 private:
  void plan_tables(runtime::Job& job, const void* params, const abi::LaunchDims& dims) const {
    const auto threads = static_cast<uint64_t>(runtime::pool().threads());
    const uint64_t workers = std::min(job.blocks(), threads);
    job.use_tables(runtime::plan_tables(tables_, params_, params, dims, workers));
  }

  runtime::Error run_threads(const void* params, const abi::LaunchDims& dims,
                             runtime::Interrupt* interrupt) const {
    const runtime::fibres::Kernel kernel{code_.thread_entry(), stack_, arena_, alone_,
                                         flush_subnormals_};
    runtime::Report report(messages_.formats());
    const auto job = std::make_shared<runtime::Job>(kernel, params, dims, report);
    const std::string error = runtime::pool().run(job, interrupt);
    return messages_.heard(report.take(), error);
  }

  const KernelMessages messages_;
  bool threads_, alone_, flush_subnormals_;
  uint32_t stack_, arena_;
  const std::vector<abi::WorkerTable> tables_;
  const abi::ParamLayout params_;  // where there are tables
  runtime::LoadedCode code_;
};

class InterpretedKernel : public Compiled {
 public:
  InterpretedKernel(const compile::CompileResult& result, const Specialisation& s)
      : Compiled(result.image), messages_(result.image, s.functions), handle_(result.interpreted) {}
  ~InterpretedKernel() override { jit_library().release(handle_); }
  runtime::Error run(const void* params, const abi::LaunchDims& dims,
                     runtime::Interrupt*) const override {
    LaunchReport report;
    const char* error = jit_library().interpret(handle_, params, &dims, &report);
    return messages_.heard(std::move(report), error ? error : "");
  }

 private:
  const KernelMessages messages_;
  void* handle_;
};

class GpuCompiled : public Compiled {
 public:
  GpuCompiled(const abi::KernelImage& image, const cuda::FatImage& code, int sm)
      : Compiled(image), kernel_(image, code, sm) {}
  runtime::Error run(const void* params, const abi::LaunchDims& dims,
                     runtime::Interrupt*) const override {
    try {
      kernel_.run_on_host_arrays(params, dims);
      return {};
    } catch (const std::exception& e) {
      return e.what();
    }
  }
  const cuda::GpuKernel* gpu_kernel() const override { return &kernel_; }

 private:
  cuda::GpuKernel kernel_;
};

void log_compilation(log::Event& event, const compile::CompileRequest& request,
                     const compile::CompileResult& result) {
  if (!event) return;
  const abi::KernelImage& image = result.image;
  const LaunchFacts& launch = request.source.launch;
  event.fact("target", image.target.empty() ? request.source.target.architecture : image.target);
  launch.has_block() ? event.fact("block", launch.block) : event.fact("block", "any");
  if (result.status == compile::Status::Ok) {
    if (image.kind == abi::ImageKind::HostCode) event.fact("gang", image.threads ? 1 : image.width);
    event.fact("code", image.code.size()).fact("shared", image.static_shared);
    event.fact("arena", image.arena);
  } else {
    const bool users = !result.diagnostics.empty();
    event.fact("error", users ? message_of(result.diagnostics.front()) : result.fault);
  }
  event.write(image.name);
}

// Throws what is not Ok as an Outcome.
compile::CompileResult compile(compile::CompileRequest request) {
  const JitLibrary& jit = jit_library();
  log::Event event(log::Topic::Compile);
  compile::CompileResult result;
  jit.compile(&request, &result);
  if (result.status == compile::Status::Interrupted) throw Outcome{Status::Interrupted, {}, ""};
  log_compilation(event, request, result);
  if (result.status == compile::Status::UserError)
    throw Outcome{Status::UserError, result.diagnostics, ""};
  if (result.status == compile::Status::CompilerFault)
    throw Outcome{Status::CompilerFault, {}, result.fault};
  return result;
}

// "file.py:12", of the kernel's definition.
std::string place_of(const Specialisation& s) {
  const bool known = !s.functions.empty() && s.functions.front().line != 0;
  return known ? s.functions.front().file + ":" + std::to_string(s.functions.front().line) : "";
}

struct Image {
  abi::KernelImage image;
  bool from_disk = false;
};

Image image_for(const Specialisation& s, compile::CompileRequest request) {
  const std::string key = cache_key(s, request);
  if (auto kept = cached_image(key)) {
    kept->source = place_of(s);  // the same kernel may stand anywhere
    return {std::move(*kept), true};
  }
  Image made{compile(std::move(request)).image};
  keep_image(key, made.image);
  return made;
}

// Or with the seed of an order of threads after it.
bool is_interpreter(const std::string& target) {
  const std::string name = "interpreter", seeded = name + "-seed";
  return target == name || (target.starts_with(seeded) && target.size() > seeded.size() &&
                            target.find_first_not_of("0123456789", seeded.size()) == target.npos);
}

CompileOutcome interpreted(const Specialisation& s, const std::string& target = "interpreter") {
  const compile::CompileResult result = compile(request_for(s, target));
  return {std::make_shared<InterpretedKernel>(result, s), {}};
}

CompileOutcome on_host(const Specialisation& s, const std::string& target) {
  const Image made = image_for(s, request_for(s, target));
  return {std::make_shared<HostCompiled>(made.image, s), {}, made.from_disk};
}

// The newest architecture we write that the GPU can run.
int architecture_for(int sm) {
  int best = 0;
  for (const std::string& text : split(jit_library().ptx_architectures()))
    if (const int arch = std::stoi(text); arch <= sm) best = std::max(best, arch);
  if (!best)
    throw std::runtime_error("the GPU has compute capability " + std::to_string(sm / 10) + "." +
                             std::to_string(sm % 10) + "; 7.5 or newer is needed");
  return best;
}

// Kept under the GPU's own number: only the compiler knows which architecture it writes for it.
CompileOutcome on_gpu(const Specialisation& s, int sm) {
  compile::CompileRequest request = request_for(s, "sm_" + std::to_string(sm));
  const std::string key = cache_key(s, request);
  const auto load = [&](const abi::KernelImage& image) {
    return std::make_shared<GpuCompiled>(image, code_for_gpu(image, key, sm), sm);
  };
  if (auto kept = cached_image(key)) {
    kept->source = place_of(s);
    return {load(*kept), {}, true};
  }
  request.source.target = TargetName::of("sm_" + std::to_string(architecture_for(sm)));
  const abi::KernelImage image = compile(std::move(request)).image;
  keep_image(key, image);
  return {load(image), {}};
}

void assemble(const Specialisation& s, const std::string& arch) {
  const Image made = image_for(s, request_for(s, "sm_" + arch));
  if (cuda::find_ptxas().empty()) return;
  const std::string ptx(made.image.code.begin(), made.image.code.end() - 1);
  cuda::Assembled assembled = cuda::assemble(ptx, std::stoi(arch));
  // That of CUDA 13.0 dies of some programs for sm_120, when it optimises a 64-bit remainder of
  // which the low half is used. Whether the text is right it still tells.
  if (assembled.died) assembled = cuda::assemble(ptx, std::stoi(arch), cuda::Optimise::No);
  if (!assembled.ok)
    throw Outcome{
        Status::CompilerFault, {}, "ptxas refuses the PTX for sm_" + arch + ":\n" + assembled.log};
}

// PTX, assembled where ptxas is found; then interpreted, so that there are results to look at.
CompileOutcome assembled(const Specialisation& s, const std::vector<std::string>& architectures) {
  for (const std::string& arch : architectures) assemble(s, arch);
  return interpreted(s);
}

CompileOutcome dispatch(const Specialisation& s, const std::string& target) {
  if (is_interpreter(target)) return interpreted(s, target);
  if (target == "ptx") return assembled(s, split(jit_library().ptx_architectures()));
  if (target.starts_with("sm_")) return assembled(s, {target.substr(3)});
  if (target == "cuda") return on_gpu(s, cuda::gpu0().architecture());
  if (target.starts_with(kOfGpu)) return on_gpu(s, std::stoi(target.substr(kOfGpu.size())));
  return on_host(s, target);
}

CompileOutcome attempt(const Specialisation& s, const std::string& target) {
  try {
    return dispatch(s, target);
  } catch (Outcome& outcome) {
    return {nullptr, std::move(outcome)};
  } catch (const std::invalid_argument& e) {
    return {nullptr, Outcome{Status::BadValue, {}, e.what()}};
  } catch (const std::exception& e) {
    return {nullptr, Outcome{Status::RuntimeFault, {}, e.what()}};
  }
}

}  // namespace

std::function<bool()> asking(const std::function<bool()>* interrupted) {
  if (!interrupted) return {};
  return [interrupted] {
    const ForkMeanwhile meanwhile;
    return (*interrupted)();
  };
}

compile::CompileRequest request_for(const Specialisation& s, const std::string& target) {
  compile::CompileRequest request;
  request.source = s.request;
  request.source.program = s.program.get();
  request.source.target = TargetName::of(target);
  if (!request.source.target.device) request.source.target.emulated = emulated_sm();
  request.lines = runtime::gdb_wanted();
  request.tuning = tuning_wanted();
  request.interrupted = s.interrupted;
  request.held = std::make_shared<const Held>(s.program);
  if (request.source.target.device) request.libdevice = cuda::find_libdevice();
  return request;
}

CompileOutcome compile_for(const Specialisation& s, const std::string& target) {
  CompileOutcome result = attempt(s, target);
  if (!s.identity.empty()) result.outcome.warning = cache_warning();
  return result;
}

std::vector<std::string> available_targets() {
  std::vector<std::string> targets = split(jit_library().host_forms());
  for (std::string& form : split(jit_library().emulated_forms()))
    targets.push_back(std::move(form));
  targets.push_back("interpreter");
  targets.push_back("ptx");
  if (cuda::why_no_driver().empty()) targets.push_back("cuda");
  return targets;
}

bool target_available(const std::string& target) {
  if (target.empty() || is_interpreter(target)) return true;
  std::vector<std::string> all = available_targets();
  for (std::string& form : split(jit_library().host_targets())) all.push_back(std::move(form));
  for (const std::string& arch : split(jit_library().ptx_architectures()))
    all.push_back("sm_" + arch);
  return std::find(all.begin(), all.end(), target) != all.end();
}

}  // namespace cuda_device::dispatch
