// Objects with __dlpack__ as arguments.
#include "bindings/dlpack_producer.h"
#include "bindings/launch/call.h"
#include "bindings/launch/elements.h"
#include "bindings/launch/interface.h"
#include "bindings/memory/formats.h"
#include "bindings/memory/tensor.h"
#include "interop/dlpack_tensor.h"
#include "interop/dlpack_type.h"

namespace cuda_device::bindings {
namespace {

namespace dlpack = interop::dlpack;
using interop::Refusal;

struct Device {
  long type;
  int id;
};

// A number, or -1.
long number_of(nb::handle object) {
  if (!PyLong_Check(object.ptr()) && !PyIndex_Check(object.ptr())) return -1;
  int overflow = 0;
  const long number =
      PyLong_AsLongAndOverflow(checked(PyNumber_Index(object.ptr())).ptr(), &overflow);
  return overflow ? -1 : number;
}

Device device_of(Call& call, PyObject* object) {
  nb::object pair = checked(PyObject_CallMethodNoArgs(object, dlpack_names().device.ptr()));
  const bool is_pair = PyTuple_Check(pair.ptr()) && nb::len(pair) == 2;
  const long type = number_of(is_pair ? nb::object(pair[0]) : pair);
  const long id = is_pair ? number_of(nb::object(pair[1])) : 0;
  if (type < 0)
    call.fail(DiagCode::dlpack_refused,
              {"__dlpack_device__() returned no (device type, device id)"});
  return {type, static_cast<int>(id)};
}

// Whether the producer is to order its work before that of a stream: its word for where the array
// lives is taken. Of pinned memory libraries may know no streams.
bool asks_for_stream(Device device) {
  if (device.type == dlpack::kCuda) return true;
  return device.type == dlpack::kCudaManaged && cd_rt_gpu_count() > 0;
}

// What the producer is told; null: nothing. Ours know where they were used last, which is seen to
// when it is known where the launch runs.
nb::object stream_for(Call& call, PyObject* producer, Device device) {
  if (device.type == dlpack::kCpu) return {};
  if (std::shared_ptr<MemoryBlock> ours = memory_of(producer)) {
    call.use(std::move(ours));
    return checked(PyLong_FromLong(-1));
  }
  if (!asks_for_stream(device)) return {};
  return checked(PyLong_FromLongLong(call.where().dlpack_stream()));
}

template <class M>
void release(void* p) {
  auto* managed = static_cast<M*>(p);
  if (managed->deleter) managed->deleter(managed);
}

struct Taken {
  abi::ArrayView view;
  dlpack::DataType type;
};

// Takes over a capsule that holds an M: its deleter is ours to call, whatever the tensor is. False
// where the capsule holds something else.
template <class M>
bool take(Call& call, PyObject* capsule, Taken& taken) {
  if (!PyCapsule_IsValid(capsule, M::kCapsule)) return false;
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, M::kCapsule));
  checked(PyCapsule_SetName(capsule, M::kUsedCapsule));
  checked(PyCapsule_SetDestructor(capsule, nullptr));
  call.owners().keep(managed, release<M>);
  if (std::optional<Refusal> refusal = dlpack::read(*managed, taken.view)) call.fail(*refusal);
  taken.type = managed->tensor.dtype;
  return true;
}

void add_taken(Call& call, Taken& taken) {
  if (!dlpack::has_parts(taken.type)) return call.add_array(taken.view);
  ElementWord word{};
  taken.view.dtype = read_elements(call, dtype_of(taken.type).ptr(), word);
  call.add_array(taken.view, &word);
}

}  // namespace

void live_on(Call& call, int64_t type, int number) {
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
  nb::object has_device = optional_attr(object, dlpack_names().device);
  nb::object has_dlpack = optional_attr(object, dlpack_names().dlpack);
  if (!has_device || !has_dlpack || PyType_Check(object)) return false;
  const Device device = device_of(call, object);
  if (device.type == dlpack::kOneApi && has_interface(object)) return false;
  live_on(call, device.type, device.id);
  nb::object capsule;
  try {
    capsule = capsule_of(object, stream_for(call, object, device));
  } catch (const nb::python_error& error) {
    // Elements that DLPack has no name for, such as structs (DEV-ARR-23).
    if (error.matches(PyExc_BufferError) && has_interface(object)) return false;
    throw;
  }
  Taken taken;
  if (!take<dlpack::ManagedVersioned>(call, capsule.ptr(), taken) &&
      !take<dlpack::Managed>(call, capsule.ptr(), taken))
    call.fail(DiagCode::dlpack_refused, {"__dlpack__() returned no unused DLPack capsule"});
  live_on(call, taken.view.device_type, taken.view.device_id);
  add_taken(call, taken);
  return true;
}

}  // namespace cuda_device::bindings
