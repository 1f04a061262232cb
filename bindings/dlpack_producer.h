// Objects with __dlpack__ and __dlpack_device__, and what they give.
#pragma once

#include "bindings/python.h"

namespace cuda_device::bindings {

struct DlpackNames {
  nb::object device = interned("__dlpack_device__"), dlpack = interned("__dlpack__");
};
const DlpackNames& dlpack_names();  // as long as the process

// A capsule, of version 1 where the producer knows it. `stream`: what it is told of the stream that
// it is to be safe on; null: nothing. What a producer raises while it exports is thrown.
nb::object capsule_of(nb::handle producer, const nb::object& stream = {});

}  // namespace cuda_device::bindings
