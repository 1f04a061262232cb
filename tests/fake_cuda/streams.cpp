// Streams and events of the tests' driver: each stream is a queue with a thread of its own, so work
// that nothing orders runs in any order.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <thread>

#include "fake.h"

namespace cuda_device::cuda {

extern thread_local bool in_host_function;

namespace {

// One recording: done for good.
struct Record {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::chrono::steady_clock::time_point time;

  void complete() {
    const std::lock_guard lock(mutex);
    time = std::chrono::steady_clock::now();
    done = true;
    changed.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return done; });
  }
  bool query() {
    const std::lock_guard lock(mutex);
    return done;
  }
};

struct Event {
  CUcontext context;
  unsigned flags;
  std::shared_ptr<Record> record;  // null before the first
  bool captured = false;           // the stream was, when it was recorded
};

class Stream {
 public:
  Stream(CUcontext context, unsigned flags, int priority, bool legacy = false)
      : context(context), flags(flags), priority(priority), legacy(legacy) {}
  const CUcontext context;
  const unsigned flags;
  const int priority;
  const bool legacy;  // the default stream of its context
  std::atomic<bool> capturing{false};

  // Work of a stream runs on its thread, which is made when there is some and stays.
  static void enqueue(const std::shared_ptr<Stream>& self, std::function<void()> work) {
    for (const auto& other : waited_for(*self)) {
      if (other->idle()) continue;
      auto reached = std::make_shared<Record>();
      push(other, [reached] { reached->complete(); });
      push(self, [reached] { reached->wait(); });
    }
    push(self, std::move(work));
  }
  bool idle() {
    const std::lock_guard lock(mutex_);
    return !running_;
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !running_; });
  }

 private:
  // The streams that the work of one waits for: blocking ones and the legacy one for each other.
  static std::vector<std::shared_ptr<Stream>> waited_for(const Stream& stream);

  static void push(const std::shared_ptr<Stream>& self, std::function<void()> work) {
    std::unique_lock lock(self->mutex_);
    // FAKE_CUDA_QUEUE=8: so many commands have room, a caller with more waits.
    const auto room = static_cast<size_t>(number_from("FAKE_CUDA_QUEUE", 1L << 30));
    self->changed_.wait(lock, [&] { return self->queue_.size() < room; });
    self->queue_.push_back(std::move(work));
    if (self->running_) return;
    self->running_ = true;
    std::thread([self] { self->run(); }).detach();
  }
  void run() {
    for (;;) {
      std::function<void()> work;
      {
        const std::lock_guard lock(mutex_);
        if (queue_.empty()) {
          running_ = false;
          changed_.notify_all();
          return;
        }
        work = std::move(queue_.front());
        queue_.pop_front();
        changed_.notify_all();
      }
      work();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool running_ = false;
};

struct Streams {
  std::mutex mutex;
  std::map<CUstream, std::shared_ptr<Stream>> made;
  std::vector<std::shared_ptr<Stream>> destroyed;  // their work goes on
  std::map<std::pair<CUcontext, std::thread::id>, std::shared_ptr<Stream>> defaults;
  std::set<CUevent> events;
};
Streams& streams() {
  static Streams* const all = new Streams;
  return *all;
}

std::vector<std::shared_ptr<Stream>> Stream::waited_for(const Stream& stream) {
  std::vector<std::shared_ptr<Stream>> found;
  if (stream.flags & kStreamNonBlocking) return found;
  Streams& all = streams();
  const std::lock_guard lock(all.mutex);
  const auto add = [&](const std::shared_ptr<Stream>& other) {
    if (other->context == stream.context && other->legacy != stream.legacy &&
        !(other->flags & kStreamNonBlocking))
      found.push_back(other);
  };
  for (const auto& entry : all.made) add(entry.second);
  for (const auto& entry : all.defaults) add(entry.second);
  for (const auto& other : all.destroyed) add(other);
  return found;
}

// Null where there is no such stream, or no context for a default one.
std::shared_ptr<Stream> stream_at(CUstream handle) {
  Streams& all = streams();
  const std::lock_guard lock(all.mutex);
  const auto number = reinterpret_cast<uint64_t>(handle);
  if (number > kPerThreadStream) {
    const auto found = all.made.find(handle);
    return found == all.made.end() ? nullptr : found->second;
  }
  CUcontext context = current_context();
  if (!context) return nullptr;
  const auto thread = number == kPerThreadStream ? std::this_thread::get_id() : std::thread::id();
  auto& stream = all.defaults[{context, thread}];
  if (!stream) stream = std::make_shared<Stream>(context, 0, 0, number != kPerThreadStream);
  return stream;
}

thread_local int capture_mode = 0;
std::atomic<bool> capture_ended{false};

constexpr CUresult kUnsupportedInCapture = 900, kCaptureIsolation = 905, kCapturedEvent = 907;

// Whether a stream that fits is being captured.
template <class Fits>
bool any_captured(Fits fits) {
  const std::lock_guard lock(streams().mutex);
  for (const auto& entry : streams().made)
    if (entry.second->capturing && fits(*entry.second)) return true;
  return false;
}

bool blocking_one_captured() {
  return any_captured([](const Stream& stream) {
    return stream.context == current_context() && !(stream.flags & kStreamNonBlocking);
  });
}

bool known(CUevent event) {
  const std::lock_guard lock(streams().mutex);
  return streams().events.count(event) != 0;
}

CUstream add(const std::shared_ptr<Stream>& stream) {
  Streams& all = streams();
  const std::lock_guard lock(all.mutex);
  const auto handle = reinterpret_cast<CUstream>(stream.get());
  all.made[handle] = stream;
  return handle;
}

// A launch as it was queued: the parameters' bytes are its own.
struct Launch {
  std::string name;
  unsigned shape[6];
  unsigned shared;
  std::vector<std::vector<char>> params;

  void run(CUcontext context) {
    State& s = state();
    if (sticky(context)) return;
    OnLaunch on_launch = nullptr;
    int destroyed = 0;  // contexts at this address so far
    {
      const std::lock_guard lock(s.mutex);
      on_launch = s.on_launch;
      destroyed = s.times_destroyed[context];
    }
    std::vector<void*> pointers;
    pointers.reserve(params.size());
    for (auto& bytes : params) pointers.push_back(bytes.data());
    if (on_launch) on_launch(name.c_str(), shape, shared, pointers.data());
    const std::lock_guard lock(s.mutex);
    if (s.faulty == name && s.times_destroyed[context] == destroyed) s.sticky[context] = s.fault;
  }
};

}  // namespace

#define STREAM(name, handle)                                                        \
  const auto name = stream_at(handle);                                              \
  if (!name)                                                                        \
  return current_context() || reinterpret_cast<uint64_t>(handle) > kPerThreadStream \
             ? kInvalidHandle                                                       \
             : kInvalidContext

// WORK_STREAM of a handle, where something is done there or waited for.
#define WORK_STREAM(name, handle) \
  NOT_BESIDE_CAPTURES(handle);    \
  STREAM(name, handle)

CUresult against_captures(bool of_captured_stream) {
  const bool allowed = capture_mode == kCaptureRelaxed;
  if (!of_captured_stream && (allowed || !any_captured([](const Stream&) { return true; })))
    return kSuccess;
  capture_ended = true;
  return kUnsupportedInCapture;
}

bool captured(CUstream handle) {
  const auto stream = stream_at(handle);
  return stream && stream->capturing;
}

CUresult legacy_beside_capture(CUstream handle) {
  if (reinterpret_cast<uint64_t>(handle) > kLegacyStream || !blocking_one_captured())
    return kSuccess;
  capture_ended = true;
  return kCaptureImplicit;
}

void wait_for_all() {
  std::vector<std::shared_ptr<Stream>> all;
  {
    const std::lock_guard lock(streams().mutex);
    for (const auto& entry : streams().made) all.push_back(entry.second);
    for (const auto& entry : streams().defaults) all.push_back(entry.second);
    const auto& destroyed = streams().destroyed;
    all.insert(all.end(), destroyed.begin(), destroyed.end());
  }
  for (const auto& stream : all)
    if (stream->context == current_context()) stream->wait();
}

CUresult fake_context_synchronize() {
  ENTER("context_synchronize");
  NEEDS_CONTEXT;
  const auto of_this = [](const Stream& stream) { return stream.context == current_context(); };
  if (const CUresult wrong = against_captures(any_captured(of_this))) return wrong;
  wait_for_all();
  memory_passed(nullptr, true);
  return sticky(current_context());
}

CUresult fake_stream_priorities(int* least, int* greatest) {
  ENTER("stream_priorities");
  NEEDS_CONTEXT;
  *least = 0;
  *greatest = -5;
  return kSuccess;
}

CUresult fake_stream_create(CUstream* stream, unsigned flags, int priority) {
  ENTER("stream_create");
  ENDS_CAPTURES;
  NEEDS_CONTEXT;
  *stream = add(std::make_shared<Stream>(current_context(), flags, priority));
  return kSuccess;
}

CUresult fake_stream_flags(CUstream handle, unsigned* flags) {
  ENTER("stream_flags");
  STREAM(stream, handle);
  *flags = stream->flags;
  return kSuccess;
}

CUresult fake_stream_priority(CUstream handle, int* priority) {
  ENTER("stream_priority");
  STREAM(stream, handle);
  *priority = stream->priority;
  return kSuccess;
}

bool destroy(CUstream handle) {
  const std::lock_guard lock(streams().mutex);
  const auto found = streams().made.find(handle);
  if (found == streams().made.end()) return false;
  streams().destroyed.push_back(found->second);
  streams().made.erase(found);
  return true;
}

CUresult fake_stream_destroy(CUstream handle) {
  ENTER("stream_destroy");
  NEEDS_CONTEXT;
  ENDS_CAPTURES;
  return destroy(handle) ? kSuccess : kInvalidHandle;
}

CUresult fake_thread_capture_mode(int* mode) {
  ASK("thread_capture_mode");
  std::swap(capture_mode, *mode);
  return kSuccess;
}

CUresult fake_stream_query(CUstream handle) {
  ENTER("stream_query");
  WORK_STREAM(stream, handle);
  if (const CUresult wrong = against_captures(stream->capturing)) return wrong;
  const bool idle = stream->idle();
  if (const CUresult wrong = sticky(stream->context)) return wrong;
  return idle ? kSuccess : kNotReady;
}

CUresult fake_stream_context(CUstream handle, CUcontext* context) {
  ENTER("stream_context");
  STREAM(stream, handle);
  *context = stream->context;
  return kSuccess;
}

CUresult fake_stream_capturing(CUstream handle, int* capturing) {
  ENTER("stream_capturing");
  if (reinterpret_cast<uint64_t>(handle) <= kLegacyStream && blocking_one_captured())
    return kCaptureImplicit;  // asking that ends nothing
  STREAM(stream, handle);
  *capturing = stream->capturing;
  return kSuccess;
}

CUresult fake_stream_wait_event(CUstream handle, CUevent event, unsigned flags) {
  ENTER("stream_wait_event");
  WORK_STREAM(stream, handle);
  if (flags || !known(event)) return kInvalidHandle;
  // What is captured waits for nothing outside of the graph.
  if (stream->capturing && !reinterpret_cast<Event*>(event)->captured) {
    capture_ended = true;
    return kCaptureIsolation;
  }
  note("stream_wait_event", handle);
  if (auto record = reinterpret_cast<Event*>(event)->record)
    Stream::enqueue(stream, [record] { record->wait(); });
  return kSuccess;
}

CUresult fake_stream_wait_value(CUstream handle, CUdeviceptr address, uint32_t value,
                                unsigned flags) {
  ENTER("stream_wait_value");
  WORK_STREAM(stream, handle);
  if (flags != kWaitValueGreaterOrEqual) return kInvalidValue;
  auto* const cell = reinterpret_cast<std::atomic<uint32_t>*>(address);
  Stream::enqueue(stream, [cell, value, context = stream->context] {
    while (static_cast<int32_t>(cell->load(std::memory_order_acquire) - value) < 0 &&
           !sticky(context))
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  });
  return kSuccess;
}

CUresult fake_event_create(CUevent* event, unsigned flags) {
  ENTER("event_create");
  ENDS_CAPTURES;
  NEEDS_CONTEXT;
  *event = reinterpret_cast<CUevent>(new Event{current_context(), flags, nullptr});
  const std::lock_guard lock(streams().mutex);
  streams().events.insert(*event);
  return kSuccess;
}

CUresult fake_event_destroy(CUevent event) {
  ENTER("event_destroy");
  NEEDS_CONTEXT;
  const std::lock_guard lock(streams().mutex);
  if (!streams().events.erase(event)) return kInvalidHandle;
  delete reinterpret_cast<Event*>(event);
  return kSuccess;
}

CUresult fake_event_record(CUevent event, CUstream handle) {
  ENTER("event_record");
  NEEDS_CONTEXT;
  WORK_STREAM(stream, handle);
  if (!known(event) || reinterpret_cast<Event*>(event)->context != stream->context)
    return kInvalidHandle;
  note("event_record", handle);
  auto record = std::make_shared<Record>();
  reinterpret_cast<Event*>(event)->record = record;
  reinterpret_cast<Event*>(event)->captured = stream->capturing;
  Stream::enqueue(stream, [record] { record->complete(); });
  return kSuccess;
}

CUresult fake_event_synchronize(CUevent event) {
  ENTER("event_synchronize");
  NEEDS_CONTEXT;
  if (!known(event)) return kInvalidHandle;
  if (reinterpret_cast<Event*>(event)->captured) return kCapturedEvent;
  if (const CUresult wrong = against_captures()) return wrong;
  if (const auto record = reinterpret_cast<Event*>(event)->record) record->wait();
  return sticky(reinterpret_cast<Event*>(event)->context);
}

CUresult fake_event_query(CUevent event) {
  ENTER("event_query");
  if (!known(event)) return kInvalidHandle;
  if (reinterpret_cast<Event*>(event)->captured) return kCapturedEvent;
  if (const CUresult wrong = against_captures()) return wrong;
  const auto record = reinterpret_cast<Event*>(event)->record;
  const bool done = !record || record->query();
  if (const CUresult wrong = sticky(reinterpret_cast<Event*>(event)->context)) return wrong;
  return done ? kSuccess : kNotReady;
}

CUresult fake_event_elapsed(float* milliseconds, CUevent start, CUevent end) {
  ENTER("event_elapsed");
  NEEDS_CONTEXT;
  if (!known(start) || !known(end)) return kInvalidHandle;
  const auto* const a = reinterpret_cast<Event*>(start);
  const auto* const b = reinterpret_cast<Event*>(end);
  if ((a->flags | b->flags) & kEventDisableTiming || !a->record || !b->record)
    return kInvalidHandle;
  if (!a->record->query() || !b->record->query()) return kNotReady;
  *milliseconds =
      std::chrono::duration<float, std::milli>(b->record->time - a->record->time).count();
  return kSuccess;
}

CUresult fake_host_function(CUstream handle, CUhostFn function, void* data) {
  ENTER("host_function");
  WORK_STREAM(stream, handle);
  Stream::enqueue(stream, [function, data, context = stream->context] {
    if (sticky(context)) return;
    in_host_function = true;
    function(data);
    in_host_function = false;
  });
  return kSuccess;
}

CUresult fake_launch_kernel(const CUlaunchConfig* config, CUfunction function, void** params,
                            void** extra) {
  ENTER("launch_kernel");
  NEEDS_CONTEXT;
  WORK_STREAM(stream, config->stream);
  const auto handle = reinterpret_cast<CUkernel>(function);
  if (extra || config->attribute_count) return kInvalidValue;
  State& s = state();
  {
    const std::lock_guard lock(s.mutex);
    if (!s.kernels.count(handle)) return kInvalidValue;
    const auto limit = s.shared_limit.find({handle, device_of(stream->context)});
    const unsigned most =
        limit == s.shared_limit.end() ? 48 * 1024 : static_cast<unsigned>(limit->second);
    if (config->shared > std::max(most, 48U * 1024)) return kInvalidValue;
  }
  const auto* const kernel = reinterpret_cast<Kernel*>(function);
  if (const CUresult wrong = need(*kernel)) return wrong;
  const auto& g = config->grid;
  const auto& b = config->block;
  auto launch = std::make_shared<Launch>(
      Launch{kernel->name, {g[0], g[1], g[2], b[0], b[1], b[2]}, config->shared, {}});
  for (size_t i = 0; i < kernel->params.size(); ++i) {
    const char* const bytes = static_cast<const char*>(params[i]);
    launch->params.emplace_back(bytes, bytes + kernel->params[i]);
  }
  Stream::enqueue(stream, [launch, context = stream->context] { launch->run(context); });
  const char* const blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  if (!blocking || std::strcmp(blocking, "1") != 0) return kSuccess;
  stream->wait();
  return sticky(stream->context);
}

CUresult fake_stream_synchronize(CUstream handle) {
  ENTER("stream_synchronize");
  NEEDS_CONTEXT;
  WORK_STREAM(stream, handle);
  note("stream_synchronize", handle);
  if (const CUresult wrong = against_captures(stream->capturing)) return wrong;
  stream->wait();
  memory_passed(handle, false);
  return sticky(stream->context);
}

void drop_streams_of(CUcontext context) {
  const std::lock_guard lock(streams().mutex);
  std::erase_if(streams().made,
                [context](const auto& entry) { return entry.second->context == context; });
}

CUresult enqueue_on(CUstream handle, std::function<void()> work) {
  WORK_STREAM(stream, handle);
  Stream::enqueue(stream, std::move(work));
  return kSuccess;
}

// --- what the test says and asks ---

EXPORT size_t fake_streams() {
  const std::lock_guard lock(streams().mutex);
  return streams().made.size();
}
EXPORT size_t fake_events() {
  const std::lock_guard lock(streams().mutex);
  return streams().events.size();
}
static void use_primary(CUdevice device) {
  const std::lock_guard lock(state().mutex);
  state().retained_by_others.insert(device);
}
// A stream of another library, in a context of its own or the primary one.
EXPORT uint64_t fake_new_stream(CUdevice device, int primary) {
  const auto other =
      reinterpret_cast<CUcontext>(uintptr_t{0x2000} + static_cast<uintptr_t>(device));
  const CUcontext context = primary ? context_of(device) : other;
  {
    const std::lock_guard lock(state().mutex);
    state().destroyed.erase(context);  // a new one at its address
  }
  if (primary) use_primary(device);
  return reinterpret_cast<uint64_t>(add(std::make_shared<Stream>(context, 0, 0)));
}
EXPORT uint64_t fake_new_nonblocking_stream(CUdevice device) {
  use_primary(device);
  return reinterpret_cast<uint64_t>(
      add(std::make_shared<Stream>(context_of(device), kStreamNonBlocking, 0)));
}
EXPORT void fake_drop_stream(uint64_t handle) { destroy(reinterpret_cast<CUstream>(handle)); }
EXPORT void fake_capture(uint64_t handle, int capturing) {
  stream_at(reinterpret_cast<CUstream>(handle))->capturing = capturing != 0;
}
EXPORT int fake_capture_mode() { return capture_mode; }
// Whether a call since the last question would have ended a capture.
EXPORT int fake_capture_ended() { return capture_ended.exchange(false); }
// Makes a context current on this thread, as another library would; null: none.
EXPORT void fake_make_current(uint64_t context) {
  if (context >> 12U == 1) use_primary(device_of(reinterpret_cast<CUcontext>(context)));
  fake_context_set(reinterpret_cast<CUcontext>(context));
}

}  // namespace cuda_device::cuda
