// What the threads of this process do, as far as a launch that stands still needs to know: it gives
// its worker to others (WorkerPool::stand_in), and is a deadlock only where nothing else works that
// could let it go on.
#pragma once

#include <atomic>
#include <cstdint>

namespace cuda_device::runtime {

enum class Activity : uint8_t {
  Works,
  Waits,  // until another thread has done something
  Polls,  // the same, as far as can be seen: others get its worker, but it counts as working
};

struct ThreadActivity {
  std::atomic<Activity> now{Activity::Works};
  // A thread that waits looks now and then whether it may go on. Then it does, in the midst of a
  // look, and may compute for long. Since when a look lasts, in ns of CLOCK_MONOTONIC; 0: none
  // does.
  std::atomic<int64_t> looks_since{0};

  // Whether it gives its place in the pool to no other.
  bool is_awake() const { return now == Activity::Works || looks_for_long(); }
  bool works() const { return now != Activity::Waits || looks_for_long(); }

 private:
  bool looks_for_long() const;
};
ThreadActivity& activity_of_this_thread();  // while the thread lives

// While one lives, its thread does that, whatever it did before.
class ActivityScope {
 public:
  explicit ActivityScope(Activity activity)
      : activity_(activity), before_(activity_of_this_thread().now.exchange(activity)) {}
  ~ActivityScope() { activity_of_this_thread().now = before_; }
  ActivityScope(const ActivityScope&) = delete;
  ActivityScope& operator=(const ActivityScope&) = delete;
  Activity activity() const { return activity_; }

 private:
  const Activity activity_, before_;
};

// Something of another device that work of the host is to come after.
class AwaitedElsewhere {
 public:
  AwaitedElsewhere();
  ~AwaitedElsewhere();
  AwaitedElsewhere(const AwaitedElsewhere&) = delete;
  AwaitedElsewhere& operator=(const AwaitedElsewhere&) = delete;

 private:
  const unsigned forks_;
};

// A launch that had waited goes on: it may do so, and wait again, between two looks of another one.
void count_advance();

// The activity of all that may change memory on the host device's behalf.
struct WorkSeen {
  bool going_on = false;  // or about to begin
  uint64_t so_far = 0;    // another number: something began, went on or ended meanwhile
};
WorkSeen work_seen() noexcept;

}  // namespace cuda_device::runtime
