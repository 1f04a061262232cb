// Element types of DLPack (DEV-DLP-09, DEV-DLP-10).
#pragma once

#include <optional>

#include "interop/dlpack_abi.h"
#include "interop/refusal.h"
#include "support/dtype.h"

namespace cuda_device::interop::dlpack {

// Sets the dtype of the same format, or says why elements of this type cannot be read.
std::optional<Refusal> read_type(DataType type, DtypeId& dtype);

}  // namespace cuda_device::interop::dlpack
