// Numbers between Python and memory, in any format that memory knows.
#pragma once

#include "bindings/python.h"
#include "support/scalar.h"

namespace cuda_device::bindings {

// What a conversion is for, in messages: "component x of int8x2", or as `given`.
struct ConversionPlace {
  const char* owner;
  int component;
  const char* given = nullptr;
  std::string text() const;
};

// Writes a number as device.T(value) makes one: of Python's numbers what lies outside the format's
// range is an OverflowError (DEV-FIX-14), of NumPy's it wraps, rounds and saturates as it does in a
// kernel. TypeError for what is no real number, arrays and strings among them.
void store_component(ScalarKind to, void* at, PyObject* value, const ConversionPlace& place);

// The same of a number whose type converts without loss, Python's numbers that are in range among
// them; TypeError for others.
void store_lossless(ScalarKind to, void* at, PyObject* value, const ConversionPlace& place);

// NumPy's scalar of that format, or ml_dtypes'.
nb::object load_component(ScalarKind from, const void* at);

// As constants of the IR hold it: integers extended to 64 bits, floats as the bits of their format.
int64_t component_bits(ScalarKind kind, const void* at);

}  // namespace cuda_device::bindings
