#include "bindings/memory/watched.h"

#include "abi/memory_kind.h"
#include "bindings/numpy.h"
#include "dispatch/memory_api.h"

namespace cuda_device::bindings {
namespace {

constexpr const char* kName = "cuda.device.watched";

}  // namespace

Watched Watched::of(const abi::Allocation& where) {
  return where.ours ? Watched{where.base, where.serial} : Watched{};
}

bool Watched::is_gone() const {
  if (serial == 0) return false;
  abi::Allocation now;
  cd_rt_memory_find(base, &now);
  return now.serial != serial;
}

nb::object watching(const Watched& memory) {
  return checked(PyCapsule_New(new Watched(memory), kName, [](PyObject* capsule) {
    delete static_cast<Watched*>(PyCapsule_GetPointer(capsule, kName));
  }));
}

Watched watched_by(PyObject* array) {
  PyObject* base = PyArray_BASE(reinterpret_cast<PyArrayObject*>(array));
  while (base && PyArray_Check(base)) base = PyArray_BASE(reinterpret_cast<PyArrayObject*>(base));
  if (!base || !PyCapsule_CheckExact(base) || PyCapsule_GetName(base) != kName) return {};
  return *static_cast<const Watched*>(PyCapsule_GetPointer(base, kName));
}

}  // namespace cuda_device::bindings
