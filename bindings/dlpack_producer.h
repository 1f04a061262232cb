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

// Whether the producer's array may not be stored to though its tensor does not say so: one from
// before version 1 cannot, where the CUDA Array Interface beside it may; and arrays of JAX never
// change.
bool is_read_only_beside_tensor(nb::handle producer, bool is_legacy);

}  // namespace cuda_device::bindings
