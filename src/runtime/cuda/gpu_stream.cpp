#include "runtime/cuda/gpu_stream.h"

#include <algorithm>
#include <utility>

#include "runtime/cuda/gpu.h"
#include "runtime/cuda/gpu_event.h"
#include "runtime/cuda/gpu_kernel.h"
#include "runtime/cuda/poll.h"

namespace cuda_device::cuda {
namespace {

constexpr std::chrono::microseconds kBetweenEvents{20};
constexpr size_t kMostInBatch = 64;
constexpr size_t kMostMarks = 256;

// For an event of the host, which may wait for a lost GPU.
void wait_here(runtime::Event& event) {
  constexpr int kMilliseconds = 50;
  while (!event.wait(kMilliseconds)) look_for_losses();
}

}  // namespace

int GpuStream::device() const { return context_.gpu().number(); }

runtime::StreamOptions GpuStream::options() const {
  context_.throw_if_lost();
  const CurrentContext current(context_.handle());
  unsigned flags = 0;
  int priority = 0;
  context_.check(driver().stream_flags(handle_, &flags), "asking for the flags of a stream");
  context_.check(driver().stream_priority(handle_, &priority),
                 "asking for the priority of a stream");
  return {(flags & kStreamNonBlocking) != 0, true, priority};
}

void GpuStream::launch(const std::shared_ptr<const GpuKernel>& kernel, const void* params,
                       const abi::LaunchDims& dims, abi::Owner* owner) {
  kernel->launch(context_, handle_, params, dims);
  keep({kernel, owner});
}

// Where there is no memory for that, the stream is waited for: the work is queued, and the owner is
// ours already.
void GpuStream::keep(const InFlight& item) {
  bool close = false;
  try {
    const auto lock = context_.lock_in_flight();
    if (!open_) open_ = std::make_shared<Batch>();
    open_->items.push_back(item);
    close = due();
  } catch (const std::bad_alloc&) {
    const BesideCaptures allowed;
    poll([this] { return finished(); }, -1);
    context_.let_go(item);
    return;
  }
  if (close && close_batch()) let_go_of_done();
}

bool GpuStream::is_captured() const {
  const CurrentContext current(context_.handle());
  return !context_.lost() && captured(handle_);
}

bool GpuStream::due() const {
  return handle() == kPerThreadStream || open_->items.size() >= kMostInBatch ||
         Clock::now() - last_event_ >= kBetweenEvents;
}

// An event after what was launched so far. Where it cannot be recorded, what is in the batch stays
// until the stream is waited for. False while the stream is being captured, ours too by another
// library that was handed it: its launches are to come then, and a question to the driver would
// end the capture.
bool GpuStream::close_batch() {
  const Driver& d = driver();
  if (nothing_open()) return true;
  if (captured(handle_)) return false;
  const std::shared_ptr<Batch> batch = seal();
  if (!batch) return true;
  CUevent event = nullptr;
  try {
    event = context_.take_event(false);
    const CUresult result = d.event_record(event, handle_);
    context_.note(result);
    d.check(result, "recording an event");
  } catch (const DriverError&) {
    context_.give_event(event, false);
    return true;
  }
  auto lock = context_.lock_in_flight();
  if (!batch->gone)
    batch->event = event;
  else {
    lock.unlock();
    context_.give_event(event, false);
  }
  return true;
}

// Up to the next event. Batches without one, which could not be recorded, go with those after
// them.
void GpuStream::let_go_of_done() {
  const BesideCaptures allowed;
  context_.let_go_of_orphans();
  for (;;) {
    std::vector<std::shared_ptr<Batch>> next;
    CUevent event = nullptr;
    {
      const auto lock = context_.lock_in_flight();
      for (auto at = batches_.begin(); at != batches_.end() && !event; ++at) {
        next.push_back(*at);
        event = (*at)->event;
      }
    }
    if (next.empty()) return;
    if (!context_.lost() && (!event || driver().event_query(event) != kSuccess)) return;
    forget(next);
    context_.let_go(next);
  }
}

// True on a lost GPU too, where nothing will be done any more.
bool GpuStream::finished() const {
  if (context_.lost()) return true;
  const CUresult result = driver().stream_query(handle_);
  if (result == kNotReady) return false;
  context_.note(result);
  if (!context_.lost()) driver().check(result, "waiting for a stream");
  return true;
}

bool GpuStream::idle() const {
  const CurrentContext current(context_.handle());
  const BesideCaptures allowed;
  return finished();
}

std::vector<std::shared_ptr<Batch>> GpuStream::batches_so_far() {
  close_batch();
  const auto lock = context_.lock_in_flight();
  return {batches_.begin(), batches_.end()};
}

// None while the stream is being captured: its waits are the driver's to refuse.
uint64_t GpuStream::mark() {
  if (context_.lost()) return kAll;
  const CurrentContext current(context_.handle());
  if (captured(handle_)) return kAll;
  Mark made{0, nullptr, batches_so_far()};
  made.event = record(false);
  const std::lock_guard lock(marks_mutex_);
  if (marks_.size() == kMostMarks) marks_.pop_front();  // of waits that were given up
  made.number = ++marks_made_;
  marks_.push_back(std::move(made));
  return marks_made_;
}

GpuStream::Mark GpuStream::find(uint64_t mark) {
  const std::lock_guard lock(marks_mutex_);
  for (const Mark& known : marks_)
    if (known.number == mark) return known;
  return {};
}

bool GpuStream::wait(int milliseconds, uint64_t mark) {
  const CurrentContext current(context_.handle());
  const BesideCaptures allowed;
  const Mark found = find(mark);
  return found.event ? wait_for(found, milliseconds) : wait_for_all(milliseconds);
}

bool GpuStream::wait_for(const Mark& mark, int milliseconds) {
  if (!mark.event->wait(milliseconds)) return false;
  {
    const std::lock_guard lock(marks_mutex_);
    std::erase_if(marks_, [&](const Mark& known) { return known.number == mark.number; });
  }
  forget(mark.before);
  context_.let_go(mark.before);
  return true;
}

bool GpuStream::wait_for_all(int milliseconds) {
  const auto before = batches_so_far();
  if (!poll([this] { return finished(); }, milliseconds)) return false;
  // What kernels have printed comes by the driver's own waits only, and this one is over at once.
  if (!context_.lost())
    context_.check(driver().stream_synchronize(handle_), "waiting for a stream");
  forget(before);
  context_.let_go(before);
  return true;
}

std::shared_ptr<runtime::Event> GpuStream::record(bool timing) {
  return context_.record(handle_, timing);
}

void GpuStream::wait_for(const std::shared_ptr<runtime::Event>& event) {
  context_.throw_if_lost();
  const CurrentContext current(context_.handle());
  if (event->device() == runtime::kHostDevice) return wait_for_host(event);
  const auto& of_gpu = static_cast<const GpuEvent&>(*event);
  context_.check(driver().stream_wait_event(handle_, of_gpu.handle(), 0), "waiting for an event");
}

void GpuStream::wait_for_host(const std::shared_ptr<runtime::Event>& event) {
  if (event->done()) return;
  if (captured(handle_))
    throw DriverError(
        "a stream that is being captured cannot wait for an event of the host, for which each run "
        "of the graph would wait; wait for the event before the capture, or before the graph runs");
  const std::shared_ptr<WaitCell> cell = take_wait_cell(context_.gpu());
  const CUresult result =
      driver().stream_wait_value(handle_, cell->device(), 1, kWaitValueGreaterOrEqual);
  // On some virtual machines: then nothing is queued before it.
  if (result == kNotSupported) return wait_here(*event);
  context_.check(result, "waiting for an event of the host");
  try {
    event->when_done([cell] { cell->write(); });
  } catch (const std::bad_alloc&) {
    wait_here(*event);
    cell->write();
  }
  keep({nullptr, nullptr, cell});
}

void GpuStream::call(std::function<void()> function) {
  context_.throw_if_lost();
  context_.call_in(handle_, std::move(function));
}

// --- for the context ---

bool GpuStream::nothing_open() {
  const auto lock = context_.lock_in_flight();
  return !open_;
}

void GpuStream::add_batches(std::vector<std::shared_ptr<Batch>>& all) {
  all.insert(all.end(), batches_.begin(), batches_.end());
  if (open_) all.push_back(open_);
}

std::shared_ptr<Batch> GpuStream::seal() {
  const auto lock = context_.lock_in_flight();
  if (!open_) return nullptr;
  batches_.push_back(open_);
  last_event_ = Clock::now();
  return std::exchange(open_, nullptr);
}

void GpuStream::forget(const std::vector<std::shared_ptr<Batch>>& done) {
  const auto lock = context_.lock_in_flight();
  std::erase_if(batches_, [&](const auto& batch) {
    return std::find(done.begin(), done.end(), batch) != done.end();
  });
}

void GpuStream::destroy() noexcept try {
  const CurrentContext current(context_.handle());
  const BesideCaptures allowed;
  close_batch();
  driver().stream_destroy(handle_);
} catch (const std::exception&) {
  // The context is gone, and the stream with it.
}

// A stream of others may be destroyed already, and a thread's own with its thread: no call of the
// driver then.
GpuStream::~GpuStream() {
  if (!driver_works()) return;
  if (own_) destroy();
  try {
    seal();
    Batches left;
    {
      const auto lock = context_.lock_in_flight();
      left.swap(batches_);
    }
    context_.keep_orphans(std::move(left));
  } catch (const std::bad_alloc&) {
    // What the GPU may still use is better never let go.
  }
}

}  // namespace cuda_device::cuda
