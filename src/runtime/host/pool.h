// The worker threads of the host device.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/host/job.h"

namespace cuda_device::runtime {

// Number of threads a launch may use: CUDA_DEVICE_NUM_THREADS, else the smaller of affinity and
// cgroup quota.
int thread_count();

class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  ~WorkerPool();  // runs what is queued, joins

  // Runs the whole job: on the calling thread and on as many workers as the job can feed. Returns
  // when done.
  void run(const std::shared_ptr<Job>& job);
  // Runs the task on some worker, soon; on the calling thread if there is none.
  void post(std::function<void()> task);
  int threads() const { return threads_; }

 private:
  void worker();
  bool take(std::function<void()>& task);
  void push(std::function<void()> task, int copies);
  bool spin_for_task();

  const int threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::atomic<int> queued_{0};
  int sleeping_ = 0;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

// The pool of this process. Made anew in a forked child: its parent's threads do not exist there.
WorkerPool& pool();
void shutdown_pool();

}  // namespace cuda_device::runtime
