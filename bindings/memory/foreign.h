// Arrays of other libraries that are described by a dictionary, as arrays of NumPy or of ours.
#pragma once

#include <vector>

#include "abi/memory_kind.h"
#include "bindings/python.h"

namespace cuda_device::bindings {

// What another library says of an array of its own; `low` and `high` bound its bytes.
struct Foreign {
  uint64_t address, low, high;
  std::vector<int64_t> shape, strides;
  nb::object dtype;
  bool read_only;
  nb::object owner;  // None: the caller keeps the memory
  uint64_t stream;   // whose work comes before; 0: nothing is waited for
};

// NumPy's array of memory of the host, ours of memory that a GPU reaches. Throws ValueError for
// memory that is not there.
nb::object foreign_array(const Foreign& given);

// Whether the environment lets the stream that a producer names be waited for (CAI-NB-04).
bool waits_for_producers();

}  // namespace cuda_device::bindings
