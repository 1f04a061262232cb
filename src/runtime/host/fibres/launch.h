// What the workers of one launch share whose threads run one by one.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "runtime/host/activity.h"
#include "runtime/host/blocks.h"
#include "runtime/host/fibres/block.h"
#include "runtime/host/fibres/standing.h"
#include "runtime/host/report.h"

namespace cuda_device::runtime::fibres {

class Launch {
 public:
  // All outlive it; the report is asked for by no worker that has counted its last block.
  Launch(const Kernel& kernel, const void* params, const abi::HostContext& context, Report& report,
         Blocks& blocks);

  const Kernel kernel;
  const void* const params;
  const abi::HostContext context;
  const Stacks::Shape shape;
  Report& report;
  Blocks& blocks;
  Standing standing;

  // Whether there is memory for one more block beside those that are started.
  bool room_for_another();
  void count_started() { started_.fetch_add(1, std::memory_order_relaxed); }
  void count_ended() { started_.fetch_sub(1, std::memory_order_relaxed); }

  // Ends the launch: blocks that no worker has started are left out, those that wait are left.
  void stop();
  void fail(std::string error);
  // The same, as all workers stand still: each is to say where its threads are.
  void deadlock();
  // A thread waits for a word that the host may write.
  void host_may_change() { host_may_change_.store(true, std::memory_order_relaxed); }
  // Whether all of its workers have stood still for so long, and nothing else of this process
  // worked meanwhile that could let them go on, that none ever will. Called again and again while
  // they do.
  bool is_deadlock(int64_t now);
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  bool deadlocked() const { return deadlocked_.load(std::memory_order_acquire); }
  // A thread that stands in a deadlock.
  void add_standing(uint32_t site, uint64_t block, const abi::HostThread& thread);

  // When all workers are done: reports what there is to report; an error text.
  std::string finish();
  // What to say where there is no memory for a block.
  std::string no_memory_text() const;

 private:
  struct StandingThreads {
    uint64_t threads = 0, block = 0;  // how many, and the number of the example's block
    std::array<uint32_t, 3> block_index{}, thread_index{};
  };
  Deadlock take_deadlock();
  void look_around(int64_t now);
  bool alone_for_long() const;

  std::atomic<uint64_t> started_{0};
  std::atomic<uint64_t> room_{0};  // for so many started blocks; 0: not known yet
  std::atomic<bool> stopped_{false}, deadlocked_{false}, host_may_change_{false};
  std::mutex mutex_;
  WorkSeen others_;            // as last seen
  int64_t looked_around_ = 0;  // when that was
  int64_t others_worked_ = 0;  // when they were last seen to, or to have
  std::string error_;          // the first
  std::map<uint32_t, StandingThreads> places_;
  uint64_t not_started_ = 0;
};

}  // namespace cuda_device::runtime::fibres
