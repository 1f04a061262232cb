// Streams and events of the host device as Python objects, and what may stand for a stream in a
// launch.
#pragma once

#include "bindings/python.h"
#include "driver/rt/rt_api.h"

namespace cuda_device::bindings {

class StreamObject {
 public:
  explicit StreamObject(rt::Stream* stream, bool owned);
  ~StreamObject();
  StreamObject(const StreamObject&) = delete;
  rt::Stream* get() const { return stream_; }

 private:
  rt::Stream* stream_;
  bool owned_;
};

// The host stream that an object given as stream= means: ours, or one whose __cuda_stream__ names
// ours. Throws LaunchError for everything else.
rt::Stream* stream_of(PyObject* object, const std::string& kernel);

// Drops the references of launches that are done. With the GIL held.
void drop_finished();

void register_streams(nb::module_& module);

}  // namespace cuda_device::bindings
