// Objects with __dlpack__ as arguments.
#include "bindings/dlpack_consumer.h"
#include "bindings/dlpack_exchange.h"
#include "bindings/dlpack_producer.h"
#include "bindings/launch/call.h"
#include "bindings/launch/elements.h"
#include "bindings/memory/formats.h"
#include "bindings/memory/tensor.h"
#include "interop/dlpack_tensor.h"
#include "interop/dlpack_type.h"

namespace cuda_device::bindings {
namespace {

namespace dlpack = interop::dlpack;
using interop::Refusal;

// Whether the producer is to order its work before that of a stream: its word for where the array
// lives is taken. Of pinned memory libraries may know no streams.
bool asks_for_stream(ProducerDevice device) {
  if (device.type == dlpack::kCuda) return true;
  return device.type == dlpack::kCudaManaged && cd_rt_gpu_count() > 0;
}

// What the producer is told; null: nothing. Ours know where they were used last, which is seen to
// when it is known where the launch runs.
nb::object stream_for(Call& call, PyObject* producer, ProducerDevice device) {
  if (device.type == dlpack::kCpu) return {};
  if (std::shared_ptr<MemoryBlock> ours = memory_of(producer)) {
    call.use(std::move(ours));
    return checked(PyLong_FromLong(-1));
  }
  if (!asks_for_stream(device)) return {};
  return checked(PyLong_FromLongLong(call.where().dlpack_stream()));
}

ProducerDevice checked_device_of(Call& call, const Method& says) {
  const std::optional<ProducerDevice> device = device_of(checked(says.call()));
  if (!device)
    call.fail(DiagCode::dlpack_refused,
              {"__dlpack_device__() returned no (device type, device id)"});
  return *device;
}

void add_tensor(Call& call, PyObject* object, abi::ArrayView& view, dlpack::DataType type) {
  if (std::optional<Refusal> refusal = refuse_negated(object, view, type)) call.fail(*refusal);
  live_on(call, view.device_type, view.device_id);
  if (!dlpack::has_parts(type)) return call.add_array(view);
  ElementWord word{};
  view.dtype = read_elements(call, dtype_of(type).ptr(), word);
  call.add_array(view, &word);
}

// The launch comes after what the producer has queued on the stream where it works, and what it
// queues there later after the launch.
void order_with(Call& call, const dlpack::ExchangeApi& exchange, const abi::ArrayView& view) {
  if (!asks_for_stream({view.device_type, view.device_id}) || call.where().asks_nothing()) return;
  void* stream = nullptr;
  if (exchange.current_work_stream(view.device_type, view.device_id, &stream) != 0)
    throw nb::python_error();
  call.use_of_producer(view.device_id, reinterpret_cast<uint64_t>(stream));
}

// Null: the producer's __dlpack__ says why it does not give it away.
dlpack::ManagedVersioned* managed_by(const dlpack::ExchangeApi& exchange, PyObject* object) {
  dlpack::ManagedVersioned* managed = nullptr;
  if (exchange.managed_tensor_from_py_object_no_sync(object, &managed) == 0) return managed;
  const nb::python_error error;
  if (!error.matches(PyExc_Exception)) throw error;  // Ctrl-C
  return nullptr;
}

}  // namespace

// PyTorch's functions give conjugated tensors away as if they were not, which its __dlpack__
// refuses.
static bool may_be_conjugated(dlpack::DataType type) { return type.code == dlpack::kComplex; }

// For a launch that is done before its caller lets go of the tensor. False where it may not be.
static bool add_viewed(Call& call, const dlpack::ExchangeApi& api, PyObject* object) {
  dlpack::Tensor tensor;
  if (api.dltensor_from_py_object_no_sync(object, &tensor) != 0) {
    const nb::python_error error;
    if (!error.matches(PyExc_Exception)) throw error;  // Ctrl-C
    return false;
  }
  if (tensor.device.type != dlpack::kCpu || may_be_conjugated(tensor.dtype)) return false;
  abi::ArrayView view;
  if (std::optional<Refusal> refusal = dlpack::read(tensor, false, view)) call.fail(*refusal);
  add_tensor(call, object, view, tensor.dtype);
  return true;
}

bool add_exchanged(Call& call, PyObject* object) {
  const Exchange exchange = exchange_of(object);
  if (!exchange.api) return false;
  if (exchange.views && !call.asynchronous() && add_viewed(call, *exchange.api, object))
    return true;
  dlpack::ManagedVersioned* const managed = managed_by(*exchange.api, object);
  if (!managed) return false;
  ManagedTensor tensor(managed);
  call.owners().keep(tensor.get(), tensor.deleter());
  (void)tensor.release();
  abi::ArrayView view;
  if (std::optional<Refusal> refusal = tensor.view(view)) call.fail(*refusal);
  if (may_be_conjugated(tensor.type())) return false;
  view.read_only = view.read_only || is_read_only_beside_tensor(object, false);
  add_tensor(call, object, view, tensor.type());
  order_with(call, *exchange.api, view);
  return true;
}

void live_on(Call& call, int64_t type, int number) {
  if (type == dlpack::kCpu) [[likely]]
    return call.live_on_host();
  const bool gpus = type != dlpack::kCuda || call.where().runs_on(number) || cd_rt_gpu_count() > 0;
  if (std::optional<Refusal> refusal = dlpack::refuse_device(type, gpus)) call.fail(*refusal);
  switch (type) {
    case dlpack::kCuda:
      return call.live_on_gpu(number);
    case dlpack::kCudaManaged:
      return call.live_in_managed(number);
    case dlpack::kCudaHost:
      return call.live_in_pinned();
    default:
      return call.live_on_host();
  }
}

bool add_dlpack(Call& call, PyObject* object) {
  if (PyType_Check(object)) return false;
  const std::optional<Method> says = Method::of(object, dlpack_names().device);
  if (!says) return false;
  const std::optional<Method> exports = Method::of(object, dlpack_names().dlpack);
  if (!exports) return false;
  const ProducerDevice device = checked_device_of(call, *says);
  // A launch cannot reach it, or not by DLPack's word: another interface may say more.
  if (dlpack::refuse_device(device.type) && add_interface(call, object)) return true;
  live_on(call, device.type, device.id);
  nb::object capsule;
  try {
    capsule = capsule_of(*exports, {stream_for(call, object, device), {}, {}});
  } catch (const nb::python_error& error) {
    // Elements that DLPack has no name for, such as structs (DEV-ARR-23).
    if (error.matches(PyExc_BufferError) && add_interface(call, object)) return true;
    call.pass_on(error);
  }
  std::optional<ManagedTensor> tensor = ManagedTensor::of_capsule(capsule);
  if (!tensor)
    call.fail(DiagCode::dlpack_refused, {"__dlpack__() returned no unused DLPack capsule"});
  call.owners().keep(tensor->get(), tensor->deleter());
  (void)tensor->release();
  abi::ArrayView view;
  if (std::optional<Refusal> refusal = tensor->read(view, call.access)) {
    if (add_interface(call, object)) return true;
    call.fail(*refusal);
  }
  view.read_only = view.read_only || is_read_only_beside_tensor(object, tensor->is_legacy());
  add_tensor(call, object, view, tensor->type());
  return true;
}

}  // namespace cuda_device::bindings
