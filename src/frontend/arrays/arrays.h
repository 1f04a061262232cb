// Arrays: attributes, elements, views; those of the kernel's own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/calls/calls.h"
#include "frontend/context.h"

namespace cuda_device::frontend {

struct Intrinsic;

Value array_attribute(Context& ctx, const syntax::Attribute* node, const Value::Array& array);
// The type as a value: a.dtype.
Value dtype_value(const DataType& type);
Value extent_value(Context& ctx, const Value::Array& array, int axis);
// The extents or strides of all axes, as a tuple; `op` is Extent or Stride.
Value extents(Context& ctx, const Value::Array& array, Op op);
Value array_size(Context& ctx, const Value::Array& array, const Node* node);

// --- elements ---
// The index on each axis, none negative; reports what does not index an element.
std::optional<std::vector<Value>> element_indices(Context& ctx, const Value::Array& array,
                                                  const Value& index,
                                                  const syntax::Subscript* node);
// One operand per axis, the array first; reports what does not index an element.
std::optional<std::vector<Inst*>> element_operands(Context& ctx, const Value::Array& array,
                                                   const Value& index,
                                                   const syntax::Subscript* node);
// The source of one of several indices.
const Node* index_node(const syntax::Subscript* node, size_t i);
bool check_index(Context& ctx, const Value& index, const Node* node);
Value load_element(Context& ctx, const Value::Array& array, std::vector<Inst*> operands);
void store_element(Context& ctx, const Value::Array& array, std::vector<Inst*> operands,
                   const Value& value, const Node* source);
bool check_writable(Context& ctx, const Value::Array& array, const Node* target);

// --- views: other arrays over the same memory ---
// Whether a[index] is one; otherwise it is an element.
bool makes_view(const Context& ctx, size_t ndim, const Value& index);
inline bool makes_view(const Context& ctx, const Value::Array& array, const Value& index) {
  return makes_view(ctx, array.type.ndim, index);
}
Value sliced(Context& ctx, const Value::Array& array, const Value& index,
             const syntax::Subscript* node);
// What iteration gives at a place of the first axis, which is not negative: an element, or a view.
Value at_first_axis(Context& ctx, const Value::Array& array, const Value& place, const Node* node);
Value transposed(const Value::Array& array);
// a["x"] of an array of structs: the array of that field; a sub-array's axes are the last ones.
Value field_of_elements(Context& ctx, const Value::Array& array, const std::string& name,
                        const syntax::Subscript* node);
// What lies `offset` bytes into each element, as the elements of an array with the same axes. Those
// of a sub-array or vector have axes of their own, the last ones.
Value::Array part_of_elements(Context& ctx, const Value::Array& array, uint32_t offset,
                              const DataType& type, const Node* node);
Value call_array_method(Context& ctx, const Value::Array& array, Method method, const Arguments& a);

// --- atomics.cpp: references to elements that are accessed atomically ---
// a[index] of an array whose elements are atomic or have parts that are.
Value reference_to(Context& ctx, const Value::Array& array, const Value& index,
                   const syntax::Subscript* node);
// The reference to the one element of such an array without dimensions.
Value reference_within(Context& ctx, const Value::Array& element, const Node* node);
Value atomic_attribute(Context& ctx, const syntax::Attribute* node, const Value::Array& ref);
Value struct_ref_attribute(Context& ctx, const syntax::Attribute* node, const Value::Array& ref);
Value attribute_of_atomic_type(Context& ctx, const syntax::Attribute* node, const RecordRef& type);

// --- atomic_methods.cpp ---
Value call_atomic_method(Context& ctx, const Value::Array& ref, Method method, const Arguments& a);
// Reports that an element is atomic or has parts that are, so it is not set as a whole.
void atomic_assigned(Context& ctx, const Value::Array& array, const Node* node);

// --- fill.cpp: assignment to a view ---
// a[1:3] = value, element by element.
void fill(Context& ctx, const Value::Array& view, const Value& value, const Node* target,
          const Node* source);
// a[1:3] += operand
void fill_augmented(Context& ctx, const Value::Array& view, BinaryOp op, const Value& operand,
                    const syntax::AugAssign* node);

// --- memory.cpp: arrays of the kernel's own ---
// The number in this pass's function of an allocation of the session.
uint32_t number_of_array(Context& ctx, uint32_t allocation);
// A new element of the thread's own, which an array without dimensions holds.
Value::Array local_element(Context& ctx, const DataType& element, const Node* call);
// An alignment in bytes, a power of two; nothing after an error. Left out, it is 1.
std::optional<uint32_t> read_alignment(Context& ctx, const Given& given, const std::string& name);
// The element type that an argument names.
std::optional<DataType> read_dtype(Context& ctx, const Given& given, const std::string& name);

}  // namespace cuda_device::frontend
