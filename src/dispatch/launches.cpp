#include "dispatch/launches.h"

#include <optional>
#include <stdexcept>

#include "dispatch/guarded.h"
#include "dispatch/kernel.h"
#include "dispatch/launch_log.h"
#include "dispatch/launch_settings.h"
#include "dispatch/queued_launch.h"
#include "dispatch/streams.h"
#include "runtime/cuda/gpu.h"
#include "support/launch_limits.h"
#include "support/log.h"

namespace cuda_device::dispatch {
namespace {

void run(const LaunchRequest& request, const Compiled& compiled, Outcome* outcome) {
  std::optional<runtime::Interrupt> asking;
  if (request.interrupted) asking.emplace(*request.interrupted);
  runtime::Interrupt* interrupt = asking ? &*asking : nullptr;
  // The default stream may wait for a GPU.
  const std::function<bool()> meanwhile = [interrupt] {
    cuda::look_for_losses();
    return interrupt && interrupt->asked();
  };
  runtime::Interrupt waiting(meanwhile);
  runtime::Error error = the_default_stream->host->run_now(
      [&] { return run_logged(compiled, request.params, request.dims, nullptr, interrupt); },
      &waiting);
  if (interrupt && interrupt->happened())
    outcome->status = Status::Interrupted;
  else if (!error.empty())
    set_fault(outcome, std::move(error));
}

bool fits_in_shared(uint64_t own, uint64_t dynamic, uint64_t most, Outcome* outcome) {
  const uint64_t total = own + dynamic;
  if (total <= most) return true;
  outcome->status = Status::UserError;
  outcome->diagnostics = {
      {DiagCode::shared_total,
       {},
       {std::to_string(total), std::to_string(own), std::to_string(dynamic), std::to_string(most)},
       {},
       "",
       {}}};
  return false;
}

// tid() and grid_size() are int32: they would wrap.
bool fits_in_count(const Compiled& code, const abi::LaunchDims& dims, Outcome* outcome) {
  if (!code.counted_axes()) return true;
  for (size_t axis = 0; axis < 3; ++axis) {
    const uint64_t threads = uint64_t{dims.grid[axis]} * dims.block[axis];
    if (!(code.counted_axes() >> axis & 1) || threads <= INT32_MAX) continue;
    const std::string name(1, "xyz"[axis]);
    outcome->status = Status::UserError;
    outcome->diagnostics = {
        {DiagCode::grid_threads, {}, {code.name(), name, std::to_string(threads)}, {}, "", {}}};
    return false;
  }
  return true;
}

// False where there is none, with the outcome that says why. Mostly there is, and nothing to say.
bool compiled(CompileOutcome& found, Outcome* outcome) {
  if (!found.compiled) [[unlikely]] {
    *outcome = std::move(found.outcome);
    return false;
  }
  if (!found.outcome.warning.empty()) outcome->warning.swap(found.outcome.warning);
  return true;
}

// Whether there is to be a launch.
bool warned(const LaunchRequest& request, const Once& said, const std::vector<Warning>& warnings,
            Outcome* outcome) {
  if (!request.warn || !said.first()) [[likely]]
    return true;
  if ((*request.warn)(warnings)) return true;
  said.put_back();
  outcome->status = Status::Interrupted;
  return false;
}

bool warned(const LaunchRequest& request, const Compiled& code, Outcome* outcome) {
  if (!code.warnings().empty() && !warned(request, code.said_warnings(), code.warnings(), outcome))
      [[unlikely]]
    return false;
  if (!code.dynamic_shared() || request.gives_shared) return true;
  return warned(request, code.said_shared(), {}, outcome);
}

// The stream's context is current for the compilation too: it loads what it made.
void launch_on_gpu(const LaunchRequest& request, cuda::GpuStream& stream, Outcome* outcome) {
  const cuda::CurrentContext current(stream.context().handle());
  stream.context().throw_if_lost();
  const cuda::Gpu& gpu = stream.context().gpu();
  CompileOutcome found = request.kernel->find_or_compile(request.key, gpu.target(),
                                                         *request.specialise, request.interrupted);
  if (!compiled(found, outcome)) return;
  const Compiled& code = *found.compiled;
  if (!fits_in_shared(code.static_shared(), request.dims.shared, gpu.most_shared(), outcome))
    return;
  if (!fits_in_count(code, request.dims, outcome)) return;
  if (!warned(request, code, outcome)) return;
  log::Event event(log::Topic::Launch);
  const std::shared_ptr<const cuda::GpuKernel> kernel(found.compiled, code.gpu_kernel());
  stream.launch(kernel, request.params, request.dims, request.owner);
  if (!event) return;
  describe(event, code, request.dims);
  event.fact("gpu", static_cast<uint64_t>(gpu.number())).fact("stream", stream.handle());
  event.write(code.name());
}

// Null where there is none, with the outcome that says why.
std::shared_ptr<const Compiled> code_for_host(const LaunchRequest& request, Outcome* outcome) {
  if (request.code && *request.code) [[likely]] {
    counters.cache_hits.fetch_add(1, std::memory_order_relaxed);
    return std::move(*request.code);
  }
  CompileOutcome found = request.kernel->find_or_compile(request.key, target_of_thread(),
                                                         *request.specialise, request.interrupted);
  if (!compiled(found, outcome)) return nullptr;
  if (request.code) *request.code = found.compiled;
  return std::move(found.compiled);
}

}  // namespace

void launch(const LaunchRequest& request, Outcome* outcome) {
  counters.launches.fetch_add(1, std::memory_order_relaxed);
  if (request.stream && request.stream->gpu)
    return launch_on_gpu(request, *request.stream->gpu, outcome);
  std::shared_ptr<const Compiled> code = code_for_host(request, outcome);
  if (!code) return;
  if (!fits_in_shared(code->static_shared(), request.dims.shared, kMostSharedBytes, outcome))
    return;
  if (!fits_in_count(*code, request.dims, outcome)) return;
  if (!warned(request, *code, outcome)) return;
  if (request.stream)
    enqueue(request, std::move(code));
  else
    run(request, *code, outcome);
}

}  // namespace cuda_device::dispatch
