// Indices of arrays: integers, slices, new axes and ellipses.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/arrays/layout.h"

namespace cuda_device::frontend {

// One for each axis of the result or of the array: an integer, a slice, or None for a new axis;
// with where it stands.
using Indices = std::vector<std::pair<Value, const Node*>>;

// Ellipses and axes without an index become whole slices. Reports what does not index an array of
// so many dimensions. `type` gives its text, for messages.
std::optional<Indices> indices_of(Context& ctx, const std::function<std::string()>& type,
                                  size_t ndim, const Value& index, const syntax::Subscript* node);

// An integer that counts from the end where it is negative, as one that counts from the start. The
// extent is asked for only where the sign is not known.
Value counted_from_start(Context& ctx, const Value& index, const Node* node,
                         const std::function<Value()>& extent);
// The same for an index on one axis, with a check where both are known.
Value counted_index(Context& ctx, const Value::Array& array, const Layout& layout,
                    const Value& index, size_t axis, const Node* node);

// lower:upper:step on an axis as Python takes it.
struct SliceOfAxis {
  Value start, step, extent;  // int64
};
std::optional<SliceOfAxis> slice_of_axis(Context& ctx, const Value::Slice& slice,
                                         const std::function<Value()>& extent, const Node* node);

}  // namespace cuda_device::frontend
