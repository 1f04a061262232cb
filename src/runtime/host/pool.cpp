#include "runtime/host/pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "runtime/host/interruptible.h"
#include "runtime/host/spin.h"
#include "runtime/host/threads.h"
#include "support/fork.h"

namespace cuda_device::runtime {
namespace {

// An idle core takes tens of microseconds to wake: look for work that long before sleeping.
constexpr std::chrono::microseconds kSpin{40};

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

WorkerPool::WorkerPool(int threads, const StartThread& start) : most_looking_(threads - 1) {
  start_workers(threads, start);
  const int workers = static_cast<int>(workers_.size());
  threads_ = std::max(1, std::min(threads, workers + 1));
  has_workers_ = workers > 0;
}

// A process at its limit of threads gets fewer, or none.
void WorkerPool::start_workers(int count, const StartThread& start) {
  SignalsBlocked blocked;
  try {
    const auto most = static_cast<size_t>(count);
    gone_.resize(most);
    busy_.resize(most);
    workers_.reserve(most);
    for (size_t i = 0; i < most; ++i) workers_.push_back(start([this, i] { worker(i); }));
  } catch (const std::exception&) {
  }
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& t : workers_) t.join();
  workers_.clear();
  has_workers_ = false;
  run_queued();  // what came after the last worker had gone
}

void WorkerPool::leave() {
  has_workers_ = false;
  std::unique_lock lock(mutex_);
  stop_ = true;
  wake_.notify_all();
  const auto left = [&](size_t i) { return gone_[i] || busy_[i]; };
  const auto numbers = std::views::iota(size_t{0}, workers_.size());
  idle_.wait(lock, [&] { return std::ranges::all_of(numbers, left); });
  for (size_t i : numbers) gone_[i] ? workers_[i].join() : workers_[i].detach();
  workers_.clear();
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

bool WorkerPool::take(std::function<void()>& task, size_t worker) {
  std::unique_lock lock = lock_soon(mutex_);
  busy_[worker] = false;
  while (tasks_.empty()) {
    if (!stop_ && looking_ < most_looking_ && look(lock)) continue;
    if (stop_) {
      gone_[worker] = true;
      idle_.notify_all();
      return false;
    }
    ++sleeping_;
    wake_.wait(lock);
    --sleeping_;
  }
  pop(task);
  busy_[worker] = true;
  if (stop_) idle_.notify_all();
  return true;
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
  queued_.store(static_cast<int>(tasks_.size()), std::memory_order_release);
}

void WorkerPool::worker(size_t number) {
  std::function<void()> task;
  while (take(task, number)) {
    task();
    task = nullptr;  // a job's last reference may be ours
  }
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

void leave_pool() {
  if (WorkerPool* p = the_only_pool().if_made()) p->leave();
}

}  // namespace cuda_device::runtime
