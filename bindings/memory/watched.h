// Memory of ours that an array has by its address alone, from a dictionary without an owner: it may
// be freed under the array, which launches find out (CAI-LIFE-02).
#pragma once

#include "bindings/python.h"

namespace cuda_device::abi {
struct Allocation;
}

namespace cuda_device::bindings {

struct Watched {
  uint64_t base = 0;    // of the allocation
  uint64_t serial = 0;  // 0: nothing is watched

  static Watched of(const abi::Allocation& where);
  bool is_gone() const;
};

// The base of a NumPy array over such memory.
nb::object watching(const Watched& memory);
// What the base of an array, or of the array that it is a view of, watches.
Watched watched_by(PyObject* array);

}  // namespace cuda_device::bindings
