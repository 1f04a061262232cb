// Element types of DLPack (DEV-DLP-09, DEV-DLP-10).
#pragma once

#include <optional>

#include "interop/dlpack_abi.h"
#include "interop/refusal.h"
#include "support/dtype.h"

namespace cuda_device::interop::dlpack {

// Whether elements are several numbers each: complex numbers, vectors. Their dtype is a record's,
// which the caller knows.
inline bool has_parts(DataType type) { return type.lanes != 1 || type.code == kComplex; }

inline int64_t bytes_of(DataType type) { return int64_t{type.bits} / 8 * type.lanes; }

// The number that an element is; nothing where it is several, or none.
std::optional<ScalarKind> scalar_of(DataType type);

// Sets the dtype of the same format, that of a part where there are several, or says why elements
// of this type cannot be read.
std::optional<Refusal> read_type(DataType type, DtypeId& dtype);

}  // namespace cuda_device::interop::dlpack
