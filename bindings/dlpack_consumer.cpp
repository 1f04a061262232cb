#include "bindings/dlpack_consumer.h"

#include <climits>

#include "bindings/dlpack_producer.h"
#include "dispatch/memory_api.h"
#include "interop/dlpack_tensor.h"
#include "interop/dlpack_type.h"
#include "interop/span.h"

namespace cuda_device::bindings {
namespace {

namespace dlpack = interop::dlpack;
using interop::Refusal;

std::optional<int64_t> value_of(PyObject* integer) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(integer, &overflow);
  if (number == -1 && PyErr_Occurred()) throw nb::python_error();
  return overflow ? std::nullopt : std::optional<int64_t>(number);
}

// Nothing for what is no whole number, or does not fit.
std::optional<int64_t> integer(PyObject* object) {
  if (PyLong_CheckExact(object)) return value_of(object);
  if (!PyLong_Check(object) && !PyIndex_Check(object)) return std::nullopt;
  return value_of(checked(PyNumber_Index(object)).ptr());
}

template <class M>
void release_tensor(void* p) {
  auto* managed = static_cast<M*>(p);
  if (managed->deleter) managed->deleter(managed);
}

// Null where the capsule holds something else.
template <class M>
M* consumed(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, M::kCapsule)) return nullptr;
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, M::kCapsule));
  checked(PyCapsule_SetName(capsule, M::kUsedCapsule));
  checked(PyCapsule_SetDestructor(capsule, nullptr));
  return managed;
}

}  // namespace

nb::object said_device(nb::handle producer) {
  return checked(PyObject_CallMethodNoArgs(producer.ptr(), dlpack_names().device.ptr()));
}

std::optional<ProducerDevice> device_of(nb::handle said) {
  const bool sequence = PyTuple_Check(said.ptr()) || PyList_Check(said.ptr());
  if (!sequence || PySequence_Fast_GET_SIZE(said.ptr()) != 2) return std::nullopt;
  const nb::object first = nb::borrow(PySequence_Fast_GET_ITEM(said.ptr(), 0)),
                   second = nb::borrow(PySequence_Fast_GET_ITEM(said.ptr(), 1));
  const std::optional<int64_t> type = integer(first.ptr()), id = integer(second.ptr());
  if (!type || *type < 0 || !id || *id < INT32_MIN || *id > INT32_MAX) return std::nullopt;
  return ProducerDevice{*type, static_cast<int32_t>(*id)};
}

ManagedTensor::ManagedTensor(dlpack::ManagedVersioned* managed)
    : owned_(managed, release_tensor<dlpack::ManagedVersioned>),
      tensor_(&managed->tensor),
      version_(managed) {}

ManagedTensor::ManagedTensor(dlpack::Managed* managed)
    : owned_(managed, release_tensor<dlpack::Managed>), tensor_(&managed->tensor) {}

std::optional<ManagedTensor> ManagedTensor::of_capsule(nb::handle capsule) {
  if (auto* managed = consumed<dlpack::ManagedVersioned>(capsule.ptr()))
    return ManagedTensor(managed);
  if (auto* managed = consumed<dlpack::Managed>(capsule.ptr())) return ManagedTensor(managed);
  return std::nullopt;
}

std::optional<Refusal> ManagedTensor::view(abi::ArrayView& view) const {
  return version_ ? dlpack::read(*version_, view) : dlpack::read(*tensor_, false, view);
}

// Why the memory of a tensor that was read is not there. Memory of a GPU is not asked about.
static std::optional<Refusal> check_memory(abi::ArrayView& view, int64_t item,
                                           interop::KnownAccess& known) {
  if (view.device_type == dlpack::kCuda) return std::nullopt;
  const std::optional<interop::Span> span = interop::span_of(view, item);
  if (!span || known.check(span->low, span->high, view.read_only)) return std::nullopt;
  if (view.device_type != dlpack::kCpu) {  // at addresses that may be the GPU's
    abi::Allocation found;
    cd_rt_memory_find(span->low, &found);
    if (found.bytes != 0) return std::nullopt;
  }
  return Refusal{DiagCode::dlpack_refused,
                 {"the elements of the tensor take the bytes " + std::to_string(span->low) +
                  " to " + std::to_string(span->high) + ", which this process cannot read"}};
}

std::optional<Refusal> ManagedTensor::read(abi::ArrayView& seen,
                                           interop::KnownAccess& known) const {
  const std::optional<Refusal> refusal = view(seen);
  return refusal ? refusal : check_memory(seen, dlpack::bytes_of(tensor_->dtype), known);
}

}  // namespace cuda_device::bindings
