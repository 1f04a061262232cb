// Streams and events as Python objects, and what may stand for a stream in a launch.
#pragma once

#include <utility>

#include "bindings/python.h"
#include "dispatch/rt_api.h"

namespace cuda_device::bindings {

// Holds a stream's handle; none: null.
class StreamHandle {
 public:
  StreamHandle() = default;
  static StreamHandle taken(dispatch::Stream* stream) { return StreamHandle(stream); }
  static StreamHandle shared(dispatch::Stream* stream) {
    cd_rt_stream_retain(stream);
    return StreamHandle(stream);
  }
  StreamHandle(const StreamHandle& other) : stream_(other.stream_) {
    if (stream_) cd_rt_stream_retain(stream_);
  }
  StreamHandle(StreamHandle&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  StreamHandle& operator=(StreamHandle other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }
  ~StreamHandle() {
    if (stream_) cd_rt_stream_release(stream_);
  }
  dispatch::Stream* get() const { return stream_; }

 private:
  explicit StreamHandle(dispatch::Stream* stream) : stream_(stream) {}
  dispatch::Stream* stream_ = nullptr;
};

class StreamObject {
 public:
  // `of`: another library's object that the stream belongs to; kept.
  explicit StreamObject(StreamHandle stream, nb::object of = {});
  ~StreamObject();
  StreamObject(const StreamObject&) = delete;
  dispatch::Stream* get();  // throws ValueError when it is closed
  // The same for calls without the GIL, while another thread may close it.
  StreamHandle share() { return StreamHandle::shared(get()); }
  void close();
  bool closed() const { return !stream_.get(); }
  int device() const { return device_; }
  const nb::object& of() const { return of_; }
  bool same_as(const StreamObject& other) const;
  uint64_t hash() const { return handle_; }

 private:
  void forget();
  void let_go();

  StreamHandle stream_;
  nb::object of_;
  const uint64_t handle_;
  const int device_;
};

// The stream that an object given as stream= means: ours, or what its __cuda_stream__ names. Throws
// LaunchError for everything else.
StreamHandle stream_of(PyObject* object, const std::string& kernel);

// The same outside of a launch; null where the object is no stream. `place`: of the object, for
// errors.
StreamHandle stream_named(nb::handle object, const std::string& place);

// A handle that means another stream in each thread: its own default one.
inline constexpr uint64_t kPerThreadStream = 2;

// The stream of launches without one; stays.
dispatch::Stream* default_stream_of(int device);

// A stream of ours, or what the driver knows of the handle.
StreamHandle stream_with_handle(uint64_t handle);

// Wait for what is queued now: other threads may never stop queuing. Ctrl-C ends the wait; what
// kernels have printed is written meanwhile.
void sync_stream(dispatch::Stream* stream);
// Waits for all streams of a device; the first error is raised.
void sync_device(int number);
void sync_event(dispatch::Event* event);

// Drops the references of launches that are done. With the GIL held.
void drop_finished();

void register_streams(nb::module_& module);

}  // namespace cuda_device::bindings
