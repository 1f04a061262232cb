// One operation on two numbers of a format, with the meaning that it has in a kernel.
#pragma once

#include <cstdint>

#include "support/scalar.h"

namespace cuda_device::bindings {

enum class VectorOp : uint8_t { Add, Sub, Mul, Div, FloorDiv, Mod, Pow, And, Or, Xor, Shl, Shr };

// Numbers are as constants of the IR hold them. What is only stored is computed in the wider format
// and rounded once.
int64_t compute(VectorOp op, ScalarKind kind, int64_t a, int64_t b);
int64_t negated(ScalarKind kind, int64_t a);
int64_t magnitude(ScalarKind kind, int64_t a);
int64_t inverted(ScalarKind kind, int64_t a);  // of integers
// A power of an integer; that of a negative exponent is truncated.
int64_t integer_power(ScalarKind kind, int64_t base, int64_t exponent, bool negative);

int64_t converted(ScalarKind from, ScalarKind to, int64_t a);

}  // namespace cuda_device::bindings
