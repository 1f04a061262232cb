#include "runtime/host/pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <utility>

#include "runtime/host/float_state.h"
#include "runtime/host/interruptible.h"
#include "runtime/host/spin.h"
#include "runtime/host/threads.h"
#include "support/fork.h"

namespace cuda_device::runtime {
namespace {

// An idle core takes tens of microseconds to wake: look for work that long before sleeping.
constexpr std::chrono::microseconds kSpin{40};
// Then a stand-in leaves: launches that still wait will start another one.
constexpr std::chrono::milliseconds kStandInStays{100};

// Signals are the business of the process's own threads, but for those that call a thread out of
// machine code.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int own : interruption_signals())
      if (own) sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &saved_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &saved_, nullptr); }

 private:
  sigset_t saved_;
};

// Several chunks a thread, so that uneven blocks even out.
uint64_t chunk_for(uint64_t blocks, int threads) {
  if (threads == 1) return blocks;
  return std::max<uint64_t>(1, blocks / (static_cast<uint64_t>(threads) * 16));
}

}  // namespace

std::thread start_thread(std::function<void()> body) { return std::thread(std::move(body)); }

WorkerPool::WorkerPool(int threads, const StartThread& start)
    : start_(start), most_looking_(threads - 1) {
  start_workers(threads);
  const int workers = static_cast<int>(own_);
  threads_ = std::max(1, std::min(threads, workers + 1));
  has_workers_ = workers > 0;
}

// A process at its limit of threads gets fewer, or none.
void WorkerPool::start_workers(int count) {
  const SignalsBlocked blocked;
  const std::lock_guard lock(mutex_);  // which they take first
  try {
    const auto most = static_cast<size_t>(count);
    workers_.resize(most);
    for (; own_ < most; ++own_) workers_[own_].thread = start_([this, i = own_] { run_worker(i); });
  } catch (const std::exception&) {
  }
  workers_.resize(own_);
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (Worker& worker : workers_)  // the last ones: none is started any more
    if (worker.thread.joinable()) worker.thread.join();
  has_workers_ = false;
  run_queued();  // what came after the last worker had gone
}

void WorkerPool::leave() {
  has_workers_ = false;
  std::unique_lock lock(mutex_);
  stop_ = true;
  wake_.notify_all();
  const auto left = [](const Worker& worker) { return worker.gone || worker.busy; };
  idle_.wait(lock, [&] { return std::ranges::all_of(workers_, left); });
  for (Worker& worker : workers_)
    if (worker.thread.joinable()) worker.gone ? worker.thread.join() : worker.thread.detach();
}

std::string WorkerPool::run(const std::shared_ptr<Job>& job, Interrupt* interrupt) {
  const uint64_t blocks = job->blocks();
  if (blocks == 0) return "";
  job->prepare(chunk_for(blocks, threads_), interrupt != nullptr);
  const int helpers =
      static_cast<int>(std::min<uint64_t>(blocks, static_cast<uint64_t>(threads_))) - 1;
  const bool called = helpers > 0 && has_workers_.load(std::memory_order_relaxed);
  if (called) call_helpers(job, helpers);
  const unsigned forks = fork_count();
  std::string error = job->finish(interrupt);
  // The lock may be held for ever by another thread of the parent, in a child forked meanwhile.
  if (called && fork_count() == forks) call_off_helpers(*job);
  return error;
}

void WorkerPool::call_helpers(const std::shared_ptr<Job>& job, int helpers) {
  try {
    Task help{[job] { job->help(); }, job.get()};
    push(help, helpers);
  } catch (const std::bad_alloc&) {  // with fewer helpers, then
  }
}

// On a busy machine workers may come when the launching threads are done without them: calls for
// them must not pile up, nor keep them from what there is to do.
void WorkerPool::call_off_helpers(const Job& job) {
  if (queued_.load(std::memory_order_relaxed) == 0) return;
  const auto lock = lock_soon(mutex_);
  std::erase_if(tasks_, [&](const Task& task) { return task.job == &job; });
  queued_.store(static_cast<int>(tasks_.size()), std::memory_order_release);
}

void WorkerPool::post(std::function<void()> task) {
  Task posted{std::move(task)};
  try {
    push(posted, 1);
  } catch (const std::bad_alloc&) {
    return posted.run();
  }
  // After the push: stop() looks for tasks once more when it has said that there are no workers.
  if (!has_workers_) run_queued();
}

// Not from within itself: tasks that queue each other must not pile up on the stack.
void WorkerPool::run_queued() {
  static thread_local bool running = false;
  if (running) return;
  running = true;
  std::function<void()> task;
  while (take_now(task)) {
    task();
    task = nullptr;
  }
  running = false;
}

// Moves the task away unless it throws.
void WorkerPool::push(Task& task, int copies) {
  bool wake = false;
  {
    const auto lock = lock_soon(mutex_);
    for (int i = 1; i < copies; ++i) tasks_.push_back(task);
    tasks_.push_back(std::move(task));
    queued_.store(static_cast<int>(tasks_.size()), std::memory_order_release);
    wake = sleeping_ > 0 && tasks_.size() > static_cast<size_t>(looking_);
  }
  if (!wake) return;
  if (copies == 1)
    wake_.notify_one();
  else
    wake_.notify_all();
}

// Leaves one CPU to launching threads. True where there is a task, or was.
bool WorkerPool::look(std::unique_lock<std::mutex>& lock) {
  ++looking_;
  lock.unlock();
  const auto there = [this] { return queued_.load(std::memory_order_acquire) > 0; };
  const bool found = spin_until(there, kSpin);
  lock.lock();
  --looking_;
  return found || !tasks_.empty();
}

// False where the worker is to end. Whenever the lock is free, workers may move in memory.
bool WorkerPool::take(std::function<void()>& task, size_t number) {
  std::unique_lock lock = lock_soon(mutex_);
  workers_[number].busy = false;
  for (;;) {
    if (superfluous(workers_[number])) return end(workers_[number]);
    if (!tasks_.empty()) break;
    if (!stop_ && looking_ < most_looking_ && look(lock)) continue;
    if (stop_ || !await_task(lock, workers_[number].stand_in)) return end(workers_[number]);
  }
  pop(task);
  workers_[number].busy = true;
  if (stop_) idle_.notify_all();
  return true;
}

// False where a stand-in is not needed for now.
bool WorkerPool::await_task(std::unique_lock<std::mutex>& lock, bool as_stand_in) {
  bool woken = true;
  ++sleeping_;
  if (as_stand_in)
    woken = wake_.wait_for(lock, kStandInStays) == std::cv_status::no_timeout;
  else
    wake_.wait(lock);
  --sleeping_;
  return woken || !tasks_.empty();
}

bool WorkerPool::end(Worker& worker) {
  worker.gone = true;
  if (worker.stand_in) --stand_ins_;
  if (!tasks_.empty()) wake_.notify_one();  // it may have been woken for one
  idle_.notify_all();
  return false;
}

bool WorkerPool::take_now(std::function<void()>& task) {
  std::lock_guard lock(mutex_);
  if (tasks_.empty()) return false;
  pop(task);
  return true;
}

void WorkerPool::pop(std::function<void()>& task) {
  task = std::move(tasks_.front().run);
  tasks_.pop_front();
  ++begun_;
  queued_.store(static_cast<int>(tasks_.size()), std::memory_order_release);
}

void WorkerPool::run_worker(size_t number) {
  {
    const std::lock_guard lock(mutex_);
    workers_[number].activity = &activity_of_this_thread();
  }
  std::function<void()> task;
  while (take(task, number)) {
    task();
    task = nullptr;  // a job's last reference may be ours
  }
}

// --- stand-ins ---

// Workers that neither wait nor poll, whether they have a task or not.
size_t WorkerPool::awake() const {
  return static_cast<size_t>(std::ranges::count_if(workers_, [](const Worker& worker) {
    return !worker.gone && (!worker.activity || worker.activity->is_awake());
  }));
}

void WorkerPool::stand_in() {
  if (queued_.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(mutex_);
  if (tasks_.empty() || looking_ + sleeping_ > 0) return;
  if (stop_ || stand_ins_ == kMostStandIns || awake() >= own_) return;
  no_threads_ = !start_stand_in();
}

// Threads inherit what the calling one has set, which is amid a launch.
bool WorkerPool::start_stand_in() {
  const SignalsBlocked blocked;
  const FloatState state(false);
  try {
    const size_t i = place_for_stand_in();
    workers_[i] = {start_([this, i] { run_worker(i); }), nullptr, true};
    ++stand_ins_;
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

// That of one which has gone, if any.
size_t WorkerPool::place_for_stand_in() {
  for (size_t i = own_; i < workers_.size(); ++i) {
    if (!workers_[i].gone) continue;
    if (workers_[i].thread.joinable()) workers_[i].thread.join();
    return i;
  }
  workers_.emplace_back().gone = true;
  return workers_.size() - 1;
}

WorkSeen WorkerPool::work_seen() {
  const std::lock_guard lock(mutex_);
  const bool working = std::ranges::any_of(
      workers_, [](const Worker& worker) { return worker.busy && worker.activity->works(); });
  return {working || (!tasks_.empty() && (awake() > 0 || may_start())), begun_};
}

namespace {

// The pool is never deleted: a thread may still be launching while the process ends.
class TheOnlyPool {
 public:
  WorkerPool& get() {
    if (WorkerPool* p = pool_.load(std::memory_order_acquire)) return *p;
    std::lock_guard lock(making_);
    WorkerPool* p = pool_.load();
    if (!p) pool_.store(p = new WorkerPool(thread_count()), std::memory_order_release);
    return *p;
  }
  WorkerPool* if_made() const { return pool_.load(); }
  void renew_in_child() {
    leave_behind(making_);
    pool_ = nullptr;
  }

 private:
  std::atomic<WorkerPool*> pool_{nullptr};
  std::mutex making_;
  ForkHook hook_{this};
};

TheOnlyPool& the_only_pool() {
  static TheOnlyPool* const made = new TheOnlyPool;  // outlives every thread
  return *made;
}
[[maybe_unused]] TheOnlyPool& made_at_load = the_only_pool();

}  // namespace

WorkerPool& pool() { return the_only_pool().get(); }

WorkerPool* pool_if_made() { return the_only_pool().if_made(); }

void leave_pool() {
  if (WorkerPool* p = pool_if_made()) p->leave();
}

}  // namespace cuda_device::runtime
