// Powers of two that values are multiples of: the value that all lanes share, or the base of an
// affine one. What makes `//` and `%` by a power of two of an affine value affine, or one for all
// lanes: (base + 5 * lane) // 32 with a base that is a multiple of 32.
#pragma once

#include "analysis/shape_transfer.h"

namespace cuda_device::analysis {

inline constexpr uint32_t kMostFactor = 1U << 30;  // of 0

// The largest known one; 1 of a varying value.
uint32_t factor_of(const ir::Inst& inst, const ShapeContext& context);

uint32_t counter_factor(const ir::Inst& loop, const ShapeContext& context);

}  // namespace cuda_device::analysis
