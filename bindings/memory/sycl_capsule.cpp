#include "bindings/memory/sycl_capsule.h"

namespace cuda_device::bindings {
namespace {

constexpr const char* kContext = "SyclContextRef";
constexpr const char* kUsedContext = "used_SyclContextRef";

using Free = void (*)(void*);

void destroy(PyObject* capsule) {
  for (const char* name : {kContext, kUsedContext}) {
    if (!PyCapsule_IsValid(capsule, name)) continue;
    const auto free = reinterpret_cast<Free>(PyCapsule_GetContext(capsule));
    free(PyCapsule_GetPointer(capsule, name));
    return;
  }
}

}  // namespace

nb::object capsule_name(nb::handle object) {
  if (!PyCapsule_CheckExact(object.ptr())) return nb::none();
  const char* const name = PyCapsule_GetName(object.ptr());
  return nb::str(name ? name : "");
}

uint64_t capsule_pointer(nb::handle capsule) {
  void* const pointer = PyCapsule_GetPointer(capsule.ptr(), PyCapsule_GetName(capsule.ptr()));
  if (!pointer) throw nb::python_error();
  return reinterpret_cast<uint64_t>(pointer);
}

nb::object sycl_context_capsule(uint64_t context, uint64_t free) {
  nb::object capsule = checked(PyCapsule_New(reinterpret_cast<void*>(context), kContext, &destroy));
  checked(PyCapsule_SetContext(capsule.ptr(), reinterpret_cast<void*>(free)));
  return capsule;
}

}  // namespace cuda_device::bindings
