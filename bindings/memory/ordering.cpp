#include "bindings/memory/ordering.h"

#include "abi/memory_kind.h"
#include "bindings/errors.h"
#include "bindings/runtime/devices.h"

namespace cuda_device::bindings {
namespace {

[[noreturn]] void no_stream(nb::handle stream, int device, const char* caller) {
  const bool host = device == abi::kHostDevice;
  const std::string wanted =
      host ? "a stream of cuda.device.core, as Device('host').create_stream() makes it"
           : "a stream of " + device_text(device) +
                 ": one of cuda.core, or any object with __cuda_stream__";
  throw nb::type_error((std::string(caller) + "() of memory of " + device_text(device) +
                        " expects as stream " + wanted + "; found '" + type_text(stream) + "'")
                           .c_str());
}

bool belongs_to_others(const dispatch::Stream* stream) {
  return cd_rt_stream_device(stream) != abi::kHostDevice && !cd_rt_stream_own(stream);
}

PyObject* others_object(PyObject* given) {
  return nb::isinstance<StreamObject>(given) ? nb::inst_ptr<StreamObject>(given)->of().ptr()
                                             : given;
}

}  // namespace

PyObject* object_behind(dispatch::Stream* stream, PyObject* given) {
  return given && belongs_to_others(stream) ? others_object(given) : nullptr;
}

Ordering::Ordering(dispatch::Stream* stream, PyObject* given) {
  if (!stream) return;
  stream_ = StreamHandle::shared(stream);
  queue_ = cd_rt_stream_queue(stream);
  if (!belongs_to_others(stream)) return;
  of_one_thread_ = cd_rt_stream_handle(stream) == kPerThreadStream;
  PyObject* object = given ? others_object(given) : nullptr;
  if (object) keeps_.reset(Py_NewRef(object), drop_anywhere);
}

Ordering Ordering::of(nb::handle stream, int device, const char* caller) {
  if (stream.is_none()) return {};
  const StreamHandle found = stream_named(stream, "stream of " + std::string(caller) + "()");
  if (!found.get() || cd_rt_stream_device(found.get()) != device) no_stream(stream, device, caller);
  return {found.get(), stream.ptr()};
}

bool Ordering::closed() const {
  if (!keeps_) return false;
  try {
    const StreamHandle now = stream_named(keeps_.get(), "stream");
    return !now.get() || cd_rt_stream_handle(now.get()) != cd_rt_stream_handle(stream());
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;  // Ctrl-C
  } catch (const nb::builtin_exception&) {
  } catch (const LaunchError&) {
  }
  return true;
}

}  // namespace cuda_device::bindings
