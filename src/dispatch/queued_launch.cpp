#include "dispatch/queued_launch.h"

#include <cstring>

#include "dispatch/launch_log.h"
#include "dispatch/streams.h"
#include "runtime/host/recycler.h"
#include "runtime/owners.h"

namespace cuda_device::dispatch {
namespace {

static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= abi::kParamsAlign);

// What a queued launch owns, in one piece. However it ends, its owner is handed back.
class QueuedLaunch : public runtime::Work {
 public:
  QueuedLaunch(const LaunchRequest& request, std::shared_ptr<const Compiled> compiled)
      : compiled_(std::move(compiled)),
        stream_(request.stream->host),
        dims_(request.dims),
        owner_(request.owner) {
    if (request.params_size > sizeof few_) many_.reset(new char[request.params_size]);
    std::memcpy(params(), request.params, request.params_size);
  }
  ~QueuedLaunch() override { runtime::owner_finished(owner_); }
  runtime::Error run() override {
    runtime::Error error = run_logged(*compiled_, params(), dims_, stream_, nullptr);
    const bool names_it = error.empty() || !error.raises.empty();
    if (!names_it) error.text = "kernel '" + compiled_->name() + "': " + error.text;
    return error;
  }
  void leave_owner() { owner_ = nullptr; }

  // The thread that queues makes it, one of the pool drops it.
  static void* operator new(size_t bytes);
  static void operator delete(void* block);

 private:
  char* params() { return many_ ? many_.get() : few_; }

  const std::shared_ptr<const Compiled> compiled_;
  const runtime::HostStream* const stream_;
  const abi::LaunchDims dims_;
  abi::Owner* owner_;
  alignas(abi::kParamsAlign) char few_[256];
  std::unique_ptr<char[]> many_;  // new aligns as much
};

constinit runtime::Recycler<sizeof(QueuedLaunch)> blocks;

void* QueuedLaunch::operator new(size_t) { return blocks.take(); }
void QueuedLaunch::operator delete(void* block) { blocks.give(block); }

}  // namespace

void enqueue(const LaunchRequest& request, std::shared_ptr<const Compiled> compiled) {
  auto launch = std::make_unique<QueuedLaunch>(request, std::move(compiled));
  QueuedLaunch& made = *launch;
  std::unique_ptr<runtime::Work> work = std::move(launch);
  try {
    request.stream->host->enqueue(work);
  } catch (...) {
    made.leave_owner();
    throw;
  }
}

}  // namespace cuda_device::dispatch
