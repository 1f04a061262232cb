// Element formats of arrays in memory of GPUs: NumPy's dtypes as DLPack names them, and back.
#pragma once

#include <optional>

#include "bindings/python.h"
#include "interop/dlpack_abi.h"

namespace cuda_device::bindings {

// Nothing for what has no such name: objects, text, dates, structs, foreign byte orders.
std::optional<interop::dlpack::DataType> dlpack_type(nb::handle dtype);
// The same, vectors, which have several lanes, and records of another structured dtype, which
// DLPack has no name for: opaque, of so many bytes. Nothing for those that hold Python objects or
// have more than 65,535 bytes.
std::optional<interop::dlpack::DataType> element_type(nb::handle dtype);
inline bool is_opaque(interop::dlpack::DataType type) {
  return type.code == interop::dlpack::kOpaque;
}
// Elements with fields.
inline bool is_record(interop::dlpack::DataType type) { return is_opaque(type) || type.lanes > 1; }
// Formats that NumPy knows by ml_dtypes alone.
bool is_of_ml_dtypes(interop::dlpack::DataType type);
// A vector's for two to four lanes. Throws BufferError for elements that kernels do not take.
nb::object dtype_of(interop::dlpack::DataType type);

}  // namespace cuda_device::bindings
