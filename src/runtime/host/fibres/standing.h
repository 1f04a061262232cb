// When all workers of a launch stand still: the sign of a deadlock.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

namespace cuda_device::runtime::fibres {

// Each worker looks at all of its threads again and again. What a thread does is decided by its
// variables and by what it reads. So if there is a time in which no worker saw any thread advance,
// and in which each has begun a look after all had ended their first such one, nothing will ever
// change again, but from outside: therefore the time is to be long.
class Standing {
 public:
  class Worker {
   public:
    explicit Worker(Standing& all);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    void advanced() { from_.store(kNever, std::memory_order_release); }
    // A look that began and ended at these times (in ns) saw no thread advance, and no further
    // block could begin.
    void stood_still(int64_t begin, int64_t end);

   private:
    friend class Standing;
    static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
    Standing& all_;
    std::atomic<int64_t> from_{kNever};  // the end of the first such look since one advanced
    std::atomic<int64_t> to_{0};         // the beginning of the last
  };

  // For how long all workers have stood still together, in ns, of the time from `since` on.
  int64_t how_long(int64_t since = 0) const;
  // Whether that is all that take part.
  bool alone() const { return count_.load(std::memory_order_relaxed) == 1; }

 private:
  mutable std::mutex mutex_;
  std::vector<const Worker*> workers_;
  std::atomic<size_t> count_{0};
};

}  // namespace cuda_device::runtime::fibres
