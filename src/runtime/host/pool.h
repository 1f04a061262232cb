// The worker threads of the host device.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/host/activity.h"
#include "runtime/host/job.h"

namespace cuda_device::runtime {

// Starts a thread that runs the function; throws where there can be none.
using StartThread = std::function<std::thread(std::function<void()>)>;
std::thread start_thread(std::function<void()> body);

// Works with the threads that it gets; with none, what is given to it runs on the calling threads.
// Beside its own workers it has stand-ins: for those that wait (runtime/host/activity.h) while
// there are tasks. They leave when more workers than its own number do not wait, or tasks stay out.
class WorkerPool {
 public:
  explicit WorkerPool(int threads, const StartThread& start = start_thread);
  ~WorkerPool();  // as stop()
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs the whole job: on the calling thread and on as many workers as the job can feed. Returns
  // when done, with the job's error; interrupt: see Job::finish.
  std::string run(const std::shared_ptr<Job>& job, Interrupt* interrupt = nullptr);
  // Runs the task, which must not throw, on some worker, soon; where there is no worker, on the
  // calling thread before this returns, or if that runs a task already, after that one.
  void post(std::function<void()> task);
  // Runs what is queued and joins the workers. The pool goes on without them.
  void stop();
  // The same of workers that have nothing to do. Those at work are left to it, for ever.
  void leave();
  int threads() const { return threads_; }  // that may work on one job, the calling one included
  // Called now and then while a thread waits: where tasks are queued, and too many workers wait,
  // another one is started.
  void stand_in();
  // Whether a worker is at a task and does not wait, or will be; how many tasks were begun.
  WorkSeen work_seen();

  static constexpr size_t kMostStandIns = 256;

 private:
  struct Worker {
    std::thread thread;
    const ThreadActivity* activity = nullptr;  // null: it has not begun
    bool stand_in = false, busy = false;
    bool gone = false;  // its thread is at its end
  };
  void start_workers(int count);
  bool start_stand_in();
  size_t place_for_stand_in();
  size_t awake() const;
  bool may_start() const { return !stop_ && !no_threads_ && stand_ins_ < kMostStandIns; }
  void run_worker(size_t number);
  struct Task {
    std::function<void()> run;
    const Job* job = nullptr;  // that it helps with, if any
  };
  bool take(std::function<void()>& task, size_t number);
  bool superfluous(const Worker& worker) const { return worker.stand_in && awake() > own_; }
  bool await_task(std::unique_lock<std::mutex>& lock, bool as_stand_in);
  bool end(Worker& worker);
  bool take_now(std::function<void()>& task);
  void pop(std::function<void()>& task);
  void call_helpers(const std::shared_ptr<Job>& job, int helpers);
  void call_off_helpers(const Job& job);
  void push(Task& task, int copies);
  bool look(std::unique_lock<std::mutex>& lock);
  void run_queued();

  const StartThread start_;
  const int most_looking_;
  int threads_ = 1;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;
  std::atomic<int> queued_{0};
  std::atomic<bool> has_workers_{false};
  int looking_ = 0;  // workers that will find a new task without being woken
  int sleeping_ = 0;
  bool stop_ = false;
  std::condition_variable idle_;  // for leave()
  uint64_t begun_ = 0;            // tasks
  size_t own_ = 0;                // workers that are no stand-ins
  size_t stand_ins_ = 0;
  bool no_threads_ = false;  // the system had none when one was to be started
  std::vector<Worker> workers_;
};

// The pool of this process. A forked child makes its own: its parent's threads do not exist there.
WorkerPool& pool();
WorkerPool* pool_if_made();
void leave_pool();  // if it was made

}  // namespace cuda_device::runtime
