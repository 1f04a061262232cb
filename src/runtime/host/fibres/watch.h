// Sleep of workers whose launches stand still: one of them looks for all, so that many of them
// together wake little more often than one.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "support/fork.h"

namespace cuda_device::runtime::fibres {

class Sleeper {
 public:
  virtual ~Sleeper() = default;
  // Asked by another thread while this one sleeps.
  virtual bool may_go_on() const = 0;
};

class Watch {
 public:
  // Returns soon after the sleeper may go on, or after so many ns.
  void sleep(const Sleeper& sleeper, int64_t longest);
  void renew_in_child();

 private:
  struct Entry {
    const Sleeper& sleeper;
    std::condition_variable wake;
    bool may_go_on = false;
  };
  using Lock = std::unique_lock<std::mutex>;
  static constexpr int64_t kAlone = 1'000'000;  // ns, between looks for one
  bool add(Entry& entry);
  void look_for_all(Lock& lock, const Entry& own, int64_t end);

  std::mutex mutex_;
  std::vector<Entry*> sleeping_;
  bool watched_ = false;    // one of them looks for all
  int64_t pause_ = kAlone;  // before its last look
  ForkHook hook_{this};
};

// That of this process.
Watch& watch();

}  // namespace cuda_device::runtime::fibres
