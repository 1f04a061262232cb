// Ranges as values: which numbers they have, and where.
#pragma once

#include "frontend/context.h"

namespace cuda_device::frontend {

// How many numbers it has, not below zero.
Value range_size(Context& ctx, const Value::Range& range, const Node* node);
// x in range
Value is_in_range(Context& ctx, const Value::Range& range, const Value& x, const Node* node);
// The position of a number that is in the range.
Value position_in_range(Context& ctx, const Value::Range& range, const Value& x, const Node* node);
// range[lower:upper:step]
Value part_of_range(Context& ctx, const Value::Range& range, const Value::Slice& slice,
                    const Node* node);
// range[index]; a constant index that is certainly outside is reported, and at another one that is
// outside the kernel fails.
Value number_of_range(Context& ctx, const Value::Range& range, const Value& index,
                      const Node* node);
// Ranges are equal where their numbers are.
Value equal_ranges(Context& ctx, const Value::Range& a, const Value::Range& b, const Node* node);

}  // namespace cuda_device::frontend
