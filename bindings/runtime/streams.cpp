#include "bindings/runtime/streams.h"

#include <optional>
#include <unordered_map>

#include "bindings/errors.h"
#include "bindings/launch/call.h"
#include "bindings/runtime/printed.h"

namespace cuda_device::bindings {
namespace {

// How long a wait may last before Python looks for Ctrl-C.
constexpr int kSliceMilliseconds = 50;

PyTypeObject* stream_type = nullptr;

// Live streams by handle; used with the GIL held only.
std::unordered_map<uint64_t, rt::Stream*>& live_streams() {
  static auto* streams = new std::unordered_map<uint64_t, rt::Stream*>();
  return *streams;
}

class EventObject {
 public:
  explicit EventObject(bool timing = true) : timing_(timing), event_(cd_rt_event_create()) {}
  ~EventObject() { cd_rt_event_release(event_); }
  EventObject(const EventObject&) = delete;
  rt::Event* get() const { return event_; }
  bool timing() const { return timing_; }

 private:
  const bool timing_;
  rt::Event* event_;
};

// wait(milliseconds, outcome) in slices, without the GIL, until it is over or a signal's handler
// raises.
template <class Wait>
void wait_interruptibly(Wait wait) {
  for (;;) {
    rt::Outcome outcome;
    {
      const WithoutGil released;
      wait(kSliceMilliseconds, &outcome);
    }
    drop_finished();
    write_printed();
    checked(PyErr_CheckSignals());
    if (outcome.status == rt::Status::Timeout) continue;
    if (outcome.status == rt::Status::Ok) return;
    set_outcome(outcome, {}, "");
    throw nb::python_error();
  }
}

void sync(rt::Stream* stream) {
  wait_interruptibly([=](int ms, rt::Outcome* out) { cd_rt_stream_sync(stream, ms, out); });
}

// The error that is raised says what the others were.
void add_note(nb::python_error& error, const std::string& text) {
  error.value().attr("add_note")(text);
}

// Every stream that there is now, those too that nobody holds any more but their work. The first
// error is raised when all have been waited for, an interrupt at once.
void sync_all() {
  std::optional<nb::python_error> first;
  const auto collect = [&](auto&& wait) {
    try {
      wait();
    } catch (const nb::python_error& e) {
      if (!e.matches(PyExc_Exception)) throw;
      if (first)
        add_note(*first, "and: " + to_string(nb::object(nb::str(e.value()))));
      else
        first.emplace(e);
    }
  };
  std::vector<rt::Stream*> streams;
  cd_rt_all_streams(&streams);
  std::vector<StreamHandle> handles;
  handles.reserve(streams.size());
  for (rt::Stream* stream : streams) handles.push_back(StreamHandle::taken(stream));
  for (const StreamHandle& stream : handles) collect([&] { sync(stream.get()); });
  collect([] {
    rt::Outcome outcome;
    cd_rt_take_lost_error(&outcome);
    if (outcome.status == rt::Status::Ok) return;
    set_outcome(outcome, {}, "");
    throw nb::python_error();
  });
  if (first) throw nb::python_error(*first);
}

// Of the process's end. Ctrl-C ends the wait; the workers are then left where they are.
void shutdown() {
  try {
    sync_all();
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_Exception)) throw;
    e.discard_as_unraisable("work that was queued when the process ended");
  }
  {
    const WithoutGil released;
    cd_rt_shutdown();
  }
  drop_finished();
}

void wait_for(StreamObject& self, nb::handle other) {
  if (nb::isinstance<EventObject>(other)) {
    cd_rt_stream_wait(self.get(), nb::inst_ptr<EventObject>(other)->get());
  } else if (nb::isinstance<StreamObject>(other)) {
    EventObject event;
    cd_rt_event_record(event.get(), nb::inst_ptr<StreamObject>(other)->get());
    cd_rt_stream_wait(self.get(), event.get());
  } else {
    throw nb::type_error(
        ("wait() expects an Event or a Stream, found '" + type_text(other) + "'").c_str());
  }
}

nb::object record(StreamObject& self, nb::object event) {
  if (event.is_none()) event = nb::cast(new EventObject(), nb::rv_policy::take_ownership);
  if (!nb::isinstance<EventObject>(event))
    throw nb::type_error(("record() expects an Event, found '" + type_text(event) + "'").c_str());
  cd_rt_event_record(nb::inst_ptr<EventObject>(event)->get(), self.get());
  return event;
}

double elapsed(EventObject& later, EventObject& earlier) {
  for (EventObject* event : {&earlier, &later})
    if (!event->timing())
      throw std::runtime_error("an event that was made with enable_timing=False has no time");
    else if (cd_rt_event_seconds(event->get()) == 0)
      throw std::runtime_error("an event that was not recorded or is not done yet has no time");
  return 1e3 * (cd_rt_event_seconds(later.get()) - cd_rt_event_seconds(earlier.get()));
}

// (0, handle) as __cuda_stream__ gives it: a method, or in early versions of the protocol a
// property.
uint64_t handle_of(PyObject* object, const nb::object& protocol, const std::string& kernel) {
  nb::object pair = PyCallable_Check(protocol.ptr()) ? protocol() : protocol;
  bool good = PyTuple_Check(pair.ptr()) && PyTuple_GET_SIZE(pair.ptr()) == 2 &&
              PyLong_Check(PyTuple_GET_ITEM(pair.ptr(), 0)) &&
              PyLong_Check(PyTuple_GET_ITEM(pair.ptr(), 1));
  nb::object text = checked(PyObject_Repr(pair.ptr()));
  std::vector<std::string> args = {kernel, "'" + type_text(object) + "'", to_string(text)};
  if (!good) throw LaunchError{DiagCode::stream_protocol, std::move(args)};
  int overflow = 0;
  if (PyLong_AsLongAndOverflow(PyTuple_GET_ITEM(pair.ptr(), 0), &overflow) != 0 || overflow)
    throw LaunchError{DiagCode::stream_version, std::move(args)};
  unsigned long long handle = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(pair.ptr(), 1));
  if (PyErr_Occurred()) {
    PyErr_Clear();
    throw LaunchError{DiagCode::stream_protocol, std::move(args)};
  }
  return handle;
}

}  // namespace

StreamObject::StreamObject(StreamHandle stream) : stream_(std::move(stream)) {
  live_streams()[cd_rt_stream_handle(get())] = get();
}

// The default stream has an object for each who asks for it, and stays.
StreamObject::~StreamObject() {
  if (get() != cd_rt_default_stream()) live_streams().erase(cd_rt_stream_handle(get()));
}

StreamHandle stream_of(PyObject* object, const std::string& kernel) {
  if (Py_TYPE(object) == stream_type)
    return StreamHandle::shared(nb::inst_ptr<StreamObject>(object)->get());
  static PyObject* const name = PyUnicode_InternFromString("__cuda_stream__");
  nb::object protocol = PyType_Check(object) ? nb::object() : optional_attr(object, name);
  if (!protocol) throw LaunchError{DiagCode::stream_type, {kernel, "'" + type_text(object) + "'"}};
  uint64_t handle = handle_of(object, protocol, kernel);
  auto at = live_streams().find(handle);
  if (at != live_streams().end()) return StreamHandle::shared(at->second);
  throw LaunchError{DiagCode::stream_cuda,
                    {kernel, "'" + type_text(object) + "'", std::to_string(handle)}};
}

void drop_finished() {
  for (abi::Owner* owner = cd_rt_take_finished(); owner;) {
    abi::Owner* next = owner->next;
    delete static_cast<Owner*>(owner);
    owner = next;
  }
}

void register_streams(nb::module_& module) {
  nb::class_<StreamObject> stream(
      module, "Stream",
      "A queue of launches on the host device: they run in order, beside those of other streams.");
  stream
      .def(
          "sync", [](StreamObject& s) { sync(s.get()); },
          "Waits until everything queued so far is done; raises the first error of a kernel.")
      .def_prop_ro(
          "handle", [](StreamObject& s) { return cd_rt_stream_handle(s.get()); },
          "A number that names the stream while it lives.")
      .def_prop_ro(
          "is_done", [](StreamObject& s) { return cd_rt_stream_query(s.get()); },
          "Whether nothing is queued or running.")
      .def(
          "__cuda_stream__",
          [](StreamObject& s) { return nb::make_tuple(0, cd_rt_stream_handle(s.get())); },
          "(0, handle). The handle names a host stream: only cuda.device can launch on it.")
      .def("wait", wait_for, nb::arg("event_or_stream"),
           "What is queued from now on waits for the event, or for all that the other stream holds "
           "now.")
      .def("record", record, nb::arg("event").none() = nb::none(),
           "An event that is done when everything queued so far is done.");
  stream_type = reinterpret_cast<PyTypeObject*>(stream.ptr());

  nb::class_<EventObject>(module, "Event", "A point in a stream's work.")
      .def(nb::init<bool>(), nb::arg("timing") = true)
      .def(
          "sync",
          [](EventObject& e) {
            wait_interruptibly(
                [&](int ms, rt::Outcome* out) { cd_rt_event_sync(e.get(), ms, out); });
          },
          "Waits until the event is done.")
      .def_prop_ro(
          "is_done", [](EventObject& e) { return cd_rt_event_query(e.get()); },
          "Whether the work before the event is done.")
      .def("__sub__", elapsed, "Milliseconds between two events that are done.");

  module.def(
      "create_stream", [] { return new StreamObject(StreamHandle::taken(cd_rt_stream_create())); },
      nb::rv_policy::take_ownership);
  module.def(
      "default_stream",
      [] { return new StreamObject(StreamHandle::shared(cd_rt_default_stream())); },
      nb::rv_policy::take_ownership);
  module.def("sync_all", sync_all);
  module.def("shutdown", shutdown);
}

}  // namespace cuda_device::bindings
