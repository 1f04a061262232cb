// The C functions of memory_api.h over the runtime's.
#include "dispatch/memory_api.h"

#include "dispatch/guarded.h"
#include "dispatch/streams.h"
#include "runtime/memory/memory.h"

namespace cuda_device::dispatch {
namespace {

// The legacy default stream is 0 too, as everywhere that none is named.
runtime::InOrder in_order(const Stream* stream, std::shared_ptr<const void> keep = nullptr) {
  runtime::InOrder made{nullptr, 0, std::move(keep)};
  if (stream && stream->host) made.host = stream->host->shared_from_this();
  if (stream && stream->gpu && stream->gpu->handle() != cuda::kLegacyStream)
    made.cuda = stream->gpu->handle();
  return made;
}

}  // namespace
}  // namespace cuda_device::dispatch

namespace abi = cuda_device::abi;
namespace cuda = cuda_device::cuda;
namespace dispatch = cuda_device::dispatch;
namespace runtime = cuda_device::runtime;

void cd_rt_memory_allocate(const dispatch::MemoryRequest* request, dispatch::Memory* memory,
                           dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [&] {
    const runtime::Memory made = runtime::allocate(request->device, request->kind, request->bytes,
                                                   dispatch::in_order(request->stream));
    *memory = {made.address, made.zero};
  });
}

bool cd_rt_memory_release(uint64_t address, dispatch::Stream* stream) {
  return runtime::release(address, dispatch::in_order(stream));
}

void cd_rt_memory_find(uint64_t address, abi::Allocation* found) {
  try {
    *found = runtime::find_allocation(address);
  } catch (const std::exception&) {
    *found = {};
  }
}

void cd_rt_memory_copy(const dispatch::CopyRequest* request, dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [&] {
    const dispatch::CopyRequest& r = *request;
    runtime::copy(
        runtime::strided_copy(r.item_bytes, r.shape, r.to, r.to_strides, r.from, r.from_strides),
        r.gpu, dispatch::in_order(r.stream, r.keep));
  });
}

void cd_rt_memory_fill(const dispatch::FillRequest* request, dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [&] {
    const dispatch::FillRequest& r = *request;
    runtime::fill(r.to, r.element, r.element_bytes, r.count, r.gpu,
                  dispatch::in_order(r.stream, r.keep));
  });
}

void cd_rt_memory_figures(int device, abi::MemoryFigures* figures, dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [&] { *figures = runtime::memory_figures(device); });
}

void cd_rt_memory_trim(int device, dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [&] { runtime::trim_memory(device); });
}
