// What a caller gave as stream=, or left out: the stream, and the object that it belongs to.
#pragma once

#include <memory>

#include "bindings/python.h"
#include "bindings/runtime/streams.h"

namespace cuda_device::bindings {

// Another library's object that the stream goes with, borrowed from what was given for it; null
// where the stream is ours, or only its handle is known.
PyObject* object_behind(dispatch::Stream* stream, PyObject* given);

// A stream of another library goes with its object, which is kept therefore, and let go of with the
// GIL, from whatever thread.
class Ordering {
 public:
  Ordering() = default;
  // The ordering of a stream, and the object that was given for it; null: none was. Called with the
  // GIL.
  Ordering(dispatch::Stream* stream, PyObject* given);
  // Throws TypeError or ValueError for what is no stream, and for one of another device than
  // `device`. `caller`: for messages.
  static Ordering of(nb::handle stream, int device, const char* caller);

  dispatch::Stream* stream() const { return stream_.get(); }  // null: none was given
  // What tells it from others as long as it is held; null: no stream, no object.
  const void* queue() const { return queue_; }
  const void* object() const { return keeps_.get(); }
  bool keeps_an_object() const { return keeps_ != nullptr; }
  // Only the thread that gave it can tell how far its stream is.
  bool of_one_thread() const { return of_one_thread_; }
  // Whether another library has closed its stream: the driver must not be asked about it any more.
  // With the GIL; throws what is no Exception, such as KeyboardInterrupt.
  bool closed() const;

 private:
  StreamHandle stream_;
  const void* queue_ = nullptr;
  bool of_one_thread_ = false;
  std::shared_ptr<PyObject> keeps_;
};

}  // namespace cuda_device::bindings
