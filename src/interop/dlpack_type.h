// Element types of DLPack (DEV-DLP-09, DEV-DLP-10).
#pragma once

#include <optional>

#include "interop/dlpack_abi.h"
#include "interop/refusal.h"
#include "support/scalar.h"

namespace cuda_device::interop::dlpack {

// Sets the scalar of the same format, or says why elements of this type cannot be read.
std::optional<Refusal> read_type(DataType type, ScalarKind& scalar);

}  // namespace cuda_device::interop::dlpack
