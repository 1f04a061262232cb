// Objects with __dlpack__ and __dlpack_device__, and what they give.
#pragma once

#include "bindings/python.h"

namespace cuda_device::bindings {

struct DlpackNames {
  nb::object device = interned("__dlpack_device__"), dlpack = interned("__dlpack__");
};
const DlpackNames& dlpack_names();  // as long as the process

// What a producer is asked for beside the version that is known here; null: nothing is said of it.
struct CapsuleRequest {
  nb::object stream;     // that the tensor is to be safe on
  nb::object dl_device;  // where it is to be
  nb::object copy;
};

// A capsule, of version 1 where the producer knows it. One that does not know the keywords is asked
// without, and may give a tensor elsewhere. What it raises while it exports is thrown.
nb::object capsule_of(nb::handle producer, const CapsuleRequest& request = {});

// Whether the producer's __cuda_array_interface__ says that its array is read-only, which a tensor
// from before version 1 cannot. False where there is none, or none that can be read.
bool cuda_interface_is_read_only(nb::handle producer);

}  // namespace cuda_device::bindings
