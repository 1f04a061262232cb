// The C functions of rt_api.h over the runtime's classes.
#include "driver/rt/rt_api.h"

#include <atomic>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "driver/rt/kernel.h"
#include "driver/rt/streams.h"
#include "runtime/host/cache.h"
#include "runtime/host/pool.h"
#include "runtime/host/report.h"
#include "runtime/host/stream.h"
#include "runtime/host/threads.h"
#include "runtime/owners.h"
#include "support/fork.h"
#include "support/log.h"

namespace cuda_device::rt {

class Event {
 public:
  // Of the last record; null before.
  std::shared_ptr<runtime::EventState> current() const {
    std::lock_guard lock(mutex);
    return state_;
  }
  void set(std::shared_ptr<runtime::EventState> state) {
    std::lock_guard lock(mutex);
    state_.swap(state);  // the old one goes when the lock is free
  }

 private:
  static ForkMutex mutex;  // of all events: held for a copy of a pointer
  std::shared_ptr<runtime::EventState> state_;
};
ForkMutex Event::mutex;

namespace {

thread_local std::string thread_target;
std::atomic<uint64_t> beyond_cache_bytes{0};  // 0: what the machine's caches say

// Made at load, since a fork may come at any time afterwards; outlives every thread.
Stream* const the_default_stream = new Stream;
Stream& default_stream() { return *the_default_stream; }

void set_fault(Outcome* outcome, runtime::Error error) {
  outcome->status = error.raises.empty() ? Status::RuntimeFault : Status::KernelFailed;
  outcome->text = std::move(error.text);
  outcome->raises = std::move(error.raises);
}

// The launch itself, when its turn has come. `stream`: that it was queued on; null: the caller
// waits.
runtime::Error run_logged(const Compiled& compiled, const void* params, const abi::LaunchDims& dims,
                          const runtime::HostStream* stream, runtime::Interrupt* interrupt) {
  log::Event event(log::Topic::Launch);
  runtime::Error error = compiled.run(params, dims, interrupt);
  if (!event) return error;
  event.fact("target", compiled.target()).fact("grid", dims.grid).fact("block", dims.block);
  event.fact("shared", uint64_t{compiled.static_shared()} + dims.shared);
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
        stream_(request.stream->stream.get()),
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
  alignas(8) char few_[256];
  std::unique_ptr<char[]> many_;
};

void enqueue(const LaunchRequest& request, std::shared_ptr<const Compiled> compiled) {
  auto launch = std::make_unique<QueuedLaunch>(request, std::move(compiled));
  QueuedLaunch& made = *launch;
  std::unique_ptr<runtime::Work> work = std::move(launch);
  try {
    request.stream->stream->enqueue(work);
  } catch (...) {
    made.leave_owner();
    throw;
  }
}

void run(const LaunchRequest& request, const Compiled& compiled, Outcome* outcome) {
  std::optional<runtime::Interrupt> asking;
  if (request.interrupted) asking.emplace(*request.interrupted);
  runtime::Interrupt* interrupt = asking ? &*asking : nullptr;
  runtime::Error error = default_stream().stream->run_now(
      [&] { return run_logged(compiled, request.params, request.dims, nullptr, interrupt); },
      interrupt);
  if (interrupt && interrupt->happened())
    outcome->status = Status::Interrupted;
  else if (!error.empty())
    set_fault(outcome, std::move(error));
}

// What a block can have in all, as on sm_90.
constexpr uint64_t kMaxShared = 227 * 1024;

bool fits_in_shared(uint64_t own, uint64_t dynamic, Outcome* outcome) {
  const uint64_t total = own + dynamic;
  if (total <= kMaxShared) return true;
  outcome->status = Status::UserError;
  outcome->diagnostics = {{DiagCode::shared_total,
                           {},
                           {std::to_string(total), std::to_string(own), std::to_string(dynamic),
                            std::to_string(kMaxShared)},
                           {},
                           "",
                           {}}};
  return false;
}

void launch(const LaunchRequest& request, Outcome* outcome) {
  counters.launches.fetch_add(1, std::memory_order_relaxed);
  CompileOutcome found =
      request.kernel->find_or_compile(request.key, thread_target, *request.specialise);
  *outcome = std::move(found.outcome);
  if (!found.compiled) return;
  if (!fits_in_shared(found.compiled->static_shared(), request.dims.shared, outcome)) return;
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
}  // namespace cuda_device::rt

// Nothing may leave the functions below as a C++ exception: their callers are Python frames.
namespace rt = cuda_device::rt;
namespace runtime = cuda_device::runtime;

rt::Kernel* cd_rt_kernel_create() { return new rt::Kernel; }
void cd_rt_kernel_release(rt::Kernel* kernel) { delete kernel; }

void cd_rt_launch(const rt::LaunchRequest* request, rt::Outcome* outcome) {
  try {
    rt::launch(*request, outcome);
  } catch (const std::exception& e) {
    rt::set_fault(outcome, e.what());
  }
}

bool cd_rt_has_printed() { return runtime::anything_printed(); }
void cd_rt_take_printed(std::string* text) { *text = runtime::take_printed(); }

cuda_device::abi::Owner* cd_rt_take_finished() { return runtime::take_finished_owners(); }

rt::Stream* cd_rt_stream_create() { return new rt::Stream; }
rt::Stream* cd_rt_default_stream() { return &rt::default_stream(); }
void cd_rt_stream_retain(rt::Stream* stream) { ++stream->holders; }
void cd_rt_stream_release(rt::Stream* stream) {
  if (--stream->holders == 0) delete stream;
}
void cd_rt_all_streams(std::vector<rt::Stream*>* streams) {
  for (auto& stream : rt::all_streams()) streams->push_back(new rt::Stream(std::move(stream)));
}
uint64_t cd_rt_stream_handle(const rt::Stream* stream) {
  return reinterpret_cast<uint64_t>(stream->stream.get());
}
bool cd_rt_stream_query(rt::Stream* stream) { return stream->stream->idle(); }

void cd_rt_stream_sync(rt::Stream* stream, int milliseconds, rt::Outcome* outcome) {
  if (!stream->stream->wait(milliseconds)) {
    outcome->status = rt::Status::Timeout;
    return;
  }
  if (runtime::Error error = stream->stream->take_error(); !error.empty())
    rt::set_fault(outcome, std::move(error));
}

void cd_rt_take_lost_error(rt::Outcome* outcome) {
  if (runtime::Error error = runtime::take_lost_error(); !error.empty())
    rt::set_fault(outcome, std::move(error));
}

rt::Event* cd_rt_event_create() { return new rt::Event; }
void cd_rt_event_release(rt::Event* event) { delete event; }

void cd_rt_event_record(rt::Event* event, rt::Stream* stream) {
  auto state = std::make_shared<runtime::EventState>();
  event->set(state);
  stream->stream->record(std::move(state));
}

bool cd_rt_event_query(rt::Event* event) {
  const auto state = event->current();
  return !state || state->done();
}

void cd_rt_event_sync(rt::Event* event, int milliseconds, rt::Outcome* outcome) {
  const auto state = event->current();
  if (state && !state->wait(milliseconds)) outcome->status = rt::Status::Timeout;
}

void cd_rt_stream_wait(rt::Stream* stream, rt::Event* event) {
  if (auto state = event->current()) stream->stream->wait_for(std::move(state));
}

double cd_rt_event_seconds(const rt::Event* event) {
  const auto state = event->current();
  return state ? state->seconds() : 0;
}

bool cd_rt_set_target(const char* target) {
  try {
    if (!rt::target_available(target)) return false;
    rt::thread_target = target;
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

const char* cd_rt_target() { return rt::thread_target.c_str(); }

const char* cd_rt_targets() {
  static constinit cuda_device::MadeOnce<std::string> once;
  return once.get(rt::target_list).c_str();
}

void cd_rt_counters(rt::Counters* out) {
  *out = {rt::counters.launches.load(),   rt::counters.compilations.load(),
          rt::counters.cache_hits.load(), rt::counters.specialisations.load(),
          rt::counters.disk_hits.load(),  rt::counters.disk_misses.load(),
          rt::counters.disk_stores.load()};
}

int cd_rt_thread_count() { return runtime::thread_count(); }

uint64_t cd_rt_beyond_cache_bytes() {
  static constinit cuda_device::MadeOnce<uint64_t> once;
  const uint64_t set = rt::beyond_cache_bytes.load(std::memory_order_relaxed);
  return set ? set : once.get([] { return runtime::beyond_cache_bytes(); });
}

void cd_rt_set_beyond_cache_bytes(uint64_t bytes) { rt::beyond_cache_bytes = bytes; }

void cd_rt_shutdown() {
  rt::default_stream().stream->wait(-1);
  runtime::shutdown_pool();
}
