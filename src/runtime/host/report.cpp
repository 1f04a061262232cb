#include "runtime/host/report.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "abi/kernel_image.h"
#include "runtime/host/interruptible.h"
#include "support/fork.h"

namespace cuda_device::runtime {

void Report::fail(const FailedThread& thread) {
  std::lock_guard lock(mutex_);
  if (said_.failed) return;
  said_.failed = thread;
  failed_.store(true, std::memory_order_relaxed);
}

void Report::print(uint32_t format, uint32_t width, uint64_t lanes, const int64_t* values) {
  if (full_.load(std::memory_order_relaxed)) {
    left_out_.fetch_add(static_cast<uint64_t>(std::popcount(lanes)), std::memory_order_relaxed);
    return;
  }
  const PrintFormatter& printer = formats_[format];
  std::vector<std::string> printed;  // made without the lock
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(lanes));
    printed.push_back(printer.text([&](size_t k) { return values[k * width + lane]; }));
  }
  std::lock_guard lock(mutex_);
  for (const std::string& text : printed) keep(text);
}

void Report::keep(const std::string& text) {
  said_.printed.append(text);
  if (text.size() > room_)
    full_.store(true, std::memory_order_relaxed);
  else
    room_ -= text.size();
}

LaunchReport Report::take() {
  said_.printed.append("", left_out_.exchange(0, std::memory_order_relaxed));
  return std::move(said_);
}

namespace {

ForkMutex waiting_mutex;

// What was printed belongs to the process whose launch it was.
class Waiting {
 public:
  void add(const std::string& text) {
    std::lock_guard lock(waiting_mutex);
    if (full_) return;
    text_ += text;
    full_ = text_.size() > kMostBytes;
    if (full_) text_ += "... output dropped: the launches that printed it were not waited for\n";
    any_.store(true, std::memory_order_release);
  }
  bool any() const { return any_.load(std::memory_order_acquire); }
  std::string take() {
    std::lock_guard lock(waiting_mutex);
    any_.store(false, std::memory_order_relaxed);
    full_ = false;
    return std::exchange(text_, std::string());
  }
  void renew_in_child() {
    text_.clear();
    any_ = full_ = false;
  }

 private:
  static constexpr size_t kMostBytes = 64 << 20;

  std::string text_;
  std::atomic<bool> any_{false};
  bool full_ = false;
  ForkHook hook_{this};
};

Waiting& waiting = *new Waiting;  // outlives every thread

}  // namespace

void add_printed(const std::string& text) {
  if (!text.empty()) waiting.add(text);
}

bool anything_printed() { return waiting.any(); }

std::string take_printed() { return waiting.any() ? waiting.take() : std::string(); }

}  // namespace cuda_device::runtime

namespace {

using cuda_device::runtime::Report;

Report* report_of(const void* context) {
  return static_cast<Report*>(static_cast<const cuda_device::abi::HostContext*>(context)->report);
}

}  // namespace

// Machine code is left by no exception: a print for which there is no memory is left out.
void cd_kernel_failed(const void* context, uint32_t failure, const uint32_t* place, uint32_t count,
                      const int64_t* values) {
  const cuda_device::runtime::NotInterruptible scope;
  cuda_device::FailedThread thread{
      failure, {place[0], place[1], place[2]}, {place[3], place[4], place[5]}};
  std::copy_n(values, std::min<size_t>(count, thread.values.size()), thread.values.begin());
  report_of(context)->fail(thread);
}

void cd_kernel_prints(const void* context, uint32_t format, uint32_t width, uint64_t lanes,
                      const int64_t* values) {
  const cuda_device::runtime::NotInterruptible scope;
  try {
    report_of(context)->print(format, width, lanes, values);
  } catch (const std::bad_alloc&) {
  }
}
