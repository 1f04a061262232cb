// A context of a GPU: the primary one, or one that another library made and launches in. Knows its
// streams and what they still use, and which kernel it was lost by.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/cuda/driver.h"
#include "runtime/cuda/in_flight.h"
#include "runtime/device.h"

namespace cuda_device::cuda {

class Gpu;
class GpuStream;

class Context {
 public:
  Context(CUcontext handle, Gpu& gpu, bool primary, uint64_t id);
  ~Context();
  CUcontext handle() const { return handle_; }
  Gpu& gpu() const { return gpu_; }
  // Others are of other libraries, which may destroy them when they are not used.
  bool primary() const { return primary_; }
  // Tells a context of another library from an earlier one at its address. 0: the primary one.
  uint64_t id() const { return id_; }
  bool uses_anything() { return !all_batches().empty(); }

  // --- errors ---
  // As Driver::check; an error that loses the context is remembered with the kernels that may have
  // caused it, and every later check says so. `suspect`: a kernel that is known to have run last.
  void check(CUresult result, const char* what, const GpuKernel* suspect = nullptr);
  // The same for a result that is not reported here.
  void note(CUresult result, const GpuKernel* suspect = nullptr);
  bool lost() const { return lost_.load(std::memory_order_acquire); }
  // The message for an error report; empty while the context is not lost.
  std::string why_lost();
  void throw_if_lost();
  bool told() const { return told_.load(); }  // once a loss was reported
  // Asks the driver whether the context is lost, while a thread waits for a function of the host:
  // when the context is lost, or another library has destroyed it, the driver does not call those
  // any more, and the runtime does.
  void look_for_loss();
  // Another one has its address: nothing of it is called or done any more.
  void is_gone();
  // What every call of the context would fail with; the caller's captures and streams are left
  // alone.
  CUresult state();

  // --- streams ---
  std::shared_ptr<GpuStream> create_stream(const runtime::StreamOptions& options);
  // The object for a handle that is not ours: there is one as long as it is used.
  std::shared_ptr<GpuStream> stream_of(uint64_t handle);
  std::vector<std::shared_ptr<GpuStream>> streams();
  // Waits for all work of the context, other libraries' too. Not interruptible. Throws.
  void synchronize();

  // An event after all that the stream holds now. Throws DriverError.
  std::shared_ptr<runtime::Event> record(CUstream stream, bool timing);

  // --- what streams need ---
  CUevent take_event(bool timing);  // the context must be current
  void give_event(CUevent event, bool timing);
  std::unique_lock<std::mutex> lock_in_flight() { return std::unique_lock(in_flight_); }
  void keep_orphans(Batches batches);  // of a stream that goes
  // Lets go of batches that are done. Without locks.
  void let_go(const std::vector<std::shared_ptr<Batch>>& done);
  void let_go(const InFlight& item);
  void let_go_of_orphans();
  // Has threads of later launches so many bytes of stack, or as many as the GPU has room for. The
  // context must be current. Throws DriverError.
  void need_stack(uint64_t bytes);
  // Calls a function of the host after what the event stands for, or in the order of a stream.
  void call_after(CUevent event, std::function<void()> then);
  void call_in(CUstream stream, std::function<void()> function);

 private:
  struct HostCall;
  void lose(CUresult error, const GpuKernel* suspect);
  std::string suspects(const GpuKernel* suspect);
  HostCall& expect_call(std::function<void()> function, CUstream stream, bool helper);
  void forget_call(const HostCall& call);
  void launch_call(HostCall& call);
  static void run_call(void* call);
  CUresult take_helper(CUstream& helper);
  void give_helper(CUstream helper);
  void remember(const std::shared_ptr<GpuStream>& stream);
  std::vector<std::shared_ptr<Batch>> all_batches();

  const CUcontext handle_;
  Gpu& gpu_;
  const bool primary_;
  const uint64_t id_;
  std::atomic<bool> lost_{false};
  std::string why_lost_;  // written once, before lost_
  std::atomic<bool> told_{false};

  // Held for moments, never across a call of the driver.
  std::mutex in_flight_;  // the batches of all streams, and:
  Batches orphans_;
  std::mutex streams_mutex_;
  std::vector<std::weak_ptr<GpuStream>> streams_;
  std::unordered_map<uint64_t, std::shared_ptr<GpuStream>> foreign_;
  size_t foreign_room_ = 64;  // then unused ones are dropped
  std::mutex events_mutex_;
  std::vector<CUevent> events_[2];  // free; by whether they have a time
  std::mutex calls_mutex_;
  std::vector<std::unique_ptr<HostCall>> calls_;       // that the driver has
  std::vector<std::unique_ptr<HostCall>> lost_calls_;  // and may still come back with
  std::mutex stack_mutex_;
  std::atomic<uint64_t> stack_asked_{0};  // the most that was ever needed
  std::vector<CUstream> helpers_;  // free streams that only wait for an event and call a function
};

// There is one object per context, as long as the process. Throws DriverError.
Context& context_of(CUcontext handle, Gpu& gpu, bool primary);
void for_each_context(const std::function<void(Context&)>& visit);
// Called now and then by waiting threads: what they wait for may wait for a lost GPU, whichever it
// is.
void look_for_losses() noexcept;

// The stream that a handle of another library means: 0, 1 and 2 are the default streams of the
// current context, or of the given GPU where none is current. Throws DriverError.
std::shared_ptr<GpuStream> stream_for(uint64_t handle, int otherwise);

}  // namespace cuda_device::cuda
