// The C functions of rt_api.h over the classes of this folder and of the runtime.
#include "dispatch/rt_api.h"

#include <algorithm>

#include "dispatch/events.h"
#include "dispatch/guarded.h"
#include "dispatch/jit_library.h"
#include "dispatch/kernel.h"
#include "dispatch/launch_settings.h"
#include "dispatch/launches.h"
#include "dispatch/streams.h"
#include "runtime/cuda/current_device.h"
#include "runtime/cuda/gpu.h"
#include "runtime/host/device.h"
#include "runtime/host/pool.h"
#include "runtime/host/report.h"
#include "runtime/host/threads.h"
#include "runtime/owners.h"

// Nothing may leave the functions below as a C++ exception: their callers are Python frames.
namespace dispatch = cuda_device::dispatch;
namespace runtime = cuda_device::runtime;

dispatch::Kernel* cd_rt_kernel_create() { return new dispatch::Kernel; }
void cd_rt_kernel_release(dispatch::Kernel* kernel) { delete kernel; }

void cd_rt_launch(const dispatch::LaunchRequest* request, dispatch::Outcome* outcome) {
  try {
    dispatch::launch(*request, outcome);
  } catch (const std::exception& e) {
    dispatch::set_fault(outcome, e.what());
  }
}

bool cd_rt_has_printed() { return runtime::anything_printed(); }
void cd_rt_take_printed(std::string* text) { *text = runtime::take_printed(); }

cuda_device::abi::Owner* cd_rt_take_finished() { return runtime::take_finished_owners(); }

dispatch::Stream* cd_rt_stream_create() {
  return new dispatch::Stream(cuda_device::abi::StreamOptions());
}
dispatch::Stream* cd_rt_default_stream() { return dispatch::the_default_stream; }
void cd_rt_stream_retain(dispatch::Stream* stream) { ++stream->holders; }
void cd_rt_stream_release(dispatch::Stream* stream) {
  if (--stream->holders == 0) delete stream;
}
void cd_rt_all_streams(std::vector<dispatch::Stream*>* streams, int device) {
  for (auto& found : dispatch::all_streams(device)) streams->push_back(found.release());
}
uint64_t cd_rt_stream_handle(const dispatch::Stream* stream) { return stream->stream->handle(); }
int cd_rt_stream_device(const dispatch::Stream* stream) { return stream->device; }
void cd_rt_stream_options(const dispatch::Stream* stream, cuda_device::abi::StreamOptions* options,
                          dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [=] { *options = stream->stream->options(); });
}
const void* cd_rt_stream_queue(const dispatch::Stream* stream) { return stream->stream.get(); }
bool cd_rt_stream_captured(const dispatch::Stream* stream) {
  return dispatch::guarded(nullptr, false,
                           [=] { return stream->gpu && stream->gpu->is_captured(); });
}
bool cd_rt_stream_query(dispatch::Stream* stream) {
  return dispatch::guarded(nullptr, true, [=] { return dispatch::is_idle(*stream); });
}

// Where there is none, because the GPU fails, the wait says why.
uint64_t cd_rt_stream_mark(dispatch::Stream* stream) {
  return dispatch::guarded(nullptr, runtime::Stream::kAll, [=] { return stream->stream->mark(); });
}
uint64_t cd_rt_stream_last_mark(dispatch::Stream* stream) {
  return stream->host && !stream->host->owes_work() ? 0 : cd_rt_stream_mark(stream);
}

void cd_rt_stream_sync(dispatch::Stream* stream, uint64_t mark, int milliseconds,
                       dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [=] { dispatch::wait(*stream, mark, milliseconds, outcome); });
}

void cd_rt_take_lost_error(dispatch::Outcome* outcome) {
  if (runtime::Error error = runtime::take_lost_error(); !error.empty())
    dispatch::set_fault(outcome, std::move(error));
}

dispatch::Event* cd_rt_event_create() { return new dispatch::Event; }
void cd_rt_event_release(dispatch::Event* event) { delete event; }

void cd_rt_event_record(dispatch::Event* event, dispatch::Stream* stream, bool timing,
                        dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [=] { event->record(*stream, timing); });
}

bool cd_rt_event_query(dispatch::Event* event) {
  return dispatch::guarded(nullptr, true, [=] { return event->is_done(); });
}

void cd_rt_event_sync(dispatch::Event* event, int milliseconds, dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [=] { event->wait(milliseconds, outcome); });
}

void cd_rt_stream_wait(dispatch::Stream* stream, dispatch::Event* event,
                       dispatch::Outcome* outcome) {
  if (const auto state = event->current())
    dispatch::guarded(outcome, [&] { stream->stream->wait_for(state); });
}

double cd_rt_event_difference(const dispatch::Event* later, const dispatch::Event* earlier,
                              dispatch::Outcome* outcome) {
  return dispatch::guarded(outcome, 0.0,
                           [=] { return dispatch::milliseconds_between(*earlier, *later); });
}

int cd_rt_event_device(const dispatch::Event* event, int otherwise) {
  const auto state = event->current();
  return state ? state->device() : otherwise;
}

int cd_rt_gpu_count() {
  return dispatch::guarded(nullptr, 0, [] { return cuda_device::cuda::gpu_count(); });
}

bool cd_rt_device_info(int device, dispatch::DeviceInfo* info, dispatch::Outcome* outcome) {
  return dispatch::guarded(outcome, false, [=] {
    const runtime::Device& found = dispatch::device_of(device);
    *info = {found.name(), found.uuid(), found.architecture()};
    return true;
  });
}

int cd_rt_device_attribute(int device, const char* name, dispatch::Outcome* outcome) {
  return dispatch::guarded(outcome, 0, [=] { return dispatch::device_of(device).attribute(name); });
}

const char* cd_rt_device_attributes() {
#define ATTRIBUTE(name, number, host) #name ","
  return
#include "runtime/device_attributes.def"
      ;
}

int cd_rt_current_device(dispatch::Outcome* outcome) {
  return dispatch::guarded(outcome, runtime::kHostDevice,
                           [] { return cuda_device::cuda::current_device(); });
}

void cd_rt_set_current_device(int device, dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [=] { cuda_device::cuda::set_current_device(device); });
}

dispatch::Stream* cd_rt_device_stream(int device, const cuda_device::abi::StreamOptions* options,
                                      dispatch::Outcome* outcome) {
  return dispatch::guarded(outcome, static_cast<dispatch::Stream*>(nullptr), [=] {
    if (device == runtime::kHostDevice) return new dispatch::Stream(*options);
    return new dispatch::Stream(cuda_device::cuda::gpu(device).context().create_stream(*options));
  });
}

dispatch::Stream* cd_rt_device_default_stream(int device, dispatch::Outcome* outcome) {
  return dispatch::guarded(outcome, static_cast<dispatch::Stream*>(nullptr),
                           [=] { return dispatch::default_stream_of(device); });
}

dispatch::Stream* cd_rt_foreign_stream(uint64_t handle, dispatch::Outcome* outcome) {
  return dispatch::guarded(outcome, static_cast<dispatch::Stream*>(nullptr), [=] {
    const int otherwise = std::max(cuda_device::cuda::current_device(), 0);
    return new dispatch::Stream(cuda_device::cuda::stream_for(handle, otherwise));
  });
}

bool cd_rt_stream_own(const dispatch::Stream* stream) {
  return stream->host ? stream != dispatch::the_default_stream : stream->gpu->own();
}

void cd_rt_used_gpus(std::vector<int>* gpus) { *gpus = dispatch::used_gpus(); }

bool cd_rt_gpus_take_calls() { return cuda_device::cuda::driver_takes_calls(); }

void cd_rt_gpu_sync(int device, dispatch::Outcome* outcome) {
  dispatch::guarded(outcome, [=] { dispatch::wait_for_gpu(device); });
}

bool cd_rt_set_target(const char* target) {
  return dispatch::guarded(nullptr, false, [=] { return dispatch::set_target_of_thread(target); });
}

const char* cd_rt_target() { return dispatch::target_of_thread().c_str(); }

const char* cd_rt_targets() { return dispatch::target_list().c_str(); }

void cd_rt_counters(dispatch::Counters* out) { *out = dispatch::counters.read(); }

int cd_rt_thread_count() { return runtime::thread_count(); }

uint64_t cd_rt_beyond_cache_bytes() { return dispatch::beyond_cache_bytes(); }

void cd_rt_set_beyond_cache_bytes(uint64_t bytes) { dispatch::set_beyond_cache_bytes(bytes); }

void cd_rt_shutdown() {
  if (const dispatch::JitLibrary* jit = dispatch::jit_library_if_open()) jit->finish();
  if (cuda_device::cuda::driver_works()) cuda_device::cuda::end_driver();
  runtime::leave_pool();
}
