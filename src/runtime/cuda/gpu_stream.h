// A stream of a GPU: ours, or the object that stands for one of another library's.
#pragma once

#include <chrono>
#include <deque>
#include <mutex>

#include "abi/kernel_image.h"
#include "runtime/cuda/context.h"

namespace cuda_device::cuda {

class GpuStream : public runtime::Stream, public std::enable_shared_from_this<GpuStream> {
 public:
  GpuStream(Context& context, CUstream handle, bool own)
      : context_(context), handle_(handle), own_(own) {}
  GpuStream(const GpuStream&) = delete;
  GpuStream& operator=(const GpuStream&) = delete;
  // What is queued still runs; the stream is destroyed where it is ours.
  ~GpuStream() override;

  // Queues the kernel; the context is current, and not lost. The owner is handed back when it is
  // done, at the latest at the next wait for the stream or its GPU; it stays the caller's where
  // this throws.
  void launch(const std::shared_ptr<const GpuKernel>& kernel, const void* params,
              const abi::LaunchDims& dims, abi::Owner* owner);

  int device() const override;
  uint64_t handle() const override { return reinterpret_cast<uint64_t>(handle_); }
  runtime::StreamOptions options() const override;
  bool own() const { return own_; }
  bool is_captured() const;
  Context& context() const { return context_; }
  bool idle() const override;
  uint64_t mark() override;
  bool wait(int milliseconds, uint64_t mark = kAll) override;
  runtime::Error take_error() override { return context_.why_lost(); }
  std::shared_ptr<runtime::Event> record(bool timing) override;
  void wait_for(const std::shared_ptr<runtime::Event>& event) override;
  void call(std::function<void()> function) override;

  // --- for the context ---
  bool nothing_open();
  void add_batches(std::vector<std::shared_ptr<Batch>>& all);  // with lock_in_flight
  std::shared_ptr<Batch> seal();  // later launches go into another batch; null: there is none
  void forget(const std::vector<std::shared_ptr<Batch>>& done);

 private:
  using Clock = std::chrono::steady_clock;
  // What a thread waits for: an event, and the batches before it.
  struct Mark {
    uint64_t number = 0;
    std::shared_ptr<runtime::Event> event;
    std::vector<std::shared_ptr<Batch>> before;
  };

  void keep(const InFlight& item);
  bool due() const;
  bool close_batch();
  void destroy() noexcept;
  void let_go_of_done();
  bool finished() const;
  std::vector<std::shared_ptr<Batch>> batches_so_far();
  Mark find(uint64_t mark);
  bool wait_for(const Mark& mark, int milliseconds);
  bool wait_for_all(int milliseconds);
  void wait_for_host(const std::shared_ptr<runtime::Event>& event);

  Context& context_;
  CUstream handle_;
  const bool own_;
  // Guarded by Context::lock_in_flight:
  std::shared_ptr<Batch> open_;  // launches after the last event; null: none
  Batches batches_;
  Clock::time_point last_event_{};
  std::mutex marks_mutex_;
  std::deque<Mark> marks_;
  uint64_t marks_made_ = 0;
};

}  // namespace cuda_device::cuda
