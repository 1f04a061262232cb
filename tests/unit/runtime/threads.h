// Kernels whose threads run one by one, for tests: C++ functions in the place of compiled code.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "abi/host_thread.h"
#include "runtime/host/fibres/imports.h"
#include "runtime/host/pool.h"

namespace cuda_device::runtime {

// What compiled code does, by name.
class TestThread {
 public:
  explicit TestThread(const abi::HostThread& self) : self(self) {}
  void barrier(uint32_t site = 0) const { cd_thread_barrier(&self, site, 0, 0); }
  int32_t barrier(abi::ThreadBarrier kind, bool operand, uint32_t site = 0) const {
    return cd_thread_barrier(&self, site, static_cast<uint32_t>(kind), operand);
  }
  uint64_t meet(abi::ThreadMeeting kind, uint32_t mask, uint64_t value = 0, uint32_t number = 0,
                uint32_t site = 0) const {
    return cd_thread_meet(&self, site, static_cast<uint32_t>(kind), mask, value, number);
  }
  void turn(uint64_t state, uint32_t site = 0) const { cd_thread_turn(&self, site, state); }
  // Waits until what the word has is so, and counts how often it looks: a loop that does nothing
  // but read the word.
  template <class Int, class Done>
  uint64_t wait_until(const std::atomic<Int>& word, Done done, uint32_t site = 0) const {
    for (uint64_t looks = 1;; ++looks) {
      const Int seen = word.load();
      if (done(seen)) return looks;
      const auto bits = static_cast<uint64_t>(static_cast<std::make_unsigned_t<Int>>(seen));
      cd_thread_wait(&self, site, bits, &word, bits, sizeof seen);
    }
  }
  // Waits until the word is that value; a loop without variables.
  template <class Word, class Value>
  void wait_for(const Word& word, Value value, uint32_t site = 0) const {
    for (;;) {
      const auto seen = word.load();
      if (seen == static_cast<decltype(seen)>(value)) return;
      turn(static_cast<uint64_t>(seen), site);
    }
  }
  void lock(std::atomic<int>& word, uint32_t site = 0) const {
    while (word.exchange(1) != 0) turn(1, site);
  }
  [[noreturn]] void fail(uint32_t failure) const {
    const uint32_t place[] = {self.block[0],  self.block[1],  self.block[2],
                              self.thread[0], self.thread[1], self.thread[2]};
    cd_kernel_failed(&self, failure, place, 0, nullptr);
    cd_thread_leave(&self);
  }
  uint32_t thread() const {
    const auto& shape = self.context.dims.block;
    return self.thread[0] + shape[0] * (self.thread[1] + shape[1] * self.thread[2]);
  }
  uint32_t block() const {
    const auto& shape = self.context.dims.grid;
    return self.block[0] + shape[0] * (self.block[1] + shape[1] * self.block[2]);
  }

  const abi::HostThread& self;
};

struct Ran {
  std::string error;
  LaunchReport report;
  std::chrono::duration<double> seconds{};
  bool fine() const { return error.empty() && !report.failed && !report.deadlock; }
};

// How a launch is to run; the body is called in every thread.
struct ThreadLaunch {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{32, 1, 1};
  uint32_t stack = 512, arrays = 0, shared = 0;
  Interrupt* interrupt = nullptr;

  template <class Body>
  Ran run(WorkerPool& pool, const Body& body) const {
    static const std::vector<PrintFormatter> no_formats;
    const Body* const address = &body;
    const abi::HostThreadEntry entry = [](const void* params, const abi::HostThread* self) {
      (**static_cast<const Body* const*>(params))(TestThread(*self));
    };
    abi::LaunchDims dims;
    dims.grid = grid;
    dims.block = block;
    dims.shared = shared;
    Ran ran;
    Report report(no_formats);
    const auto begin = std::chrono::steady_clock::now();
    ran.error = pool.run(
        std::make_shared<Job>(fibres::Kernel{entry, stack, arrays}, &address, dims, report),
        interrupt);
    ran.seconds = std::chrono::steady_clock::now() - begin;
    ran.report = report.take();
    return ran;
  }
};

inline ThreadLaunch launch_of(uint32_t blocks, uint32_t threads) {
  ThreadLaunch launch;
  launch.grid[0] = blocks;
  launch.block[0] = threads;
  return launch;
}

}  // namespace cuda_device::runtime
