#include "runtime/host/stream.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/host/device.h"
#include "runtime/host/pool.h"
#include "runtime/host/spin.h"
#include "runtime/host/stream_list.h"

namespace cuda_device::runtime {
namespace {

constexpr std::chrono::microseconds kLinger{10};

std::string text_of(const std::exception& e) {
  return dynamic_cast<const std::bad_alloc*>(&e) ? "out of memory" : e.what();
}

ForkMutex lost_mutex;
Error* const lost_error = new Error;  // outlives every thread

// Whether there ever was a stream that the default one waits for: few programs make one.
std::atomic<bool> has_streams_beside_default{false};

// The streams that the work of one waits for.
std::vector<std::shared_ptr<HostStream>> waited_for(StreamOrder order) {
  if (order == StreamOrder::BesideDefault)
    return {std::static_pointer_cast<HostStream>(host_device().default_stream())};
  auto streams = listed_streams();
  std::erase_if(streams, [](const auto& s) { return s->options().nonblocking; });
  return streams;
}

}  // namespace

HostStream::HostStream(StreamOrder order) : order_(order) {
  if (order == StreamOrder::BesideDefault) has_streams_beside_default = true;
}

HostStream::~HostStream() {
  if (state_.error.empty()) return;
  std::lock_guard lock(lost_mutex);
  lost_error->add(std::move(state_.error));
}

Error take_lost_error() {
  std::lock_guard lock(lost_mutex);
  return std::exchange(*lost_error, Error());
}

bool HostStream::waits_for_others() const {
  return order_ != StreamOrder::Free && has_streams_beside_default;
}

bool HostStream::busy_elsewhere() const {
  std::lock_guard lock(state_.mutex);
  return state_.running && state_.owner != &activity_of_this_thread();
}

// Each wait is for a mark that is in its queue already, so no two streams wait for each other.
void HostStream::wait_for_others() {
  if (!waits_for_others()) return;
  for (const auto& other : waited_for(order_)) {
    if (!other->busy_elsewhere()) continue;
    const auto reached = std::make_shared<EventState>();
    Item mark{work_of([reached] { reached->complete(); }), nullptr};
    other->push(mark);
    Item wait{nullptr, reached};
    push(wait);
  }
}

void HostStream::push(Item& item) {
  {
    const auto lock = lock_soon(state_.mutex);
    state_.items.push_back(std::move(item));
    ++state_.entered;
    if (state_.running) return;
    state_.running = true;
    if (state_.lingerer == Lingerer::Waits) {
      state_.lingerer = Lingerer::Called;
      return;
    }
  }
  post_drain();
}

// Where not even that can be queued, the calling thread does the work.
void HostStream::post_drain() noexcept {
  state_.alive = shared_from_this();
  try {
    pool().post([this] { drain(); });
  } catch (const std::exception&) {
    drain();
  }
}

void HostStream::enqueue(std::unique_ptr<Work>& work) {
  wait_for_others();
  Item item{std::move(work), nullptr};
  try {
    push(item);
  } catch (...) {
    work = std::move(item.work);
    throw;
  }
}

void HostStream::record(std::shared_ptr<EventState> event) {
  enqueue([event = std::move(event)] { event->complete(); });
}

void HostStream::wait_for(std::shared_ptr<EventState> event) {
  wait_for_others();
  Item item{nullptr, std::move(event)};
  push(item);
}

std::shared_ptr<Event> HostStream::record(bool) {
  auto event = std::make_shared<EventState>();
  record(event);
  return event;
}

// An event of another device becomes one of the host, and what went wrong there is told here: the
// work after it reads what was not written.
void HostStream::wait_for(const std::shared_ptr<Event>& event) {
  if (event->device() == kHostDevice) return wait_for(std::static_pointer_cast<EventState>(event));
  auto arrived = std::make_shared<EventState>();
  const auto awaited = std::make_shared<AwaitedElsewhere>();
  event->when_done([arrived, awaited] { arrived->complete(); });
  wait_for(std::move(arrived));
  enqueue([event] { return event->error(); });
}

void HostStream::call(std::function<void()> function) {
  enqueue([function = std::move(function)] { function(); });
}

// Runs items until none is left, the head waits for an event (then its completion goes on from
// there), or it is a thread's turn (then that thread goes on).
void HostStream::drain() {
  const std::shared_ptr<HostStream> alive = std::move(state_.alive);
  Taken taken;
  do {
    while (take(taken))
      if (!run(taken)) return;
  } while (linger());
}

// False where the event's completion will go on with this stream.
bool HostStream::run(Taken& taken) {
  const unsigned forks = fork_count();
  for (size_t i = 0; i < taken.count; ++i) {
    if (taken.works[i]) run_work(*taken.works[i]);
    if (fork_count() != forks) {  // this is the child
      leave_behind(taken);
      return true;
    }
    taken.works[i].reset();  // its references may be the last
    if (i + 1 < taken.count || taken.await) count_one_out();
  }
  taken.count = 0;
  const std::shared_ptr<EventState> event = std::move(taken.await);
  return !event || !await(event);
}

// True where the stream was called back to work by then, and this thread is the one to do it.
bool HostStream::linger() {
  if (state_.lingerer.load(std::memory_order_relaxed) == Lingerer::None) return false;
  const auto called = [&] {
    // Seldom: each look takes the line from the thread that queues.
    for (int i = 0; i < 8; ++i) relax();
    return state_.lingerer.load(std::memory_order_relaxed) == Lingerer::Called;
  };
  spin_until(called, kLinger);
  const auto lock = lock_soon(state_.mutex);
  return state_.lingerer.exchange(Lingerer::None) == Lingerer::Called;
}

// Without the lock.
void HostStream::count_one_out() {
  ++state_.left;
  if (state_.waiting == 0) return;
  // A thread that was counted before it looked at what left looks with the lock, until it sleeps.
  const std::lock_guard lock(state_.mutex);
  state_.idle.notify_all();
}

// With the lock.
void HostStream::count_last_out() {
  ++state_.left;
  if (state_.waiting > 0) state_.idle.notify_all();
}

bool HostStream::take(Taken& taken) {
  const auto lock = lock_soon(state_.mutex);
  if (std::exchange(state_.working, false)) count_last_out();
  if (state_.items.empty()) {
    state_.running = false;
    state_.idle.notify_all();
    state_.lingerer = Lingerer::Waits;
    return false;
  }
  if (Turn* const turn = state_.items.front().turn) {
    state_.items.pop_front();
    turn->granted = true;
    turn->changed.notify_one();
    return false;
  }
  take_works(taken);
  return state_.working = true;
}

// Up to an event that they have to wait for, or to a thread's turn.
void HostStream::take_works(Taken& taken) {
  while (taken.count < taken.works.size() && !taken.await && !state_.items.empty() &&
         !state_.items.front().turn) {
    Item item = state_.items.pop_front();
    if (item.work || !item.await)
      taken.works[taken.count++] = std::move(item.work);
    else
      taken.await = std::move(item.await);
  }
}

// True where the event's completion will go on with this stream.
bool HostStream::await(const std::shared_ptr<EventState>& event) {
  try {
    event->when_done([self = shared_from_this()] { self->post_drain(); });
    return true;
  } catch (const std::bad_alloc&) {
    event->wait(-1);
    return false;
  }
}

void HostStream::run_work(Work& work) {
  Error error;
  try {
    error = work.run();
  } catch (const std::exception& e) {
    error = text_of(e);
  }
  if (error.empty()) return;
  std::lock_guard lock(state_.mutex);
  state_.error.add(std::move(error));
}

Error HostStream::run_now(const Operation& operation, Interrupt* interrupt) {
  const ThreadActivity* const me = &activity_of_this_thread();
  const unsigned forks = fork_count();
  {
    std::unique_lock lock = lock_soon(state_.mutex);
    if (state_.owner == me) {
      lock.unlock();
      return operation();
    }
    if (waits_for_others()) {
      lock.unlock();
      wait_for_others();
      lock.lock();
    }
    if (state_.running) {
      const Granted granted = wait_for_turn(lock, interrupt);
      if (granted == Granted::Forked) return kForkedMeanwhile;
      if (granted == Granted::Interrupted) return "";
    }
    if (!state_.running) ++state_.entered;
    state_.running = true;
    state_.owner = me;
  }
  struct Owned {
    HostStream& stream;
    unsigned forks;
    ~Owned() {
      if (fork_count() == forks) stream.give_back();
    }
  } owned{*this, forks};
  return operation();
}

// Signals' handlers run while it asks: they may launch, and they may fork.
HostStream::Granted HostStream::wait_for_turn(std::unique_lock<std::mutex>& lock,
                                              Interrupt* interrupt) {
  Turn turn;
  const unsigned forks = fork_count();
  state_.items.push_back({nullptr, nullptr, &turn});
  ++state_.entered;
  const auto granted = [&] { return turn.granted; };
  const auto rest = [&] {
    const ActivityScope waits(Activity::Waits);
    if (interrupt) return turn.changed.wait_for(lock, Interrupt::kPeriod, granted);
    turn.changed.wait(lock, granted);
    return true;
  };
  while (!turn.granted && !rest()) {
    lock.unlock();
    const bool give_up = interrupt->asked();
    if (fork_count() != forks) return Granted::Forked;
    lock.lock();
    if (!give_up) continue;
    if (!turn.granted) {  // it stays, unused: what is after it must not be counted before it
      state_.items.find_if([&](const Item& item) { return item.turn == &turn; })->turn = nullptr;
      return Granted::Interrupted;
    }
    lock.unlock();
    give_back();
    return Granted::Interrupted;
  }
  return Granted::Yes;
}

void HostStream::give_back() {
  {
    const auto lock = lock_soon(state_.mutex);
    state_.owner = nullptr;
    count_last_out();
    if (state_.items.empty()) {
      state_.running = false;
      state_.idle.notify_all();
      return;
    }
  }
  post_drain();
}

bool HostStream::idle() const {
  std::lock_guard lock(state_.mutex);
  return !state_.running;
}

bool HostStream::owes_work() const {
  std::lock_guard lock(state_.mutex);
  return state_.working ||
         state_.items.find_if([](const Item& item) { return item.work || item.await; });
}

// Whatever else works for it is a worker of the pool, where that has any.
WorkSeen HostStream::work_seen() const {
  std::lock_guard lock(state_.mutex);
  return {state_.owner && state_.owner->works(), state_.left};
}

uint64_t HostStream::mark() {
  std::lock_guard lock(state_.mutex);
  return state_.entered;
}

// Nothing runs in a forked child, whatever the mark says.
bool HostStream::wait(int milliseconds, uint64_t mark) {
  std::unique_lock lock(state_.mutex);
  const auto quiet = [this, mark, me = &activity_of_this_thread()] {
    return !state_.running || state_.left >= mark || state_.owner == me;
  };
  if (quiet()) return true;
  const ActivityScope waits(Activity::Waits);
  ++state_.waiting;
  bool done = true;
  if (milliseconds >= 0)
    done = state_.idle.wait_for(lock, std::chrono::milliseconds(milliseconds), quiet);
  else
    state_.idle.wait(lock, quiet);
  --state_.waiting;
  return done;
}

Error HostStream::take_error() {
  std::lock_guard lock(state_.mutex);
  return std::exchange(state_.error, Error());
}

void HostStream::renew_in_child() { leave_behind(state_); }

}  // namespace cuda_device::runtime
