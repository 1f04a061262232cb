// Looking in: stages of a compilation as text, and what this machine has.
#include <stdexcept>

#include "dispatch/compiled.h"
#include "dispatch/disk/build_digest.h"
#include "dispatch/disk/settings.h"
#include "dispatch/disk/store.h"
#include "dispatch/guarded.h"
#include "dispatch/jit_library.h"
#include "dispatch/launch_settings.h"
#include "dispatch/tuning.h"
#include "runtime/cuda/assembler.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/toolkit.h"
#include "runtime/host/pool.h"
#include "runtime/host/threads.h"
#include "support/fork.h"
#include "support/targets.h"

namespace cuda_device::dispatch {
namespace {

Status status_of(compile::Status s) {
  if (s == compile::Status::UserError) return Status::UserError;
  if (s == compile::Status::Interrupted) return Status::Interrupted;
  return s == compile::Status::Ok ? Status::Ok : Status::CompilerFault;
}

void inspect(const Specialisation& s, const char* what, const char* target, bool lines,
             Outcome* outcome) {
  FinishBeforeFork scope;
  compile::CompileRequest request = request_for(s, target);
  request.lines = lines;
  const std::function<bool()> ask = asking(s.interrupted);
  if (ask) request.interrupted = &ask;
  compile::InspectResult result;
  jit_library().inspect(&request, what, &result);
  outcome->status = status_of(result.status);
  outcome->diagnostics = std::move(result.diagnostics);
  outcome->text = result.status == compile::Status::CompilerFault ? result.fault : result.text;
}

std::string found_or_not(const std::string& path) { return path.empty() ? "not found" : path; }

std::string gpu_line() {
  const std::string why = cuda::why_no_driver();
  if (!why.empty()) return why;
  const cuda::Gpu& gpu = cuda::gpu0();
  return gpu.name() + ", sm_" + std::to_string(gpu.architecture()) + ", driver " +
         std::to_string(cuda::driver().version);
}

// What there is, wanted or not.
Store store_of(const CacheSettings& settings) { return {settings.folder, settings.limit}; }

// making: the folder, where it is missing, which shows whether it can be.
std::string cache_state(const CacheSettings& settings, bool making) {
  if (!settings.off.empty()) return "off: " + settings.off;
  const std::string refusal = store_of(settings).refusal(making);
  return refusal.empty() ? "in use" : "not used: " + refusal;
}

std::string cache_text() {
  const CacheSettings settings = cache_settings();
  const Usage usage = store_of(settings).usage();
  return "folder=" + settings.folder + "\nstate=" + cache_state(settings, true) +
         "\nentries=" + std::to_string(usage.entries) + "\nbytes=" + std::to_string(usage.bytes) +
         "\nlimit=" + std::to_string(settings.limit) +
         "\ncompiler=" + std::string(kBuildDigest.substr(0, 16)) + "\n";
}

std::string clear_cache() {
  const Store store = store_of(cache_settings());
  if (const std::string refusal = store.refusal(); !refusal.empty())
    throw std::runtime_error(refusal);
  const Usage removed = store.clear();
  return "entries=" + std::to_string(removed.entries) + "\nbytes=" + std::to_string(removed.bytes) +
         "\n";
}

std::string emulated_text() try {
  return "sm_" + std::to_string(emulated_sm());
} catch (const std::invalid_argument& e) {
  return e.what();
}

std::string machine_text() {
  const CacheSettings cache = cache_settings();
  const JitLibrary& jit = jit_library();
  return "version=" CD_VERSION "\nllvm=" + std::string(jit.llvm_version()) +
         "\nhost forms=" + jit.host_forms() + "\nptx architectures=" + jit.ptx_architectures() +
         "\nemulates=" + emulated_text() + "\nthreads=" + std::to_string(runtime::thread_count()) +
         "\nbeyond cache=" + std::to_string(beyond_cache_bytes()) +
         "\nlibdevice=" + found_or_not(cuda::find_libdevice()) +
         "\nptxas=" + found_or_not(cuda::find_ptxas()) +
         "\nassembler=" + found_or_not(cuda::assembler().shown) + "\ngpu=" + gpu_line() +
         "\ncache=" + cache.folder + " (" + cache_state(cache, false) + ")\n" + tuning_text();
}

}  // namespace
}  // namespace cuda_device::dispatch

namespace dispatch = cuda_device::dispatch;

void cd_rt_inspect(const dispatch::Specialisation* specialisation, const char* what,
                   const char* target, bool lines, dispatch::Outcome* outcome) {
  dispatch::guarded(outcome,
                    [&] { dispatch::inspect(*specialisation, what, target, lines, outcome); });
}

void cd_rt_info(dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [&] { outcome->text = dispatch::machine_text(); });
}

void cd_rt_cache_info(dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [&] { outcome->text = dispatch::cache_text(); });
}

void cd_rt_cache_clear(dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [&] { outcome->text = dispatch::clear_cache(); });
}

void cd_rt_add_search_path(const char* folder) { cuda_device::cuda::add_search_path(folder); }
