// Capsules as SYCL's libraries exchange them.
#pragma once

#include "bindings/python.h"

namespace cuda_device::bindings {

// The name of a capsule, or None for another object.
nb::object capsule_name(nb::handle object);

// The pointer of a capsule of one of SYCL's names.
uint64_t capsule_pointer(nb::handle capsule);

// A new "SyclContextRef" that owns `context`, which the function at `free` frees. Who takes the
// context out of it calls the capsule "used_SyclContextRef" and leaves the context with it: it is
// freed under either name.
nb::object sycl_context_capsule(uint64_t context, uint64_t free);

}  // namespace cuda_device::bindings
