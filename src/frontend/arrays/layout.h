// How the elements of an array lie in the memory behind it. A view is kept in its structure: an
// index of it becomes one index for each axis of the memory, so that `row = a[y]; row[x]` accesses
// what `a[y, x]` does, by the same instruction.
//
// The memory is the base itself, or a window: part of its bytes with extents and strides of its
// own, which is what view(dtype) and reshape() need where axes of the base are not enough.
#pragma once

#include <optional>
#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

// The index on it is start + the sum of (index of the view's axis) * by.
struct MemoryAxis {
  struct Step {
    uint8_t axis;  // of the view
    Value by;
  };
  Value start;
  std::vector<Step> steps;
};

struct ViewAxis {
  int8_t whole = Value::kOwnExtent;  // the axis of the memory whose extent it has
  Value extent;                      // int64, where it has its own
};

// A window of the bytes of the base, all numbers int64.
struct Window {
  Value offset;
  std::vector<Value> shape, strides;
};

struct Layout {
  std::optional<Window> window;
  bool packed = false;
  std::vector<MemoryAxis> memory;
  std::vector<ViewAxis> axes;
};

Layout layout_of(const Value::Array& array);
// The array with other elements, in another layout.
Value::Array view_of(const Value::Array& array, const DataType& element, Layout layout);
// A window of the base's bytes, with each axis as it is.
Layout layout_of(Window window);
// What is known of the place of elements of so many bytes and is no multiple of their size.
std::optional<std::string> misplaced(const Window& window, int64_t bytes);

// --- numbers, constants where they are known ---
Value int64_constant(__int128 value);
bool is_exactly(const Value& v, __int128 value);
Value sum(Context& ctx, const Value& a, const Value& b, const Node* node);
Value difference(Context& ctx, const Value& a, const Value& b, const Node* node);
Value product(Context& ctx, const Value& a, const Value& b, const Node* node);
Value quotient(Context& ctx, const Value& a, const Value& b, const Node* node);

// Those of one axis, in elements and in bytes.
Value extent_in(Context& ctx, const Value::Array& array, const Layout& layout, size_t axis);
Value stride_in(Context& ctx, const Value::Array& array, const Layout& layout, size_t axis);
// The extent if it is known without instructions.
std::optional<__int128> known_extent(const Context& ctx, const Value::Array& array,
                                     const Layout& layout, size_t axis);
// Bytes of an element of the memory that the view lies in.
uint32_t element_bytes_of_base(Context& ctx, const Value::Array& array);
// What the elements of the view are as a window of the base.
Window window_of(Context& ctx, const Value::Array& array, const Layout& layout, const Node* node);

// The memory and an index for each of its axes: what an access takes. `at` has an index of each
// axis of the view, none negative.
std::vector<Inst*> operands_at(Context& ctx, const Value::Array& array, const Layout& layout,
                               const std::vector<Value>& at, const Node* node);

// The same view with extents of its own, as a variable has it that stands for several; `ctx` null:
// of an abstract value.
Value with_own_extents(Context* ctx, const Value::Array& array);

}  // namespace cuda_device::frontend
