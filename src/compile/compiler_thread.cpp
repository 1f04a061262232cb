#include "compile/compiler_thread.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/fork.h"

namespace cuda_device::compile {
namespace {

constexpr size_t kLeast = size_t{16} << 20;     // LLVM's own recursion included
constexpr size_t kPerLevel = size_t{32} << 10;  // of address space; only what is used is memory

constexpr auto kPeriod = std::chrono::milliseconds(50);

struct Job {
  std::function<void(const std::stop_token&)> body;
  std::shared_ptr<const void> held;
  std::stop_source stop;
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
};

// Jobs that were told to stop, and have not yet.
class Stopping {
 public:
  void add(const Job* job) {
    std::lock_guard lock(mutex_);
    jobs_.push_back(job);
  }
  void remove(const Job* job) {
    std::lock_guard lock(mutex_);
    std::erase(jobs_, job);
    changed_.notify_all();
  }
  void wait_until_none() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return jobs_.empty(); });
  }
  // A child has none of its parent's threads.
  void renew_in_child() {
    leave_behind(mutex_);
    leave_behind(changed_);
    leave_behind(jobs_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<const Job*> jobs_;
  ForkHook hook_{this};
};

Stopping& stopping() {
  static Stopping* const all = new Stopping;
  return *all;
}

void* run(void* argument) {
  const std::unique_ptr<std::shared_ptr<Job>> job(static_cast<std::shared_ptr<Job>*>(argument));
  Job& work = **job;
  work.body(work.stop.get_token());
  work.body = nullptr;
  work.held = nullptr;  // before anybody is told that the job is done
  {
    std::lock_guard lock(work.mutex);
    work.done = true;
    work.ended.notify_all();
  }
  if (work.stop.stop_requested()) stopping().remove(&work);
  return nullptr;
}

// The compiler's thread. It does not exist in a child that was forked meanwhile.
struct Thread {
  pthread_t id{};
  unsigned forks = fork_count();

  bool exists() const { return fork_count() == forks; }
  void join() const {
    if (exists()) pthread_join(id, nullptr);
  }
  void detach() const {
    if (exists()) pthread_detach(id);
  }
};

Thread start(uint32_t levels, const std::shared_ptr<Job>& job) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kLeast + levels * kPerLevel);
  auto own = std::make_unique<std::shared_ptr<Job>>(job);
  Thread thread;
  const int error = pthread_create(&thread.id, &attributes, run, own.get());
  pthread_attr_destroy(&attributes);
  if (!error) {
    own.release();
    return thread;
  }
  throw std::runtime_error("the system gives no thread for the compiler (error " +
                           std::to_string(error) + ")");
}

// The thread is told to stop, and left to do so.
void leave(const Thread& thread, Job& job) {
  std::lock_guard lock(job.mutex);
  if (!job.done) stopping().add(&job);
  job.stop.request_stop();
  thread.detach();
}

uint32_t deepest_region(const ir::Block& block) {
  uint32_t deepest = 0;
  for (const ir::Inst* inst : block.insts)
    for (const ir::Block& region : inst->regions)
      deepest = std::max(deepest, deepest_region(region) + 1);
  return deepest;
}

}  // namespace

uint32_t nesting_of(const syntax::Program& program) {
  const uint64_t most = uint64_t{program.depth} * program.functions.size();
  return static_cast<uint32_t>(std::min<uint64_t>(most, syntax::kMaxNesting));
}

uint32_t nesting_of(const ir::Function& f) { return deepest_region(f.body); }

bool on_compiler_thread(uint32_t levels, std::function<void(const std::stop_token&)> body,
                        const std::function<bool()>* interrupted,
                        std::shared_ptr<const void> held) {
  const auto job = std::make_shared<Job>();
  job->body = std::move(body);
  job->held = std::move(held);
  const Thread thread = start(levels, job);
  std::unique_lock lock(job->mutex);
  while (!job->ended.wait_for(lock, kPeriod, [&] { return job->done; })) {
    lock.unlock();
    bool stop = false;
    try {
      stop = interrupted && (*interrupted)();
    } catch (...) {
      leave(thread, *job);
      throw;
    }
    if (stop) {
      leave(thread, *job);
      return false;
    }
    lock.lock();
  }
  lock.unlock();
  thread.join();
  return true;
}

void finish_stopping() { stopping().wait_until_none(); }

}  // namespace cuda_device::compile
