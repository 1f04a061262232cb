// Warp masks while a kernel is lowered (DEV-WARP). A mask is a record of one field, the uint32 with
// a bit for each lane; where a number is wanted it is an int32.
#pragma once

#include <optional>

#include "frontend/calls/calls.h"
#include "frontend/context.h"

namespace cuda_device::frontend {

constexpr int kLanes = 32;  // of a warp

bool is_mask(const Value& v);
// The uint32 of a mask.
const Value& mask_bits(const Value& mask);
Value mask_of_bits(Value bits);
// A mask as the int32 that it is; others as they are.
Value number_of_mask(Context& ctx, const Value& v, const Node* node);
// A mask, or the mask that an integer stands for: its low 32 bits, or a constant from -2**31 to
// 2**32 - 1. Unknown, after an error, for others; `what` takes the mask.
Value as_mask(Context& ctx, const Value& v, const Node* node, const std::string& what);

// device.WarpMask(bits)
Value construct_mask(Context& ctx, const Arguments& a);
// mask[i]
Value mask_lane(Context& ctx, const Value& mask, const Value& index, const Node* node);
// The mask after mask[i] = value.
Value with_lane(Context& ctx, const Value& mask, const Value& index, const Value& value,
                const Node* index_node, const Node* node);
// An operator on two values of which one is a mask; nothing: they are to be taken for numbers.
std::optional<Value> mask_binary(Context& ctx, BinaryOp op, const Value& a, const Value& b,
                                 const Node* node, const Node* left, const Node* right);
Value mask_complement(Context& ctx, const Value& mask);

// An operand of a comparison of which one is a mask: the bits of a mask, and an integer that stands
// for one as those. Others are as they are, below or above all masks.
Value compared_bits(Context& ctx, const Value& v, const Node* node);

// A method of masks, bound; nothing: what there is has the int32 that the mask is.
std::optional<Value> mask_attribute(const Value& mask, const std::string& name);
Value call_mask_method(Context& ctx, const Value& mask, Method method, const Arguments& a);

}  // namespace cuda_device::frontend
