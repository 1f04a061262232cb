// The C functions of memory_api.h over the runtime's.
#include "driver/rt/memory_api.h"

#include "driver/rt/guarded.h"
#include "driver/rt/streams.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/gpu.h"
#include "runtime/cuda/gpu_copies.h"
#include "runtime/memory/memory.h"

namespace cuda_device::rt {
namespace {

runtime::InOrder in_order(const Order& order, std::shared_ptr<const void> keep = nullptr) {
  runtime::InOrder made{nullptr, order.cuda, std::move(keep)};
  if (order.host && order.host->host) made.host = order.host->host->shared_from_this();
  return made;
}

cuda::CUstream cuda_stream(uint64_t handle) { return reinterpret_cast<cuda::CUstream>(handle); }

}  // namespace
}  // namespace cuda_device::rt

namespace abi = cuda_device::abi;
namespace cuda = cuda_device::cuda;
namespace rt = cuda_device::rt;
namespace runtime = cuda_device::runtime;

void cd_rt_memory_allocate(const rt::MemoryRequest* request, rt::Memory* memory,
                           rt::Outcome* outcome) {
  rt::guarded(outcome, [&] {
    const runtime::Memory made = runtime::allocate(request->device, request->kind, request->bytes,
                                                   rt::in_order(request->order));
    *memory = {made.address, made.zero};
  });
}

bool cd_rt_memory_release(uint64_t address, const rt::Order* order) {
  return runtime::release(address, rt::in_order(*order));
}

void cd_rt_memory_find(uint64_t address, abi::Allocation* found) {
  try {
    *found = runtime::find_allocation(address);
  } catch (const std::exception&) {
    *found = {};
  }
}

void cd_rt_memory_copy(const rt::CopyRequest* request, rt::Outcome* outcome) {
  rt::guarded(outcome, [&] {
    const rt::CopyRequest& r = *request;
    runtime::copy(
        runtime::strided_copy(r.item_bytes, r.shape, r.to, r.to_strides, r.from, r.from_strides),
        r.gpu, rt::in_order(r.order, r.keep));
  });
}

void cd_rt_memory_fill(const rt::FillRequest* request, rt::Outcome* outcome) {
  rt::guarded(outcome, [&] {
    const rt::FillRequest& r = *request;
    runtime::fill(r.to, r.element, r.element_bytes, r.count, r.gpu, rt::in_order(r.order, r.keep));
  });
}

void cd_rt_cuda_order(int gpu, uint64_t later, uint64_t earlier, rt::Outcome* outcome) {
  rt::guarded(outcome,
              [&] { cuda::order_behind(gpu, rt::cuda_stream(later), rt::cuda_stream(earlier)); });
}

void cd_rt_stream_wait_cuda(rt::Stream* of_host, int gpu, uint64_t earlier, rt::Outcome* outcome) {
  rt::guarded(outcome, [&] {
    cuda::Context& context = cuda::gpu(gpu).context();
    of_host->host->wait_for(context.record(rt::cuda_stream(earlier), false));
  });
}

void cd_rt_cuda_wait(int gpu, uint64_t stream, rt::Outcome* outcome) {
  rt::guarded(outcome, [&] { cuda::wait_for(gpu, rt::cuda_stream(stream)); });
}

void cd_rt_memory_figures(int device, abi::MemoryFigures* figures, rt::Outcome* outcome) {
  rt::guarded(outcome, [&] { *figures = runtime::memory_figures(device); });
}

void cd_rt_memory_trim(int device, rt::Outcome* outcome) {
  rt::guarded(outcome, [&] { runtime::trim_memory(device); });
}
