#include "runtime/cuda/context.h"

#include <algorithm>
#include <utility>

#include "runtime/cuda/gpu.h"
#include "runtime/cuda/gpu_event.h"
#include "runtime/cuda/gpu_kernel.h"
#include "runtime/cuda/gpu_stream.h"
#include "runtime/owners.h"
#include "support/fork.h"

namespace cuda_device::cuda {

// A function that the driver is to call, once: by us where the driver never will.
struct Context::HostCall {
  Context& context;
  std::function<void()> function;
  CUstream stream = nullptr;  // that it stands in
  bool helper = false;        // which is one of ours, to be used again
  std::atomic<bool> called{false};

  void call() {
    if (!called.exchange(true)) std::exchange(function, nullptr)();
  }
};

namespace {

struct Contexts {
  std::unordered_map<CUcontext, std::unique_ptr<Context>> all;
  std::vector<std::unique_ptr<Context>> gone;  // streams still know them
};
ForkMutex contexts_mutex;
Contexts& contexts() {
  static Contexts* const made = new Contexts;
  return *made;
}

}  // namespace

Context::Context(CUcontext handle, Gpu& gpu, bool primary, uint64_t id)
    : handle_(handle), gpu_(gpu), primary_(primary), id_(id) {}
Context::~Context() = default;

// --- errors ---

void Context::note(CUresult result, const GpuKernel* suspect) {
  if (loses_context(result)) lose(result, suspect);
}

void Context::check(CUresult result, const char* what, const GpuKernel* suspect) {
  if (result == kSuccess) return;
  note(result, suspect);
  throw_if_lost();
  driver().check(result, what);
}

std::string Context::why_lost() {
  if (!lost()) return "";
  told_ = true;
  return why_lost_;
}

void Context::throw_if_lost() {
  if (lost()) throw DriverError(why_lost());
}

// Kernels that were launched and are not known to be done, each once.
std::string Context::suspects(const GpuKernel* suspect) {
  std::vector<std::string> names;
  const auto add = [&](const GpuKernel& kernel) {
    const std::string name = kernel.described();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  if (suspect) add(*suspect);
  for (const auto& batch : all_batches())
    for (const InFlight& item : batch->items)
      if (item.kernel && !suspect) add(*item.kernel);
  if (names.empty()) return "";
  if (names.size() == 1) return "kernel " + names[0] + " failed on ";
  std::string text = "one of the kernels ";
  for (size_t i = 0; i < names.size() && i < 8; ++i) text += (i ? ", " : "") + names[i];
  return text + (names.size() > 8 ? ", ..." : "") + " failed on ";
}

void Context::lose(CUresult error, const GpuKernel* suspect) {
  if (lost()) return;
  // Not with the lock: a stream may go with its last reference there, and find the loss as well.
  const std::string by = suspects(suspect);
  {
    const std::lock_guard lock(calls_mutex_);
    if (lost()) return;
    const std::string gpu = "GPU " + std::to_string(gpu_.number());
    why_lost_ = (by.empty() ? "a kernel, or a call of another library, failed on " : by) + gpu +
                ": " + driver().words_for(error);
    if (by.starts_with("one of"))
      why_lost_ +=
          ". With CUDA_LAUNCH_BLOCKING=1 in the environment each launch waits for its kernel, "
          "which tells them apart";
    lost_.store(true, std::memory_order_release);
    lost_calls_.swap(calls_);
  }
  for (const auto& call : lost_calls_) call->call();
}

namespace {

// What a question may be answered with where the driver still calls functions of the host.
bool goes_on(CUresult result) {
  const bool is_of_a_capture = result >= kFirstOfCaptures && result <= kLastOfCaptures;
  return result == kSuccess || result == kNotReady || result == kOutOfMemory || is_of_a_capture;
}

}  // namespace

// The state is asked of a stream that launches nothing: one of the caller's may be captured or
// destroyed.
CUresult Context::state() {
  const Driver& d = driver();
  const BesideCaptures allowed;
  CUresult result = d.context_push(handle_);
  if (result != kSuccess) return result;
  CUstream helper = nullptr;
  result = take_helper(helper);
  if (result == kSuccess) {
    result = d.stream_query(helper);
    give_helper(helper);
  }
  CUcontext ours;
  d.context_pop(&ours);
  return result;
}

void Context::is_gone() { lose(kContextIsDestroyed, nullptr); }

void Context::look_for_loss() {
  {
    const std::lock_guard lock(calls_mutex_);
    if (calls_.empty()) return;
  }
  if (const CUresult result = state(); !goes_on(result)) lose(result, nullptr);
}

// --- streams ---

std::shared_ptr<GpuStream> Context::create_stream(const runtime::StreamOptions& options) {
  throw_if_lost();
  const CurrentContext current(handle_);
  if (options.has_priority) {
    int least = 0, greatest = 0;
    check(driver().stream_priorities(&least, &greatest), "asking for the priorities of streams");
    if (options.priority > least || options.priority < greatest)
      throw std::invalid_argument(
          "the priority of a stream of this GPU is from " + std::to_string(greatest) +
          " (urgent) to " + std::to_string(least) + ", found " + std::to_string(options.priority));
  }
  CUstream made = nullptr;
  const BesideCaptures allowed;
  check(driver().stream_create(&made, options.nonblocking ? kStreamNonBlocking : kStreamDefault,
                               options.priority),
        "making a stream");
  auto stream = std::make_shared<GpuStream>(*this, made, true);
  const std::lock_guard lock(streams_mutex_);
  remember(stream);
  return stream;
}

// Called with streams_mutex_ held.
void Context::remember(const std::shared_ptr<GpuStream>& stream) {
  std::erase_if(streams_, [](const auto& weak) { return weak.expired(); });
  streams_.push_back(stream);
}

std::shared_ptr<GpuStream> Context::stream_of(uint64_t handle) {
  const auto make = [&] {
    return std::make_shared<GpuStream>(*this, reinterpret_cast<CUstream>(handle), false);
  };
  const std::lock_guard lock(streams_mutex_);
  // Each thread has its own.
  if (handle == kPerThreadStream) {
    thread_local std::unordered_map<Context*, std::shared_ptr<GpuStream>> of_thread;
    auto& stream = of_thread[this];
    if (!stream) remember(stream = make());
    return stream;
  }
  auto& stream = foreign_[handle];
  if (stream) return stream;
  stream = make();
  remember(stream);
  auto found = stream;
  if (foreign_.size() > foreign_room_) {
    std::erase_if(foreign_, [](const auto& entry) {
      return entry.first != kLegacyStream && entry.second.use_count() == 1 &&
             entry.second->nothing_open();
    });
    foreign_room_ = 2 * foreign_.size() + 64;
  }
  return found;
}

std::vector<std::shared_ptr<GpuStream>> Context::streams() {
  std::vector<std::shared_ptr<GpuStream>> found;
  const std::lock_guard lock(streams_mutex_);
  for (const auto& weak : streams_)
    if (auto stream = weak.lock()) found.push_back(std::move(stream));
  return found;
}

std::vector<std::shared_ptr<Batch>> Context::all_batches() {
  const auto alive = streams();
  const auto lock = lock_in_flight();
  std::vector<std::shared_ptr<Batch>> all(orphans_.begin(), orphans_.end());
  for (const auto& stream : alive) stream->add_batches(all);
  return all;
}

std::shared_ptr<runtime::Event> Context::record(CUstream stream, bool timing) {
  throw_if_lost();
  const CurrentContext current(handle_);
  auto event = std::make_shared<GpuEvent>(*this, take_event(timing), timing);
  check(driver().event_record(event->handle(), stream), "recording an event");
  return event;
}

void Context::synchronize() {
  throw_if_lost();
  for (const auto& stream : streams()) stream->seal();
  const auto before = all_batches();
  {
    const CurrentContext current(handle_);
    const BesideCaptures allowed;
    check(driver().context_synchronize(), "waiting for the GPU");
  }
  for (const auto& stream : streams()) stream->forget(before);
  {
    const auto lock = lock_in_flight();
    std::erase_if(orphans_, [&](const auto& batch) {
      return std::find(before.begin(), before.end(), batch) != before.end();
    });
  }
  let_go(before);
}

// --- what kernels need ---

// The driver keeps room for all threads that a GPU holds at once: it may have less than is asked
// for.
void Context::need_stack(uint64_t bytes) {
  if (bytes <= stack_asked_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(stack_mutex_);
  if (bytes <= stack_asked_.load(std::memory_order_relaxed)) return;
  const BesideCaptures allowed;
  size_t now = 0;
  check(driver().context_limit(&now, kStackSize), "asking for the stack of threads");
  CUresult result = kSuccess;
  for (uint64_t wanted = bytes; wanted > now; wanted /= 2) {
    result = driver().context_set_limit(kStackSize, wanted);
    if (result != kOutOfMemory && result != kInvalidValue) break;
    result = kSuccess;
  }
  check(result, "making the stacks of threads larger");
  stack_asked_.store(bytes, std::memory_order_release);
}

// --- what streams need ---

CUevent Context::take_event(bool timing) {
  {
    const std::lock_guard lock(events_mutex_);
    auto& free = events_[timing];
    if (!free.empty()) {
      CUevent event = free.back();
      free.pop_back();
      return event;
    }
  }
  CUevent made = nullptr;
  const BesideCaptures allowed;
  check(driver().event_create(&made, timing ? kEventDefault : kEventDisableTiming),
        "making an event");
  return made;
}

void Context::give_event(CUevent event, bool timing) {
  if (!event || !driver_works()) return;
  const std::lock_guard lock(events_mutex_);
  events_[timing].push_back(event);
}

void Context::keep_orphans(Batches batches) {
  const auto lock = lock_in_flight();
  for (auto& batch : batches) orphans_.push_back(std::move(batch));
}

void Context::let_go(const InFlight& item) { runtime::owner_finished(item.owner); }

void Context::let_go(const std::vector<std::shared_ptr<Batch>>& done) {
  for (const auto& batch : done) {
    std::vector<InFlight> items;
    CUevent event = nullptr;
    {
      const auto lock = lock_in_flight();
      items.swap(batch->items);
      event = std::exchange(batch->event, nullptr);
      batch->gone = true;
    }
    for (const InFlight& item : items) let_go(item);
    give_event(event, false);
  }
}

// Those without an event, which could not be recorded, stay until the context is waited for.
void Context::let_go_of_orphans() {
  for (;;) {
    std::shared_ptr<Batch> batch;
    CUevent event = nullptr;
    {
      const auto lock = lock_in_flight();
      const auto next =
          std::ranges::find_if(orphans_, [this](const auto& one) { return one->event || lost(); });
      if (next == orphans_.end()) return;
      batch = *next;
      event = batch->event;
    }
    if (!lost() && driver().event_query(event) != kSuccess) return;
    {
      const auto lock = lock_in_flight();
      std::erase(orphans_, batch);
    }
    let_go({batch});
  }
}

// --- functions of the host ---

Context::HostCall& Context::expect_call(std::function<void()> function, CUstream stream,
                                        bool helper) {
  auto call = std::make_unique<HostCall>(*this, std::move(function), stream, helper);
  const std::lock_guard lock(calls_mutex_);
  throw_if_lost();
  return *calls_.emplace_back(std::move(call));
}

void Context::forget_call(const HostCall& call) {
  const std::lock_guard lock(calls_mutex_);
  if (call.helper) helpers_.push_back(call.stream);
  std::erase_if(calls_, [&](const auto& known) { return known.get() == &call; });
}

// On a thread of the driver's.
void Context::run_call(void* pointer) {
  HostCall& call = *static_cast<HostCall*>(pointer);
  call.call();
  call.context.forget_call(call);
}

void Context::launch_call(HostCall& call) {
  const CUresult result = driver().host_function(call.stream, run_call, &call);
  if (result == kSuccess) return;
  forget_call(call);
  check(result, "queueing a function of the host");
}

CUresult Context::take_helper(CUstream& helper) {
  {
    const std::lock_guard lock(calls_mutex_);
    if (!helpers_.empty()) {
      helper = helpers_.back();
      helpers_.pop_back();
      return kSuccess;
    }
  }
  const BesideCaptures allowed;
  return driver().stream_create(&helper, kStreamNonBlocking, 0);
}

void Context::give_helper(CUstream helper) {
  const std::lock_guard lock(calls_mutex_);
  helpers_.push_back(helper);
}

// One helper for each wait: one wait must not queue behind another that needs it.
void Context::call_after(CUevent event, std::function<void()> then) {
  const CurrentContext current(handle_);
  CUstream helper = nullptr;
  check(take_helper(helper), "making a stream");
  HostCall& call = expect_call(std::move(then), helper, true);
  const CUresult result = driver().stream_wait_event(helper, event, 0);
  if (result != kSuccess) forget_call(call);
  check(result, "waiting for an event");
  launch_call(call);
}

void Context::call_in(CUstream stream, std::function<void()> function) {
  const CurrentContext current(handle_);
  launch_call(expect_call(std::move(function), stream, false));
}

// --- all contexts ---

namespace {

uint64_t id_of(CUcontext handle) {
  unsigned long long id = 0;
  driver().check(driver().context_id(handle, &id), "asking for the number of a context");
  return id;
}

}  // namespace

Context& context_of(CUcontext handle, Gpu& gpu, bool primary) {
  const uint64_t id = primary ? 0 : id_of(handle);
  Context *found = nullptr, *gone = nullptr;
  {
    const std::lock_guard lock(contexts_mutex);
    auto& entry = contexts().all[handle];
    if (entry && entry->id() != id) {
      gone = entry.get();
      contexts().gone.push_back(std::move(entry));
    }
    if (!entry) entry = std::make_unique<Context>(handle, gpu, primary, id);
    found = entry.get();
  }
  if (gone) gone->is_gone();
  return *found;
}

void for_each_context(const std::function<void(Context&)>& visit) {
  std::vector<Context*> all;
  {
    const std::lock_guard lock(contexts_mutex);
    for (const auto& entry : contexts().all) all.push_back(entry.second.get());
  }
  for (Context* context : all) visit(*context);
}

void look_for_losses() noexcept try {
  if (driver_works()) for_each_context([](Context& context) { context.look_for_loss(); });
} catch (const std::exception&) {
  // The process ends, or is out of memory: waiting threads ask again.
}

namespace {

// Null where there is none, or it is an earlier one at this address.
Context* known_context(CUcontext handle) {
  Context* known = nullptr;
  {
    const std::lock_guard lock(contexts_mutex);
    const auto found = contexts().all.find(handle);
    if (found == contexts().all.end()) return nullptr;
    known = found->second.get();
  }
  return known->primary() || known->id() == id_of(handle) ? known : nullptr;
}

// A context's GPU is known to the driver alone. It may be the primary one, which the other library
// has retained before us.
Context& made_by_others(CUcontext handle) {
  CUdevice device = 0;
  {
    const CurrentContext current(handle);
    driver().check(driver().context_device(&device), "asking for the GPU of a stream");
  }
  for (int i = 0; i < driver().devices; ++i) {
    if (gpu(i).device() != device) continue;
    unsigned flags = 0;
    int active = 0;
    driver().check(driver().primary_context_state(device, &flags, &active),
                   "asking for the state of a GPU's context");
    if (active && gpu(i).context().handle() == handle) return gpu(i).context();
    return context_of(handle, gpu(i), false);
  }
  throw DriverError("the stream's GPU is not one of this process's");
}

}  // namespace

std::shared_ptr<GpuStream> stream_for(uint64_t handle, int otherwise) {
  const Driver& d = driver();
  if (handle == 0) handle = kLegacyStream;
  CUcontext context = nullptr;
  const CUresult result = d.stream_context(reinterpret_cast<CUstream>(handle), &context);
  const bool none_current = handle <= kPerThreadStream && (result == kInvalidContext || !context);
  if (none_current) return gpu(otherwise).context().stream_of(handle);
  d.check(result, "asking for the context of a stream");
  Context* known = known_context(context);
  return (known ? *known : made_by_others(context)).stream_of(handle);
}

}  // namespace cuda_device::cuda
