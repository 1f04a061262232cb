// DLPack tensors as arrays (DEV-DLP-08 to -11): all that can be told without asking the producer.
#pragma once

#include <optional>

#include "abi/array_view.h"
#include "interop/dlpack_abi.h"
#include "interop/refusal.h"

namespace cuda_device::interop::dlpack {

// Why memory of this device type is out of reach of every device there is; nothing where the CPU,
// or a GPU if there are any, reads and writes it like its own. Any number may come: it is what a
// producer says.
std::optional<Refusal> refuse_device(int64_t type, bool gpus = true);

// Fills in the view of a tensor, which stays the producer's, or says why it cannot be read; then
// the view is not to be used. Of elements that has_parts, its dtype is that of a part. That its
// elements have addresses is seen to, not that there is memory.
std::optional<Refusal> read(const Tensor& tensor, bool read_only, abi::ArrayView& view);
std::optional<Refusal> read(const ManagedVersioned& managed, abi::ArrayView& view);

}  // namespace cuda_device::interop::dlpack
