// What the threads of one launch say while it runs: the first failure, and what they print.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "support/print_format.h"
#include "support/report.h"

namespace cuda_device::runtime {

// Any number of threads at once; read when the launch is over.
class Report {
 public:
  // `formats`: of the kernel; they outlive this.
  explicit Report(const std::vector<PrintFormatter>& formats) : formats_(formats) {}
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  void fail(const FailedThread& thread);
  // For each lane of the mask, lowest first. values: of each argument one for each of `width`
  // lanes.
  void print(uint32_t format, uint32_t width, uint64_t lanes, const int64_t* values);
  // Threads that wait for each other; when none runs any more.
  void deadlock(Deadlock deadlock) { said_.deadlock = std::move(deadlock); }
  LaunchReport take();

 private:
  void keep(const std::string& text);

  const std::vector<PrintFormatter>& formats_;
  std::mutex mutex_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> full_{false};  // a text was left out: all later ones are only counted
  std::atomic<uint64_t> left_out_{0};
  size_t room_ = PrintedText::kMostBytes;
  LaunchReport said_;
};

// Text of launches that are done, in the order in which they were: it waits here for a thread that
// may write it, up to 64 MiB. In a forked child there is none.
void add_printed(const std::string& text);
bool anything_printed();
std::string take_printed();

}  // namespace cuda_device::runtime

// What compiled code calls. context: abi::HostContext. place: block index, thread index, x first.
// count: of values of the failure's message, at most kMostPrinted.
extern "C" {
void cd_kernel_failed(const void* context, uint32_t failure, const uint32_t* place, uint32_t count,
                      const int64_t* values);
void cd_kernel_prints(const void* context, uint32_t format, uint32_t width, uint64_t lanes,
                      const int64_t* values);
}
