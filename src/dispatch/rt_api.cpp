// The C functions of rt_api.h over the runtime's classes.
#include "dispatch/rt_api.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "dispatch/guarded.h"
#include "dispatch/kernel.h"
#include "dispatch/streams.h"
#include "runtime/cuda/current_device.h"
#include "runtime/cuda/gpu.h"
#include "runtime/host/cache.h"
#include "runtime/host/device.h"
#include "runtime/host/pool.h"
#include "runtime/host/report.h"
#include "runtime/host/stream.h"
#include "runtime/host/threads.h"
#include "runtime/owners.h"
#include "support/fork.h"
#include "support/launch_limits.h"
#include "support/log.h"

namespace cuda_device::dispatch {

class Event {
 public:
  // Of the last record; null before.
  std::shared_ptr<runtime::Event> current() const {
    std::lock_guard lock(mutex);
    return state_;
  }
  void set(std::shared_ptr<runtime::Event> state) {
    std::lock_guard lock(mutex);
    state_.swap(state);  // the old one goes when the lock is free
  }

 private:
  static ForkMutex mutex;  // of all events: held for a copy of a pointer
  std::shared_ptr<runtime::Event> state_;
};
ForkMutex Event::mutex;

namespace {

thread_local std::string thread_target;
std::atomic<uint64_t> beyond_cache_bytes{0};  // 0: what the machine's caches say

// Made at load, since a fork may come at any time afterwards; outlives every thread.
Stream* const the_default_stream = [] {
  auto stream = runtime::host_device().default_stream();
  return new Stream(std::static_pointer_cast<runtime::HostStream>(stream));
}();
Stream& default_stream() { return *the_default_stream; }

void describe(log::Event& event, const Compiled& compiled, const abi::LaunchDims& dims) {
  event.fact("target", compiled.target()).fact("grid", dims.grid).fact("block", dims.block);
  event.fact("shared", uint64_t{compiled.static_shared()} + dims.shared);
}

// The launch itself, when its turn has come. `stream`: that it was queued on; null: the caller
// waits.
runtime::Error run_logged(const Compiled& compiled, const void* params, const abi::LaunchDims& dims,
                          const runtime::HostStream* stream, runtime::Interrupt* interrupt) {
  log::Event event(log::Topic::Launch);
  runtime::Error error = compiled.run(params, dims, interrupt);
  if (!event) return error;
  describe(event, compiled, dims);
  if (stream) event.fact("stream", reinterpret_cast<uint64_t>(stream));
  if (interrupt && interrupt->happened()) event.fact("interrupted", "yes");
  if (!error.empty()) event.fact("error", error.text);
  event.write(compiled.name());
  return error;
}

// What a queued launch owns, in one piece. However it ends, its owner is handed back.
class QueuedLaunch : public runtime::Work {
 public:
  QueuedLaunch(const LaunchRequest& request, std::shared_ptr<const Compiled> compiled)
      : compiled_(std::move(compiled)),
        stream_(request.stream->host),
        dims_(request.dims),
        owner_(request.owner) {
    if (request.params_size > sizeof few_) many_.reset(new char[request.params_size]);
    std::memcpy(params(), request.params, request.params_size);
  }
  ~QueuedLaunch() override { runtime::owner_finished(owner_); }
  runtime::Error run() override {
    runtime::Error error = run_logged(*compiled_, params(), dims_, stream_, nullptr);
    const bool names_it = error.empty() || !error.raises.empty();
    if (!names_it) error.text = "kernel '" + compiled_->name() + "': " + error.text;
    return error;
  }
  void leave_owner() { owner_ = nullptr; }

 private:
  char* params() { return many_ ? many_.get() : few_; }

  const std::shared_ptr<const Compiled> compiled_;
  const runtime::HostStream* const stream_;
  const abi::LaunchDims dims_;
  abi::Owner* owner_;
  alignas(abi::kParamsAlign) char few_[256];
  std::unique_ptr<char[]> many_;
};

void enqueue(const LaunchRequest& request, std::shared_ptr<const Compiled> compiled) {
  auto launch = std::make_unique<QueuedLaunch>(request, std::move(compiled));
  QueuedLaunch& made = *launch;
  std::unique_ptr<runtime::Work> work = std::move(launch);
  try {
    request.stream->host->enqueue(work);
  } catch (...) {
    made.leave_owner();
    throw;
  }
}

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
  runtime::Error error = default_stream().host->run_now(
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
bool warned(const LaunchRequest& request, const Compiled& code, Outcome* outcome) {
  if (!request.warn || !code.dynamic_shared() || !code.may_warn()) [[likely]]
    return true;
  if ((*request.warn)()) return true;
  code.put_back();
  outcome->status = Status::Interrupted;
  return false;
}

// The stream's context is current for the compilation too: it loads what it made.
void launch_on_gpu(const LaunchRequest& request, cuda::GpuStream& stream, Outcome* outcome) {
  const cuda::CurrentContext current(stream.context().handle());
  stream.context().throw_if_lost();
  const cuda::Gpu& gpu = stream.context().gpu();
  CompileOutcome found =
      request.kernel->find_or_compile(request.key, gpu.target(), *request.specialise);
  if (!compiled(found, outcome)) return;
  const Compiled& code = *found.compiled;
  if (!fits_in_shared(code.static_shared(), request.dims.shared, gpu.most_shared(), outcome))
    return;
  if (!warned(request, code, outcome)) return;
  log::Event event(log::Topic::Launch);
  const std::shared_ptr<const cuda::GpuKernel> kernel(found.compiled, code.gpu_kernel());
  stream.launch(kernel, request.params, request.dims, request.owner);
  if (!event) return;
  describe(event, code, request.dims);
  event.fact("gpu", static_cast<uint64_t>(gpu.number())).fact("stream", stream.handle());
  event.write(code.name());
}

void launch(const LaunchRequest& request, Outcome* outcome) {
  counters.launches.fetch_add(1, std::memory_order_relaxed);
  if (request.stream && request.stream->gpu)
    return launch_on_gpu(request, *request.stream->gpu, outcome);
  CompileOutcome found =
      request.kernel->find_or_compile(request.key, thread_target, *request.specialise);
  if (!compiled(found, outcome)) return;
  if (!fits_in_shared(found.compiled->static_shared(), request.dims.shared, kMostSharedBytes,
                      outcome))
    return;
  if (!warned(request, *found.compiled, outcome)) return;
  if (request.stream)
    enqueue(request, std::move(found.compiled));
  else
    run(request, *found.compiled, outcome);
}

std::string target_list() {
  std::string text;
  try {
    for (const std::string& t : available_targets()) text += (text.empty() ? "" : ",") + t;
  } catch (const std::exception&) {
  }
  return text;
}

}  // namespace
}  // namespace cuda_device::dispatch

// Nothing may leave the functions below as a C++ exception: their callers are Python frames.
namespace dispatch = cuda_device::dispatch;
namespace runtime = cuda_device::runtime;

dispatch::Kernel* cd_rt_kernel_create() { return new dispatch::Kernel; }
void cd_rt_kernel_release(dispatch::Kernel* kernel) { delete kernel; }

void cd_rt_launch(const dispatch::LaunchRequest* request, dispatch::Outcome* outcome) {
  try {
    dispatch::launch(*request, outcome);
  } catch (const std::exception& e) {
    dispatch::set_fault(outcome, e.what());
  }
}

bool cd_rt_has_printed() { return runtime::anything_printed(); }
void cd_rt_take_printed(std::string* text) { *text = runtime::take_printed(); }

cuda_device::abi::Owner* cd_rt_take_finished() { return runtime::take_finished_owners(); }

dispatch::Stream* cd_rt_stream_create() { return new dispatch::Stream; }
dispatch::Stream* cd_rt_default_stream() { return &dispatch::default_stream(); }
void cd_rt_stream_retain(dispatch::Stream* stream) { ++stream->holders; }
void cd_rt_stream_release(dispatch::Stream* stream) {
  if (--stream->holders == 0) delete stream;
}
void cd_rt_all_streams(std::vector<dispatch::Stream*>* streams, int device) {
  for (auto& found : dispatch::all_streams(device)) streams->push_back(found.release());
}
uint64_t cd_rt_stream_handle(const dispatch::Stream* stream) { return stream->stream->handle(); }
int cd_rt_stream_device(const dispatch::Stream* stream) { return stream->device; }
void cd_rt_stream_options(const dispatch::Stream* stream, cuda_device::abi::StreamOptions* options,
                          dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [=] { *options = stream->stream->options(); });
}
const void* cd_rt_stream_queue(const dispatch::Stream* stream) { return stream->stream.get(); }
bool cd_rt_stream_captured(const dispatch::Stream* stream) {
  return dispatch::guarded(nullptr, false,
                           [=] { return stream->gpu && stream->gpu->is_captured(); });
}
bool cd_rt_stream_query(dispatch::Stream* stream) {
  return dispatch::guarded(nullptr, true, [=] {
    const bool idle = stream->stream->idle();
    if (!idle) cuda_device::cuda::look_for_losses();
    return idle;
  });
}

// Where there is none, because the GPU fails, the wait says why.
uint64_t cd_rt_stream_mark(dispatch::Stream* stream) {
  return dispatch::guarded(nullptr, runtime::Stream::kAll, [=] { return stream->stream->mark(); });
}
uint64_t cd_rt_stream_last_mark(dispatch::Stream* stream) {
  return stream->host && !stream->host->owes_work() ? 0 : cd_rt_stream_mark(stream);
}

void cd_rt_stream_sync(dispatch::Stream* stream, uint64_t mark, int milliseconds,
                       dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [=] {
    if (!stream->stream->wait(milliseconds, mark)) {
      cuda_device::cuda::look_for_losses();
      outcome->status = dispatch::Status::Timeout;
    } else if (runtime::Error error = stream->stream->take_error(); !error.empty()) {
      dispatch::set_fault(outcome, std::move(error));
    }
  });
}

void cd_rt_take_lost_error(dispatch::Outcome* outcome) {
  if (runtime::Error error = runtime::take_lost_error(); !error.empty())
    dispatch::set_fault(outcome, std::move(error));
}

dispatch::Event* cd_rt_event_create() { return new dispatch::Event; }
void cd_rt_event_release(dispatch::Event* event) { delete event; }

// One of the host is made known before it is queued: whoever asks meanwhile sees one to come.
void cd_rt_event_record(dispatch::Event* event, dispatch::Stream* stream, bool timing,
                        dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [=] {
    if (stream->gpu) return event->set(stream->gpu->record(timing));
    auto state = std::make_shared<runtime::EventState>();
    event->set(state);
    stream->host->record(std::move(state));
  });
}

bool cd_rt_event_query(dispatch::Event* event) {
  const auto state = event->current();
  return !state || dispatch::guarded(nullptr, true, [&] {
    const bool done = state->done();
    if (!done) cuda_device::cuda::look_for_losses();
    return done;
  });
}

void cd_rt_event_sync(dispatch::Event* event, int milliseconds, dispatch::Outcome* outcome) {
  const auto state = event->current();
  if (!state) return;
  dispatch::guarded(outcome, [&] {
    if (!state->wait(milliseconds)) {
      cuda_device::cuda::look_for_losses();
      outcome->status = dispatch::Status::Timeout;
    } else if (std::string error = state->error(); !error.empty()) {
      dispatch::set_fault(outcome, std::move(error));
    }
  });
}

void cd_rt_stream_wait(dispatch::Stream* stream, dispatch::Event* event,
                       dispatch::Outcome* outcome) {
  if (const auto state = event->current())
    dispatch::guarded(outcome, [&] { stream->stream->wait_for(state); });
}

double cd_rt_event_difference(const dispatch::Event* later, const dispatch::Event* earlier,
                              dispatch::Outcome* outcome) {
  return dispatch::guarded(outcome, 0.0, [&] {
    const auto end = later->current(), begin = earlier->current();
    if (!begin || !end)
      throw std::runtime_error(
          "an event that was not recorded or is not done yet has no time: record() both, sync() "
          "the later one");
    if (begin->device() != end->device())
      throw std::runtime_error("two events of different devices have no common clock");
    return end->milliseconds_since(*begin);
  });
}

int cd_rt_event_device(const dispatch::Event* event, int otherwise) {
  const auto state = event->current();
  return state ? state->device() : otherwise;
}

int cd_rt_gpu_count() {
  return dispatch::guarded(nullptr, 0, [] { return cuda_device::cuda::gpu_count(); });
}

bool cd_rt_device_info(int device, dispatch::DeviceInfo* info, dispatch::Outcome* outcome) {
  return dispatch::guarded(outcome, false, [=] {
    const runtime::Device& found = dispatch::device_of(device);
    *info = {found.name(), found.uuid(), found.architecture()};
    return true;
  });
}

int cd_rt_device_attribute(int device, const char* name, dispatch::Outcome* outcome) {
  return dispatch::guarded(outcome, 0, [=] { return dispatch::device_of(device).attribute(name); });
}

const char* cd_rt_device_attributes() {
#define ATTRIBUTE(name, number, host) #name ","
  return
#include "runtime/device_attributes.def"
      ;
}

int cd_rt_current_device(dispatch::Outcome* outcome) {
  return dispatch::guarded(outcome, runtime::kHostDevice,
                           [] { return cuda_device::cuda::current_device(); });
}

void cd_rt_set_current_device(int device, dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [=] { cuda_device::cuda::set_current_device(device); });
}

dispatch::Stream* cd_rt_device_stream(int device, const cuda_device::abi::StreamOptions* options,
                                      dispatch::Outcome* outcome) {
  return dispatch::guarded(outcome, static_cast<dispatch::Stream*>(nullptr), [=] {
    if (device == runtime::kHostDevice) return new dispatch::Stream;
    return new dispatch::Stream(cuda_device::cuda::gpu(device).context().create_stream(*options));
  });
}

dispatch::Stream* cd_rt_device_default_stream(int device, dispatch::Outcome* outcome) {
  return dispatch::guarded(outcome, static_cast<dispatch::Stream*>(nullptr),
                           [=] { return dispatch::default_stream_of(device); });
}

dispatch::Stream* cd_rt_foreign_stream(uint64_t handle, dispatch::Outcome* outcome) {
  return dispatch::guarded(outcome, static_cast<dispatch::Stream*>(nullptr), [=] {
    const int otherwise = std::max(cuda_device::cuda::current_device(), 0);
    return new dispatch::Stream(cuda_device::cuda::stream_for(handle, otherwise));
  });
}

bool cd_rt_stream_own(const dispatch::Stream* stream) {
  return stream->host ? stream != dispatch::the_default_stream : stream->gpu->own();
}

void cd_rt_used_gpus(std::vector<int>* gpus) {
  if (!cuda_device::cuda::driver_works()) return;
  cuda_device::cuda::for_each_context([=](cuda_device::cuda::Context& context) {
    const int gpu = context.gpu().number();
    if (!context.primary() || (context.lost() && context.told())) return;
    if (std::find(gpus->begin(), gpus->end(), gpu) == gpus->end()) gpus->push_back(gpu);
  });
}

bool cd_rt_gpus_take_calls() { return cuda_device::cuda::driver_takes_calls(); }

void cd_rt_gpu_sync(int device, dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [=] {
    if (!cuda_device::cuda::driver_works()) return;
    cuda_device::cuda::for_each_context([=](cuda_device::cuda::Context& context) {
      if (context.gpu().number() == device && (context.primary() || context.uses_anything()))
        context.synchronize();
    });
  });
}

bool cd_rt_set_target(const char* target) {
  try {
    if (!dispatch::target_available(target)) return false;
    dispatch::thread_target = target;
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

const char* cd_rt_target() { return dispatch::thread_target.c_str(); }

const char* cd_rt_targets() {
  static constinit cuda_device::MadeOnce<std::string> once;
  return once.get(dispatch::target_list).c_str();
}

void cd_rt_counters(dispatch::Counters* out) {
  *out = {dispatch::counters.launches.load(),   dispatch::counters.compilations.load(),
          dispatch::counters.cache_hits.load(), dispatch::counters.specialisations.load(),
          dispatch::counters.disk_hits.load(),  dispatch::counters.disk_misses.load(),
          dispatch::counters.disk_stores.load()};
}

int cd_rt_thread_count() { return runtime::thread_count(); }

uint64_t cd_rt_beyond_cache_bytes() {
  static constinit cuda_device::MadeOnce<uint64_t> once;
  const uint64_t set = dispatch::beyond_cache_bytes.load(std::memory_order_relaxed);
  return set ? set : once.get([] { return runtime::beyond_cache_bytes(); });
}

void cd_rt_set_beyond_cache_bytes(uint64_t bytes) { dispatch::beyond_cache_bytes = bytes; }

void cd_rt_shutdown() {
  if (cuda_device::cuda::driver_works()) cuda_device::cuda::end_driver();
  runtime::leave_pool();
}
