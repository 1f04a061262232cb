// Congruences of values modulo powers of two: of the value that all lanes share, or of the base of
// an affine one. They make `//` and `%` by a power of two of an affine value affine or uniform, as
// in (base + 5 * lane) // 32 with a base that is a multiple of 32, and tell where in a line an
// access begins, and whether all lanes lie on one side of what they are compared with.
#pragma once

#include "analysis/lanes/shape_transfer.h"

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
