// What values are modulo powers of two: the value that all lanes share, or the base of an affine
// one. What makes `//` and `%` by a power of two of an affine value affine, or one for all lanes:
// (base + 5 * lane) // 32 with a base that is a multiple of 32. And where in a line an access
// begins.
#pragma once

#include "analysis/shape_transfer.h"

namespace cuda_device::analysis {

Congruence congruence_of(uint64_t number);

// Either of the two.
Congruence join(Congruence a, Congruence b);
Congruence add(Congruence a, Congruence b);
Congruence multiply(Congruence a, Congruence b);

// Nothing is known of a varying value.
Congruence congruence_of(const ir::Inst& inst, const ShapeContext& context);

Congruence counter_congruence(const ir::Inst& loop, const ShapeContext& context);

}  // namespace cuda_device::analysis
