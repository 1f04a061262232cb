// Streams and events of the host device as Python objects, and what may stand for a stream in a
// launch.
#pragma once

#include <utility>

#include "bindings/python.h"
#include "driver/rt/rt_api.h"

namespace cuda_device::bindings {

// Holds a stream's handle; none: null.
class StreamHandle {
 public:
  StreamHandle() = default;
  static StreamHandle taken(rt::Stream* stream) { return StreamHandle(stream); }
  static StreamHandle shared(rt::Stream* stream) {
    cd_rt_stream_retain(stream);
    return StreamHandle(stream);
  }
  StreamHandle(StreamHandle&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  StreamHandle& operator=(StreamHandle&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }
  ~StreamHandle() {
    if (stream_) cd_rt_stream_release(stream_);
  }
  rt::Stream* get() const { return stream_; }

 private:
  explicit StreamHandle(rt::Stream* stream) : stream_(stream) {}
  rt::Stream* stream_ = nullptr;
};

class StreamObject {
 public:
  explicit StreamObject(StreamHandle stream);
  ~StreamObject();
  StreamObject(const StreamObject&) = delete;
  rt::Stream* get() const { return stream_.get(); }

 private:
  const StreamHandle stream_;
};

// The host stream that an object given as stream= means: ours, or one whose __cuda_stream__ names
// ours. Throws LaunchError for everything else.
StreamHandle stream_of(PyObject* object, const std::string& kernel);

// Drops the references of launches that are done. With the GIL held.
void drop_finished();

void register_streams(nb::module_& module);

}  // namespace cuda_device::bindings
