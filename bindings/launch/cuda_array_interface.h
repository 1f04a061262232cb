// Dictionaries of the CUDA Array Interface in their frequent form, which launches read without
// Python's code: of Python's own classes, without a mask.
#pragma once

#include <optional>

#include "abi/array_view.h"
#include "bindings/python.h"
#include "interop/span.h"

namespace cuda_device::bindings {

struct CudaArray {
  abi::ArrayView view;  // without its device, which only its address says
  interop::Span span;   // of its elements
  nb::object dtype;     // of elements of several numbers each; null: the view's says all
  uint64_t stream = 0;  // CUDA's handle of the stream to wait for; 0: there is none

  bool is_empty() const { return span.low == span.high; }
};

// Nothing: it is malformed, or says what only cuda.device._interfaces reads.
std::optional<CudaArray> read_cuda_array_interface(PyObject* dictionary);

}  // namespace cuda_device::bindings
