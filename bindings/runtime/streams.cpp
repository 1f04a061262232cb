#include "bindings/runtime/streams.h"

#include <nanobind/stl/optional.h>

#include <optional>
#include <unordered_map>

#include "bindings/errors.h"
#include "bindings/launch/call.h"
#include "bindings/runtime/devices.h"
#include "bindings/runtime/printed.h"
#include "support/fork.h"

namespace cuda_device::bindings {
namespace {

// How long a wait may last before Python looks for Ctrl-C.
constexpr int kSliceMilliseconds = 50;

PyTypeObject* stream_type = nullptr;

// A stream that Python objects stand for: so many.
struct Live {
  dispatch::Stream* stream = nullptr;
  size_t objects = 0;
};

// The streams by handle; used with the GIL held only.
std::unordered_map<uint64_t, Live>& live_streams() {
  static auto* streams = new std::unordered_map<uint64_t, Live>();
  return *streams;
}

class EventObject {
 public:
  EventObject(bool timing, int device)
      : timing_(timing), device_(device), event_(cd_rt_event_create(), cd_rt_event_release) {}
  EventObject(const EventObject&) = delete;
  // Kept by calls without the GIL, while another thread may close it.
  std::shared_ptr<dispatch::Event> share() const {
    if (!event_) throw nb::value_error("the event is closed");
    return event_;
  }
  dispatch::Event* get() const { return share().get(); }
  void close() { event_.reset(); }
  bool closed() const { return !event_; }
  bool timing() const { return timing_; }
  // Where it was recorded last; before, where it was made.
  int device() const { return cd_rt_event_device(get(), device_); }

 private:
  const bool timing_;
  const int device_;
  std::shared_ptr<dispatch::Event> event_;
};

// A call of a GPU's driver may wait until the queue has room, and that for a function of the host
// that another library has queued, which wants the GIL.
template <class Call>
auto beside_the_gil(int device, Call call) {
  if (device == kHostDevice) return call();
  const WithoutGil released;
  return call();
}

void look_for_signals(std::optional<nb::python_error>& raised) {
  if (!raised && PyErr_CheckSignals() != 0) raised.emplace();
}

// The stream has forgotten the error now: it is told whatever happens beside it. Signals come
// first: Python looks for them too while it makes the exception, and would raise theirs instead.
void tell_failure(const dispatch::Outcome& outcome) {
  std::optional<nb::python_error> raised;
  look_for_signals(raised);
  for (;;) try {
      return throw_unless_ok(outcome);
    } catch (const nb::python_error& failure) {
      if (!failure.matches(PyExc_Exception)) {  // another signal
        raised.emplace(failure);
        continue;
      }
      write_printed_beside_an_error();
      look_for_signals(raised);
      if (!raised) throw;
      set_context(*raised, failure);
      throw nb::python_error(*raised);
    }
}

// wait(milliseconds, outcome) in slices, without the GIL, until it is over or a signal's handler
// raises.
template <class Wait>
void wait_interruptibly(Wait wait, const std::function<void()>& still_waiting = [] {}) {
  for (;;) {
    dispatch::Outcome outcome;
    {
      const WithoutGil released;
      wait(kSliceMilliseconds, &outcome);
    }
    drop_finished();
    const bool waits = outcome.status == dispatch::Status::Timeout;
    if (!waits && outcome.status != dispatch::Status::Ok) return tell_failure(outcome);
    write_printed();
    checked(PyErr_CheckSignals());
    if (!waits) return;
    still_waiting();
  }
}

// The synchronisation at the process's end: leaves out what other threads do by themselves, and
// says what it waits for.
class LastSync {
 public:
  void operator()(dispatch::Stream* stream) {
    const uint64_t mark =
        beside_the_gil(cd_rt_stream_device(stream), [=] { return cd_rt_stream_last_mark(stream); });
    wait_interruptibly(
        [=](int ms, dispatch::Outcome* out) { cd_rt_stream_sync(stream, mark, ms, out); },
        [this] { one_slice_more(); });
  }

 private:
  void one_slice_more() {
    constexpr int kSilence = 2000 / kSliceMilliseconds;
    if (++slices_ == kSilence)
      PySys_WriteStderr(
          "cuda.device: the process ends when the work that is queued is done; Ctrl-C ends it "
          "now\n");
  }
  int slices_ = 0;
};

nb::object notes_of(const nb::python_error& error) {
  return nb::getattr(error.value(), "__notes__", nb::list());
}

// Every stream of the device that there is now, those too that only their work keeps alive. The
// first error is raised when all have been waited for, an interrupt at once.
class SyncAll {
 public:
  explicit SyncAll(std::function<void(dispatch::Stream*)> sync_one)
      : sync_one_(std::move(sync_one)) {}
  void device(int number) {
    on_host_ = number == kHostDevice;
    std::vector<dispatch::Stream*> streams;
    cd_rt_all_streams(&streams, number);
    std::vector<StreamHandle> handles;
    handles.reserve(streams.size());
    for (dispatch::Stream* stream : streams) handles.push_back(StreamHandle::taken(stream));
    for (const StreamHandle& stream : handles) collect([&] { sync_one_(stream.get()); });
    on_host_ ? lost_error() : rest_of_gpu(number);
  }
  void raise() {
    if (first_) throw nb::python_error(*first_);
  }

 private:
  template <class Wait>
  void collect(Wait wait) {
    try {
      wait();
    } catch (const nb::python_error& e) {
      if (!e.matches(PyExc_Exception)) {
        if (first_) set_context(e, *first_);
        throw;
      }
      const std::string text = to_string(nb::object(nb::str(e.value())));
      if (!first_) {
        first_.emplace(e);
        said_ = text;
      } else if (text != said_ || on_host_) {  // a lost GPU says the same of each of its streams
        add_note(*first_, "and: " + text);
        for (nb::handle note : notes_of(e)) add_note(*first_, to_string(nb::borrow(note)));
      }
    }
  }
  void lost_error() {
    collect([] {
      dispatch::Outcome outcome;
      cd_rt_take_lost_error(&outcome);
      throw_unless_ok(outcome);
    });
  }
  // What other libraries have queued there.
  void rest_of_gpu(int number) {
    collect([=] {
      dispatch::Outcome outcome;
      {
        const WithoutGil released;
        cd_rt_gpu_sync(number, &outcome);
      }
      drop_finished();
      throw_unless_ok(outcome);
    });
  }

  const std::function<void(dispatch::Stream*)> sync_one_;
  std::optional<nb::python_error> first_;
  std::string said_;
  bool on_host_ = true;
};

// Runs at the process's end: a lost GPU that was reported is not reported again.
void last_sync() {
  SyncAll all{LastSync()};
  all.device(kHostDevice);
  for (int gpu : used_gpus()) all.device(gpu);
  all.raise();
}

// A thread that is left keeps objects of ours for ever, and so does one that a fork left behind,
// which is no fault.
bool threads_are_left() {
  PyThreadState* const first = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
  return PyThreadState_Next(first) != nullptr || fork_count() > 0;
}

// Runs at the process's end. Ctrl-C ends the wait; the workers are then left where they are.
void shutdown() {
  if (threads_are_left()) nb::set_leak_warnings(false);
  try {
    last_sync();
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_Exception)) throw;
    const nb::object notes = notes_of(e);
    e.discard_as_unraisable("work that was queued when the process ended");
    for (nb::handle note : notes) PySys_FormatStderr("%S\n", note.ptr());
  }
  {
    const WithoutGil released;
    cd_rt_shutdown();
  }
  drop_finished();
}

void wait_for_event(StreamObject& self, const EventObject& other) {
  const StreamHandle stream = self.share();
  const std::shared_ptr<dispatch::Event> event = other.share();
  without_gil(
      [&](dispatch::Outcome* outcome) { cd_rt_stream_wait(stream.get(), event.get(), outcome); });
}

void record_on(const EventObject& on, dispatch::Stream* stream, bool timing) {
  const std::shared_ptr<dispatch::Event> event = on.share();
  dispatch::Outcome outcome;
  beside_the_gil(cd_rt_stream_device(stream),
                 [&] { cd_rt_event_record(event.get(), stream, timing, &outcome); });
  throw_unless_ok(outcome);
}

// Streams of other libraries are waited for by an event of ours.
void wait_for(StreamObject& self, nb::handle other) {
  if (nb::isinstance<EventObject>(other))
    return wait_for_event(self, *nb::inst_ptr<EventObject>(other));
  const StreamHandle stream = stream_named(other, "stream of wait()");
  if (!stream.get())
    throw nb::type_error(
        ("wait() expects an Event or a Stream, found '" + type_text(other) + "'").c_str());
  EventObject event(false, kHostDevice);
  record_on(event, stream.get(), false);
  wait_for_event(self, event);
}

bool wants_timing(nb::handle options) {
  if (options.is_none()) return true;
  const nb::object read = nb::module_::import_("cuda.device._options").attr("check_event")(options);
  return nb::cast<bool>(read.attr("enable_timing"));
}

nb::object record(StreamObject& self, nb::object event, nb::handle options) {
  const bool timing = wants_timing(options);
  if (event.is_none())
    event = nb::cast(new EventObject(timing, cd_rt_stream_device(self.get())),
                     nb::rv_policy::take_ownership);
  if (!nb::isinstance<EventObject>(event))
    throw nb::type_error(("record() expects an Event, found '" + type_text(event) + "'").c_str());
  const auto& of_ours = *nb::inst_ptr<EventObject>(event);
  record_on(of_ours, self.share().get(), of_ours.timing());
  return event;
}

double elapsed(const EventObject& later, const nb::object& other) {
  if (!nb::isinstance<EventObject>(other))
    throw nb::type_error(("an Event minus another Event gives milliseconds; found '" +
                          type_text(other) + "': record() of a stream gives its event")
                             .c_str());
  const auto& earlier = *nb::inst_ptr<EventObject>(other);
  if (!earlier.timing() || !later.timing())
    throw std::runtime_error("an event that was made with enable_timing=False has no time");
  dispatch::Outcome outcome;
  const double found = cd_rt_event_difference(later.get(), earlier.get(), &outcome);
  if (outcome.status != dispatch::Status::Ok) throw std::runtime_error(outcome.text);
  return found;
}

std::string in_launch_of(const std::string& kernel) {
  return "stream in the launch of kernel '" + kernel + "'";
}

// (0, handle) as __cuda_stream__ gives it: a method, or in early versions of the protocol a
// property. `place`: for errors.
uint64_t handle_of(PyObject* object, const nb::object& protocol, const std::string& place) {
  nb::object pair = PyCallable_Check(protocol.ptr()) ? protocol() : protocol;
  const auto refuse = [&](DiagCode code) {
    const nb::object text = checked(PyObject_Repr(pair.ptr()));
    throw LaunchError{code, {place, "'" + type_text(object) + "'", to_string(text)}};
  };
  const bool good = PyTuple_Check(pair.ptr()) && PyTuple_GET_SIZE(pair.ptr()) == 2 &&
                    PyLong_Check(PyTuple_GET_ITEM(pair.ptr(), 0)) &&
                    PyLong_Check(PyTuple_GET_ITEM(pair.ptr(), 1));
  if (!good) refuse(DiagCode::stream_protocol);
  int overflow = 0;
  if (PyLong_AsLongAndOverflow(PyTuple_GET_ITEM(pair.ptr(), 0), &overflow) != 0 || overflow)
    refuse(DiagCode::stream_version);
  const unsigned long long handle = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(pair.ptr(), 1));
  if (PyErr_Occurred()) {
    PyErr_Clear();
    refuse(DiagCode::stream_protocol);
  }
  return handle;
}

// A stream of ours, or what the driver knows of the handle.
StreamHandle stream_with(uint64_t handle, dispatch::Outcome& outcome) {
  const auto at = live_streams().find(handle);
  if (at != live_streams().end()) return StreamHandle::shared(at->second.stream);
  dispatch::Stream* const found = cd_rt_foreign_stream(handle, &outcome);
  return found ? StreamHandle::taken(found) : StreamHandle();
}

nb::object protocol_of(PyObject* object) {
  static PyObject* const name = PyUnicode_InternFromString("__cuda_stream__");
  return PyType_Check(object) ? nb::object() : optional_attr(object, name);
}

[[noreturn]] void refuse_stream(PyObject* object, const std::string& kernel) {
  static PyObject* const name = PyUnicode_InternFromString("cuda_stream");  // of older PyTorch
  const bool handle_only = !PyType_Check(object) && optional_attr(object, name).is_valid();
  throw LaunchError{handle_only ? DiagCode::stream_attribute : DiagCode::stream_type,
                    {in_launch_of(kernel), "'" + type_text(object) + "'"}};
}

}  // namespace

void sync_device(int number) {
  SyncAll all(sync_stream);
  all.device(number);
  all.raise();
}

StreamHandle stream_of(PyObject* object, const std::string& kernel) {
  if (Py_TYPE(object) == stream_type)
    return StreamHandle::shared(nb::inst_ptr<StreamObject>(object)->get());
  const nb::object protocol = protocol_of(object);
  if (!protocol) refuse_stream(object, kernel);
  const uint64_t handle = handle_of(object, protocol, in_launch_of(kernel));
  dispatch::Outcome outcome;
  StreamHandle found = stream_with(handle, outcome);
  if (found.get()) return found;
  throw LaunchError{
      DiagCode::stream_cuda,
      {in_launch_of(kernel), "'" + type_text(object) + "'", std::to_string(handle), outcome.text}};
}

StreamHandle stream_with_handle(uint64_t handle) {
  dispatch::Outcome outcome;
  StreamHandle found = stream_with(handle, outcome);
  throw_unless_ok(outcome);
  return found;
}

dispatch::Stream* default_stream_of(int device) {
  dispatch::Outcome outcome;
  dispatch::Stream* const found = cd_rt_device_default_stream(device, &outcome);
  throw_unless_ok(outcome);
  return found;
}

void sync_stream(dispatch::Stream* stream) {
  const uint64_t mark =
      beside_the_gil(cd_rt_stream_device(stream), [=] { return cd_rt_stream_mark(stream); });
  wait_interruptibly(
      [=](int ms, dispatch::Outcome* out) { cd_rt_stream_sync(stream, mark, ms, out); });
}

void sync_event(dispatch::Event* event) {
  wait_interruptibly([=](int ms, dispatch::Outcome* out) { cd_rt_event_sync(event, ms, out); });
}

StreamHandle stream_named(nb::handle object, const std::string& place) {
  if (Py_TYPE(object.ptr()) == stream_type)
    return StreamHandle::shared(nb::inst_ptr<StreamObject>(object)->get());
  const nb::object protocol = protocol_of(object.ptr());
  if (!protocol) return {};
  return stream_with_handle(handle_of(object.ptr(), protocol, place));
}

StreamObject::StreamObject(StreamHandle stream, nb::object of)
    : stream_(std::move(stream)),
      of_(std::move(of)),
      handle_(cd_rt_stream_handle(stream_.get())),
      device_(cd_rt_stream_device(stream_.get())) {
  if (device_ != kHostDevice && !cd_rt_stream_own(stream_.get())) return;
  Live& live = live_streams()[handle_];
  if (live.stream != stream_.get()) live = {stream_.get(), 0};
  ++live.objects;
}

dispatch::Stream* StreamObject::get() {
  if (!stream_.get()) throw nb::value_error("the stream is closed");
  if (handle_ == kPerThreadStream && device_ != kHostDevice) {
    dispatch::Outcome outcome;
    dispatch::Stream* const of_thread = cd_rt_foreign_stream(kPerThreadStream, &outcome);
    throw_unless_ok(outcome);
    stream_ = StreamHandle::taken(of_thread);
  }
  return stream_.get();
}

// The default stream stays.
void StreamObject::forget() {
  const auto at = live_streams().find(handle_);
  if (at == live_streams().end() || at->second.stream != stream_.get()) return;
  if (--at->second.objects == 0 && stream_.get() != cd_rt_default_stream())
    live_streams().erase(at);
}

// Where it is the last to hold the stream, that is destroyed.
void StreamObject::let_go() {
  if (!stream_.get()) return;
  forget();
  StreamHandle stream = std::move(stream_);
  beside_the_gil(device_, [&] { stream = StreamHandle(); });
}

StreamObject::~StreamObject() { let_go(); }

void StreamObject::close() {
  let_go();
  of_ = nb::object();
}

bool StreamObject::same_as(const StreamObject& other) const {
  return handle_ == other.handle_ && device_ == other.device_;
}

void drop_finished() {
  for (abi::Owner* owner = cd_rt_take_finished(); owner;) {
    abi::Owner* next = owner->next;
    delete static_cast<Owner*>(owner);
    owner = next;
  }
}

namespace {

nb::object new_stream(int device, bool nonblocking, std::optional<int> priority) {
  const abi::StreamOptions asked{nonblocking, priority.has_value(), priority.value_or(0)};
  dispatch::Outcome outcome;
  dispatch::Stream* const made = cd_rt_device_stream(device, &asked, &outcome);
  throw_unless_ok(outcome);
  return nb::cast(new StreamObject(StreamHandle::taken(made)), nb::rv_policy::take_ownership);
}

nb::object default_stream(int device) {
  return nb::cast(new StreamObject(StreamHandle::shared(default_stream_of(device))),
                  nb::rv_policy::take_ownership);
}

nb::object stream_from_handle(uint64_t handle) {
  return nb::cast(new StreamObject(stream_with_handle(handle)), nb::rv_policy::take_ownership);
}

nb::object stream_from(nb::object object) {
  StreamHandle found = stream_named(object, "stream");
  if (!found.get())
    throw nb::type_error(
        ("expected an object with __cuda_stream__, found '" + type_text(object) + "'").c_str());
  return nb::cast(new StreamObject(std::move(found), std::move(object)),
                  nb::rv_policy::take_ownership);
}

abi::StreamOptions options_of(StreamObject& self) {
  abi::StreamOptions options;
  dispatch::Outcome outcome;
  cd_rt_stream_options(self.get(), &options, &outcome);
  throw_unless_ok(outcome);
  return options;
}

template <class T>
std::string shown_as(const char* type, const T& self) {
  const std::string which = self.closed() ? "closed" : "of " + device_text(self.device());
  return std::string("<cuda.device.core.") + type + " " + which + ">";
}

void register_stream_type(nb::module_& module) {
  nb::class_<StreamObject> stream(
      module, "Stream",
      "A queue of launches on a device: they run in order, beside those of other streams.");
  stream
      .def("__init__",
           [](StreamObject*, const nb::args&, const nb::kwargs&) {
             throw nb::type_error(
                 "streams are made by cuda.device.core.Device().create_stream(); "
                 "Stream.from_handle(handle) takes one of another library");
           })
      .def(
          "sync", [](StreamObject& s) { sync_stream(s.share().get()); },
          "Waits until everything queued so far is done; raises the first error of a kernel.")
      .def_prop_ro(
          "handle", [](StreamObject& s) { return cd_rt_stream_handle(s.get()); },
          "A number that names the stream while it lives; of a GPU's, its address.")
      .def_prop_ro(
          "is_nonblocking", [](StreamObject& s) { return options_of(s).nonblocking; },
          "Whether it does not wait for the device's default stream by itself.")
      .def_prop_ro(
          "priority", [](StreamObject& s) { return options_of(s).priority; },
          "The lower, the more urgent; 0 on the host device.")
      .def_prop_ro("is_closed", &StreamObject::closed, "Whether close() was called.")
      .def("__repr__", [](const StreamObject& s) { return shown_as("Stream", s); })
      .def_prop_ro(
          "device", [](StreamObject& s) { return device_object(cd_rt_stream_device(s.get())); },
          "The device that its work runs on.")
      .def_prop_ro(
          "is_done",
          [](StreamObject& s) {
            const StreamHandle stream = s.share();
            return beside_the_gil(s.device(), [&] { return cd_rt_stream_query(stream.get()); });
          },
          "Whether nothing is queued or running.")
      .def(
          "__cuda_stream__",
          [](StreamObject& s) { return nb::make_tuple(0, cd_rt_stream_handle(s.get())); },
          "(0, handle). Only cuda.device can use the handle of a host stream.")
      .def("wait", wait_for, nb::arg("event_or_stream").none(),
           "What is queued from now on waits for the event, or for all that the other stream holds "
           "now; they may be of another device.\n\n"
           "event_or_stream: an Event, a Stream, or any object with __cuda_stream__.")
      .def("record", record, nb::arg("event").none() = nb::none(),
           nb::arg("options").none() = nb::none(),
           "An event that is done when everything queued so far is done.")
      .def("close", &StreamObject::close,
           "Lets go of the stream; what is queued still runs. A stream of another library stays.")
      .def_static("from_handle", stream_from_handle, nb::arg("handle"),
                  "The stream of another library with this address, which that library keeps; 0, 1 "
                  "and 2 are the default streams of the current context.")
      .def(
          "__eq__",
          [](StreamObject& s, nb::handle other) {
            return nb::isinstance<StreamObject>(other) &&
                   s.same_as(*nb::inst_ptr<StreamObject>(other));
          },
          nb::arg("other").none())
      .def("__hash__", [](StreamObject& s) { return static_cast<Py_hash_t>(s.hash()); });
  stream_type = reinterpret_cast<PyTypeObject*>(stream.ptr());
}

void register_event_type(nb::module_& module) {
  nb::class_<EventObject>(
      module, "Event",
      "A point in a stream's work. `end - start` is the time between two events in ms.")
      .def(nb::init<bool, int>(), nb::arg("timing") = true, nb::arg("device") = kHostDevice)
      .def(
          "sync",
          [](const EventObject& e) {
            const std::shared_ptr<dispatch::Event> event = e.share();
            sync_event(event.get());
          },
          "Waits until the event is done.")
      .def_prop_ro(
          "is_done",
          [](const EventObject& e) {
            const std::shared_ptr<dispatch::Event> event = e.share();
            return beside_the_gil(e.device(), [&] { return cd_rt_event_query(event.get()); });
          },
          "Whether the work before the event is done.")
      .def_prop_ro(
          "device", [](EventObject& e) { return device_object(e.device()); },
          "The device of its stream; before it is recorded, the one that it was made for.")
      .def_prop_ro("is_timing_enabled", &EventObject::timing,
                   "Whether it may be subtracted from another event.")
      .def_prop_ro("is_closed", &EventObject::closed, "Whether close() was called.")
      .def("__repr__", [](const EventObject& e) { return shown_as("Event", e); })
      .def("close", &EventObject::close, "Lets go of the event. What waits for it still does.")
      .def("__sub__", elapsed, nb::arg().none(),
           nb::sig("def __sub__(self, earlier: Event, /) -> float"),
           "Milliseconds between two events that are done.");
}

}  // namespace

void register_streams(nb::module_& module) {
  register_stream_type(module);
  register_event_type(module);
  module.def("create_stream", new_stream, nb::arg("device") = kHostDevice,
             nb::arg("nonblocking") = true, nb::arg("priority").none() = nb::none());
  module.def("default_stream", default_stream, nb::arg("device") = kHostDevice);
  module.def("stream_from", stream_from, nb::arg("object"));
  module.def("sync_device", sync_device, nb::arg("device"));
  module.def("shutdown", shutdown);
}

}  // namespace cuda_device::bindings
