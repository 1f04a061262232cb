// Buffer: bytes of a device under cuda.core's names, and the functions about memory.
#include <array>
#include <cstring>

#include "bindings/errors.h"
#include "bindings/memory/memory.h"
#include "bindings/memory/tensor.h"
#include "bindings/runtime/devices.h"

namespace cuda_device::bindings {
namespace {

using abi::MemoryKind;

class BufferObject {
 public:
  BufferObject(std::shared_ptr<MemoryBlock> memory, nb::object resource)
      : memory_(std::move(memory)), resource_(std::move(resource)) {}
  bool closed() const { return !memory_; }
  MemoryBlock& memory() const {
    if (closed()) throw nb::value_error("the buffer is closed: its memory was freed");
    return *memory_;
  }
  std::shared_ptr<MemoryBlock> shared() const {
    (void)memory();
    return memory_;
  }
  uint64_t handle() const { return closed() ? 0 : memory_->address(); }
  uint64_t size() const { return closed() ? 0 : memory_->bytes(); }
  const nb::object& resource() const { return resource_; }
  void close(nb::handle stream) {
    const std::shared_ptr<MemoryBlock> memory = memory_;  // what the stream is may close it, too
    if (!memory) return;
    if (!stream.is_none()) memory->free_in(Ordering::of(stream, memory->device(), "close"));
    memory_.reset();
  }

 private:
  std::shared_ptr<MemoryBlock> memory_;
  nb::object resource_;
};

BufferObject* allocate(int device, const std::string& kind, int64_t size, nb::handle stream,
                       const nb::object& resource) {
  if (size < 0)
    throw nb::value_error(
        ("allocate(): the size is " + std::to_string(size) + " bytes; 0 or more were expected")
            .c_str());
  return new BufferObject(
      MemoryBlock::allocate(device, kind_named(kind), static_cast<uint64_t>(size),
                            Ordering::of(stream, device, "allocate")),
      resource);
}

// Whose the address is tells the driver, or our registry; what neither knows is the process's.
BufferObject* from_handle(uint64_t address, uint64_t size, nb::handle resource, nb::handle owner) {
  if (!resource.is_none())
    throw nb::type_error(
        "Buffer.from_handle() takes no mr: memory resources free what they have allocated "
        "themselves only; give the object that keeps the memory as owner");
  if (address == 0 && size != 0)
    throw nb::value_error("Buffer.from_handle(): 0 is no address of memory");
  abi::Allocation where;
  cd_rt_memory_find(address, &where);
  if (where.bytes != 0 && where.bytes - (address - where.base) < size)
    throw nb::value_error(("Buffer.from_handle(): " + std::to_string(size) +
                           " bytes do not fit the allocation, which ends " +
                           std::to_string(where.bytes - (address - where.base)) +
                           " bytes after the address")
                              .c_str());
  return new BufferObject(MemoryBlock::of_python(where, address, size, owner), nb::none());
}

// The GPU whose streams a copy between two blocks goes by, or the host device.
int leading_device(const MemoryBlock& to, const MemoryBlock& from) {
  return to.on_host() ? from.device() : to.device();
}

Ordering needed_order(nb::handle stream, int device, const char* caller) {
  if (stream.is_none())
    throw nb::type_error((std::string(caller) +
                          "() needs a stream; device.default_stream is the one of launches "
                          "without stream=")
                             .c_str());
  return Ordering::of(stream, device, caller);
}

// What a copy by a host stream keeps until it is done.
struct Both {
  std::shared_ptr<MemoryBlock> to, from;
};

// Another thread may close the buffers meanwhile: their memory stays until this returns.
void copy(const BufferObject& buffer, const BufferObject& other, nb::handle stream,
          const char* caller) {
  const Both both{buffer.shared(), other.shared()};
  MemoryBlock &to = *both.to, &from = *both.from;
  if (to.bytes() != from.bytes())
    throw nb::value_error((std::string(caller) + "(): the buffers have " +
                           std::to_string(from.bytes()) + " and " + std::to_string(to.bytes()) +
                           " bytes; equal sizes were expected")
                              .c_str());
  const int device = leading_device(to, from);
  const Ordering ordering = needed_order(stream, device, caller);
  MemoryBlock& leading = to.on_host() ? from : to;
  for (MemoryBlock* block : {&to, &from})
    if (!block->on_host()) block->last_use().move_to(ordering);
  // Plain memory of the host must not be freed under a copy that the GPU still makes.
  const bool plain = to.on_host() || from.on_host();
  const bool waits = device != abi::kHostDevice && plain;
  if (waits) leading.last_use().wait();
  dispatch::CopyRequest request{to.bytes(),       {}, {}, {}, to.address(), from.address(), device,
                                ordering.stream()};
  if (device == abi::kHostDevice) request.keep = std::make_shared<Both>(both);
  if (to.bytes())
    without_gil([&](dispatch::Outcome* outcome) { cd_rt_memory_copy(&request, outcome); });
  if (waits) leading.last_use().wait_to_the_end();
}

nb::object copy_to(nb::handle self, nb::object to, nb::handle stream) {
  const auto& from = *nb::inst_ptr<BufferObject>(self);
  if (to.is_none()) {
    const nb::object resource = from.resource();
    if (resource.is_none())
      throw nb::value_error(
          "copy_to(): the buffer has no memory resource; give a buffer to copy to");
    to = resource.attr("allocate")(from.size(), nb::arg("stream") = stream);
  }
  if (!nb::isinstance<BufferObject>(to))
    throw nb::type_error(("copy_to() expects a Buffer, found '" + type_text(to) + "'").c_str());
  copy(*nb::inst_ptr<BufferObject>(to), from, stream, "copy_to");
  return to;
}

void copy_from(const BufferObject& self, nb::handle from, nb::handle stream) {
  if (!nb::isinstance<BufferObject>(from))
    throw nb::type_error(("copy_from() expects a Buffer, found '" + type_text(from) + "'").c_str());
  copy(self, *nb::inst_ptr<BufferObject>(from), stream, "copy_from");
}

// An int is one byte; bytes are the element that is written over and over.
std::string element_of(nb::handle value) {
  if (PyLong_Check(value.ptr())) {
    int overflow = 0;
    const long number = PyLong_AsLongAndOverflow(value.ptr(), &overflow);
    if (overflow || number < 0 || number > 255) {
      PyErr_SetString(PyExc_OverflowError,
                      ("fill(): " + shown(value) + " does not fit a byte, 0 to 255").c_str());
      throw nb::python_error();
    }
    return std::string(1, static_cast<char>(number));
  }
  if (!PyObject_CheckBuffer(value.ptr()))
    throw nb::type_error(
        ("fill() expects an int or bytes, found '" + type_text(value) + "'").c_str());
  const nb::object bytes = checked(PyBytes_FromObject(value.ptr()));
  std::string element(PyBytes_AS_STRING(bytes.ptr()),
                      static_cast<size_t>(PyBytes_GET_SIZE(bytes.ptr())));
  if (element.size() != 1 && element.size() != 2 && element.size() != 4)
    throw nb::value_error(("fill(): the element has " + std::to_string(element.size()) +
                           " bytes; 1, 2 or 4 were expected")
                              .c_str());
  return element;
}

void fill(const BufferObject& self, nb::handle value, nb::handle stream) {
  const std::string element = element_of(value);
  const std::shared_ptr<MemoryBlock> kept = self.shared();  // as copy() says
  MemoryBlock& memory = *kept;
  if (memory.bytes() % element.size() != 0)
    throw nb::value_error(("fill(): " + std::to_string(memory.bytes()) +
                           " bytes are no whole number of " + std::to_string(element.size()) +
                           "-byte elements")
                              .c_str());
  const Ordering ordering = needed_order(stream, memory.device(), "fill");
  if (!memory.on_host()) memory.last_use().move_to(ordering);
  dispatch::FillRequest request;
  request.to = memory.address();
  request.count = memory.bytes() / element.size();
  request.element_bytes = static_cast<int>(element.size());
  std::memcpy(&request.element, element.data(), element.size());
  request.gpu = memory.device();
  request.stream = ordering.stream();
  if (memory.on_host()) request.keep = kept;
  without_gil([&](dispatch::Outcome* outcome) { cd_rt_memory_fill(&request, outcome); });
}

// As cuda.core gives a buffer away: bytes, signed.
Tensor tensor_of(const BufferObject& self) {
  Tensor tensor;
  tensor.memory = self.shared();
  tensor.data = self.handle();
  tensor.type = {interop::dlpack::kInt, 8, 1};
  tensor.shape = {static_cast<int64_t>(self.size())};
  tensor.strides = {1};
  return tensor;
}

// The buffer protocol, where the host reaches the memory. What is queued is waited for first.
int get_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  view->obj = nullptr;
  try {
    const BufferObject& buffer = *nb::inst_ptr<BufferObject>(nb::handle(self));
    const std::shared_ptr<MemoryBlock> kept = buffer.shared();
    MemoryBlock& memory = *kept;
    if (!memory.host_reaches())
      throw nb::buffer_error(
          "the buffer lies in memory of a GPU, which the host does not reach; copy it to a buffer "
          "of a PinnedMemoryResource");
    if (!memory.on_host()) memory.last_use().wait();
    nb::object keeper = keeper_of(kept);  // the view outlives close()
    checked(PyBuffer_FillInfo(view, self, reinterpret_cast<void*>(memory.address()),
                              static_cast<Py_ssize_t>(memory.bytes()), 0, flags));
    view->internal = keeper.release().ptr();
    return 0;
  } catch (...) {
    set_current_exception();
  }
  return -1;
}

void release_buffer(PyObject*, Py_buffer* view) {
  Py_XDECREF(static_cast<PyObject*>(view->internal));
}

std::string buffer_repr(const BufferObject& self) {
  if (self.closed()) return "<cuda.device.core.Buffer closed>";
  const MemoryBlock& memory = self.memory();
  const std::string kind =
      memory.on_host() ? "" : std::string(abi::name_of(memory.kind())) + " memory of ";
  const std::string where = kind + device_text(memory.device());
  return "<cuda.device.core.Buffer of " + std::to_string(memory.bytes()) + " bytes, " + where + ">";
}

nb::dict figures(int device) {
  abi::MemoryFigures found;
  without_gil([&](dispatch::Outcome* outcome) { cd_rt_memory_figures(device, &found, outcome); });
  nb::dict result;
  result["free"] = found.free;
  result["total"] = found.total;
  result["in_use"] = found.in_use;
  result["allocations"] = found.allocations;
  result["kept"] = found.kept;
  return result;
}

// (device, kind, first address, bytes, ours) of the allocation that holds an address.
nb::tuple find(uint64_t address) {
  abi::Allocation found;
  cd_rt_memory_find(address, &found);
  return nb::make_tuple(found.device, abi::name_of(found.kind), found.base, found.bytes,
                        found.ours);
}

PyType_Slot buffer_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                              {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                              {0, nullptr}};

}  // namespace

void register_buffers(nb::module_& module) {
  nb::class_<BufferObject> type(module, "Buffer", nb::type_slots(buffer_slots),
                                "Memory of a device, as a memory resource allocates it. Freed when "
                                "nothing uses it any more.");
  type.def_prop_ro("handle", &BufferObject::handle, "Its address; 0 when closed or of size 0.")
      .def_prop_ro("size", &BufferObject::size, "Bytes; 0 when closed.")
      .def_prop_ro(
          "device_id",
          [](const BufferObject& b) { return b.memory().on_host() ? 0 : b.memory().device(); },
          "Number of the device, as Device.device_id.")
      .def_prop_ro(
          "is_host_accessible", [](const BufferObject& b) { return b.memory().host_reaches(); },
          "Whether the host reads and writes it in place.")
      .def_prop_ro(
          "is_device_accessible", [](const BufferObject& b) { return (void)b.memory(), true; },
          "Whether kernels of its device read and write it.")
      .def_prop_ro(
          "is_managed",
          [](const BufferObject& b) { return b.memory().kind() == MemoryKind::Managed; },
          "Whether it moves between host and device as it is used.")
      .def_prop_ro(
          "memory_resource", [](const BufferObject& b) { return b.resource(); },
          "What allocated it.")
      .def_prop_ro("is_closed", &BufferObject::closed, "Whether close() was called.")
      .def_static("from_handle", from_handle, nb::arg("ptr"), nb::arg("size"),
                  nb::arg("mr").none() = nb::none(), nb::arg("owner").none() = nb::none(),
                  nb::rv_policy::take_ownership,
                  "Memory of another owner: `size` bytes at the address, which are not freed here; "
                  "owner, where given, is kept as long. Raises ValueError where the allocation "
                  "that holds the address has fewer bytes after it, TypeError for mr.")
      .def("__enter__", [](nb::object self) { return self; })
      .def(
          "__exit__",
          [](BufferObject& self, nb::handle, nb::handle, nb::handle) { self.close(nb::none()); },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none())
      .def("close", &BufferObject::close, nb::arg("stream").none() = nb::none(),
           "Frees the memory, in the order of the stream: that of the allocation where none is "
           "given. Views of it keep it until they go.")
      .def("copy_to", copy_to, nb::arg("dst").none() = nb::none(), nb::kw_only(),
           nb::arg("stream").none(),
           "Queues a copy into dst, a Buffer of the same size, or a new one of the same resource; "
           "gives dst.")
      .def("copy_from", copy_from, nb::arg("src"), nb::kw_only(), nb::arg("stream").none(),
           "Queues a copy of src, a Buffer of the same size, into this one.")
      .def("fill", fill, nb::arg("value"), nb::kw_only(), nb::arg("stream").none(),
           "Queues writing of value over and over: an int from 0 to 255, or 1, 2 or 4 bytes.")
      .def("__repr__", buffer_repr);
  define_dlpack(type, tensor_of, "A DLPack capsule of int8.");

  module.def("allocate", allocate, nb::arg("device"), nb::arg("kind"), nb::arg("size"),
             nb::arg("stream").none(), nb::arg("resource").none(), nb::rv_policy::take_ownership);
  module.def("memory_figures", figures, nb::arg("device"));
  module.def("memory_find", find, nb::arg("address"));
  module.def(
      "memory_trim",
      [](int device) {
        without_gil([&](dispatch::Outcome* outcome) { cd_rt_memory_trim(device, outcome); });
      },
      nb::arg("device"));
}

}  // namespace cuda_device::bindings
