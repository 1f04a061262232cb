#include "bindings/memory/exchange.h"

#include "bindings/errors.h"
#include "bindings/memory/formats.h"
#include "bindings/memory/numpy_tensor.h"
#include "bindings/memory/tensor.h"
#include "bindings/numpy.h"
#include "bindings/runtime/devices.h"
#include "bindings/runtime/streams.h"

namespace cuda_device::bindings {
namespace {

namespace dlpack = interop::dlpack;
using abi::MemoryKind;

// 0, or -1 and a Python exception.
template <class F>
int status_of(F&& f) noexcept {
  const auto done = [&] {
    f();
    return nb::none();
  };
  const nb::object result = nb::steal(guarded(done));
  return result ? 0 : -1;
}

// What is used on a stream of its own goes to where consumers queue their work, and comes back in
// its order.
Tensor tensor_of(nb::handle object) {
  const Tensor* const ours = tensor_of_array(object.ptr());
  if (!ours) {
    sync_device(abi::kHostDevice);  // consumers have no stream to wait for it
    return tensor_of_host_array(object);
  }
  const MemoryBlock& memory = *ours->memory;
  if (!memory.on_host())
    ours->memory->last_use().move_to(Ordering(default_stream_of(memory.device()), nullptr));
  return *ours;
}

int managed_tensor_of(void* object, dlpack::ManagedVersioned** made) {
  return status_of([&] { *made = exported(tensor_of(static_cast<PyObject*>(object))); });
}

// Memory of the host becomes an array of the Array API, as those of GPUs are.
int object_of(dlpack::ManagedVersioned* managed, void** object) {
  return status_of([&] {
    const nb::object array = array_of(imported(ManagedTensor(managed)));
    const nb::module_ host = nb::module_::import_("cuda.device._host_arrays");
    *object = nb::object(host.attr("given")(array)).release().ptr();
  });
}

int current_stream(int32_t type, int32_t id, void** stream) {
  return status_of([&] {
    const bool on_gpu = type != dlpack::kCpu && cd_rt_gpu_count() > 0;
    *stream =
        on_gpu ? reinterpret_cast<void*>(cd_rt_stream_handle(default_stream_of(id))) : nullptr;
  });
}

Tensor empty_like(const dlpack::Tensor& prototype) {
  (void)dtype_of(prototype.dtype);  // that it is one
  Tensor tensor;
  tensor.type = prototype.dtype;
  tensor.shape.assign(prototype.shape, prototype.shape + prototype.ndim);
  tensor.strides = compact_strides(tensor.shape, tensor.item_bytes());
  const MemoryKind kind = kind_of(prototype.device);
  const bool on_host = kind == MemoryKind::Host;
  tensor.memory =
      MemoryBlock::allocate(on_host ? abi::kHostDevice : prototype.device.id, kind, tensor.bytes());
  tensor.data = tensor.memory->address();
  return tensor;
}

// Callers may have no GIL, and want no Python exception.
int allocate(dlpack::Tensor* prototype, dlpack::ManagedVersioned** made, void* context,
             dlpack::ExchangeApi::SetError set_error) {
  const WithGil gil;
  if (status_of([&] { *made = exported(empty_like(*prototype)); }) == 0) return 0;
  const nb::python_error error;
  const bool no_memory = error.matches(PyExc_MemoryError);
  const std::string kind =
      no_memory ? "MemoryError" : to_string(nb::object(error.type().attr("__name__")));
  const nb::object text = checked(PyObject_Str(error.value().ptr()));
  if (set_error) set_error(context, kind.c_str(), to_string(text).c_str());
  return -1;
}

dlpack::ExchangeApi table = {
    {dlpack::kExchangeVersion, nullptr},
    allocate,
    managed_tensor_of,
    object_of,
    nullptr,  // it could not say that an array is read-only
    current_stream,
};

}  // namespace

nb::object exchange_capsule() {
  return checked(PyCapsule_New(&table, dlpack::ExchangeApi::kCapsule, nullptr));
}

}  // namespace cuda_device::bindings
