// Memory of the host as NumPy's arrays and as tensors, without a copy either way.
#pragma once

#include "bindings/memory/tensor.h"

namespace cuda_device::bindings {

// NumPy's array of that memory, which `base` keeps. Strides in bytes.
nb::object numpy_array(uint64_t data, const nb::object& dtype, const std::vector<int64_t>& shape,
                       const std::vector<int64_t>& strides, bool writable, nb::object base);

// The memory of a NumPy array, which the tensor does not keep. `type`: of its elements.
Tensor tensor_of_numpy(nb::handle array, interop::dlpack::DataType type);

// A NumPy array as a tensor that keeps it. BufferError for elements that DLPack has no type for.
Tensor tensor_of_host_array(nb::handle array);

// __dlpack__ of a NumPy array: a capsule with that tensor.
nb::object export_host_array(nb::handle array, nb::object stream, nb::object max_version,
                             nb::object dl_device, nb::object copy);

}  // namespace cuda_device::bindings
