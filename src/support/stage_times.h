// How long the stages of one compilation take, in time of the processor: other load on the machine
// does not count. A stage that is run twice has two entries.
#pragma once

#include <ctime>
#include <string_view>
#include <vector>

namespace cuda_device {

struct StageTime {
  std::string_view name;  // a literal
  double seconds = 0;
};
using StageTimes = std::vector<StageTime>;

// Adds the stage that ends with its scope, on one thread. Without a list nothing is measured.
class StageTimer {
 public:
  StageTimer(StageTimes* times, std::string_view name) : times_(times), name_(name) {
    if (times_) start_ = now();
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;
  ~StageTimer() {
    if (times_) times_->push_back({name_, now() - start_});
  }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  StageTimes* times_;
  std::string_view name_;
  double start_ = 0;
};

}  // namespace cuda_device
