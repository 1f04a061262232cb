#include "runtime/host/pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace cuda_device::runtime {
namespace {

// An idle core takes tens of microseconds to wake: look for work that long before sleeping.
constexpr auto kSpin = std::chrono::microseconds(40);

// Signals are the business of the process's own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &saved_, nullptr); }

 private:
  sigset_t saved_;
};

// Several chunks a thread, so that uneven blocks even out.
uint64_t chunk_for(uint64_t blocks, int threads) {
  return std::max<uint64_t>(1, blocks / (static_cast<uint64_t>(threads) * 16));
}

}  // namespace

WorkerPool::WorkerPool(int threads) : threads_(threads) {
  SignalsBlocked blocked;
  for (int i = 0; i < threads; ++i) workers_.emplace_back([this] { worker(); });
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& t : workers_) t.join();
}

void WorkerPool::run(const std::shared_ptr<Job>& job) {
  const uint64_t blocks = job->blocks();
  if (blocks == 0) return;
  job->set_chunk(chunk_for(blocks, threads_));
  const int helpers =
      static_cast<int>(std::min<uint64_t>(blocks, static_cast<uint64_t>(threads_))) - 1;
  if (helpers > 0) push([job] { job->work(); }, helpers);
  job->work();
  job->wait();
}

void WorkerPool::post(std::function<void()> task) { push(std::move(task), 1); }

void WorkerPool::push(std::function<void()> task, int copies) {
  bool wake = false;
  {
    std::lock_guard lock(mutex_);
    for (int i = 1; i < copies; ++i) tasks_.push_back(task);
    tasks_.push_back(std::move(task));
    queued_.store(static_cast<int>(tasks_.size()), std::memory_order_release);
    wake = sleeping_ > 0;
  }
  if (!wake) return;
  if (copies == 1)
    wake_.notify_one();
  else
    wake_.notify_all();
}

bool WorkerPool::spin_for_task() {
  const auto until = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 64; ++i) {
      if (queued_.load(std::memory_order_acquire) > 0) return true;
#if defined(__x86_64__)
      _mm_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() < until);
  return false;
}

bool WorkerPool::take(std::function<void()>& task) {
  std::unique_lock lock(mutex_);
  while (tasks_.empty()) {
    if (stop_) return false;
    lock.unlock();
    const bool found = spin_for_task();
    lock.lock();
    if (found || !tasks_.empty()) continue;
    if (stop_) return false;
    ++sleeping_;
    wake_.wait(lock);
    --sleeping_;
  }
  task = std::move(tasks_.front());
  tasks_.pop_front();
  queued_.store(static_cast<int>(tasks_.size()), std::memory_order_release);
  return true;
}

void WorkerPool::worker() {
  std::function<void()> task;
  while (take(task)) {
    task();
    task = nullptr;  // a job's last reference may be ours
  }
}

namespace {
std::mutex pool_mutex;
std::atomic<WorkerPool*> pool_instance{nullptr};

// The child of a fork has none of the parent's threads, and the parent's locks in any state: leave
// them all behind.
void forget_pool_in_child() {
  new (&pool_mutex) std::mutex;
  pool_instance.store(nullptr);
}

WorkerPool& make_pool() {
  std::lock_guard lock(pool_mutex);
  if (WorkerPool* p = pool_instance.load()) return *p;
  static const int registered = pthread_atfork(nullptr, nullptr, &forget_pool_in_child);
  (void)registered;
  WorkerPool* p = new WorkerPool(thread_count());
  pool_instance.store(p, std::memory_order_release);
  return *p;
}
}  // namespace

WorkerPool& pool() {
  if (WorkerPool* p = pool_instance.load(std::memory_order_acquire)) return *p;
  return make_pool();
}

void shutdown_pool() {
  WorkerPool* p = nullptr;
  {
    std::lock_guard lock(pool_mutex);
    p = pool_instance.exchange(nullptr);
  }
  delete p;
}

}  // namespace cuda_device::runtime
