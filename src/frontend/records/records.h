// Records while a kernel is lowered: vectors, structs, named tuples, records of NumPy. A record is
// taken apart into the values of its fields; memory holds it as C++ lays it out.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/calls/calls.h"
#include "frontend/context.h"

namespace cuda_device::frontend {

// --- elements.cpp: values in memory ---
// What stands at these operands, an array and its indices, `offset` bytes into the element.
Value load_data(Context& ctx, const DataType& type, const std::vector<Inst*>& operands,
                uint32_t offset);
// The value must be of the type: as_data.
void store_data(Context& ctx, const DataType& type, const std::vector<Inst*>& operands,
                uint32_t offset, const Value& value, const Node* source);

// How a value becomes one of a type.
enum class Conversion : uint8_t {
  Lossless,  // as a declaration takes it: nothing is lost
  Stored,    // as an element takes it: any number is converted
};
// Unknown, after an error, where it does not. `what` takes the value, as a message names it.
Value as_data(Context& ctx, const Value& value, const DataType& type, Conversion conversion,
              const Node* node, const std::string& what);
// What a field, or an element of a constant array, is made of.
DataType type_of_field(Session& session, const syntax::FieldType& type);
// The type that an argument names: a number, a vector, a class of the program whose fields have
// types.
std::optional<DataType> data_type_of(const Value& named);
// What device.align() makes of a type, as the type itself; others, and hints of arrays, as they
// are.
bool is_alias(const Value& type);
Value behind_alias(const Value& type);
// The alignment that device.align() gives a type; 1 of others.
uint32_t least_align(const Value& type);

// --- fields.cpp ---
std::optional<size_t> field_named(const RecordType& type, const std::string& name);
// "x, y, z"
std::string fields_text(const RecordType& type);
// p.x, v.size, p.norm
Value record_attribute(Context& ctx, const syntax::Attribute* node, const Value& record);
// The method that the class of the value defines.
std::optional<Value::MemberFunction> method_named(const Value& value, const std::string& name);
// A method, property or constant of the class, on a record or a reference to one; reports what it
// has not.
Value member_attribute(Context& ctx, const syntax::Attribute* node, const RecordType& type,
                       const Value& self);
// Point.origin, of the class itself
Value attribute_of_class(Context& ctx, const syntax::Attribute* node, const Value::Class& cls);
// v[i], r["x"], t[0] of a named tuple
Value record_element(Context& ctx, const Value& record, const Value& index,
                     const syntax::Subscript* node);
// v[i] = x rebinds the variable v to a changed vector. False: the target is not one.
bool assign_component(Context& ctx, const syntax::Subscript* target, const Value& base,
                      const Value& index, const Value& value, const Node* source);

// A constant index within the record; reports others.
std::optional<size_t> constant_index(Context& ctx, const Value& index, const RecordType& type,
                                     const Node* node);

// --- sub_arrays.cpp ---
// One object for each element and shape.
RecordRef sub_array_type(Session& session, const DataType& element, std::vector<int64_t> shape);
// Along the first axis: elements, or sub-arrays of one axis less.
std::vector<Value> rows_of(Context& ctx, const Value& sub_array);
Value transposed_sub_array(Context& ctx, const Value::Record& sub_array);
// m[1], m[1, k], m[:, 0:2]: an element, or another sub-array.
Value part_of_sub_array(Context& ctx, const Value& sub_array, const Value& index,
                        const syntax::Subscript* node);
// The number of an element of a sub-array in C order, of which each axis has an index. Nothing:
// some index is known at run time only, or is outside, which is reported.
std::optional<size_t> element_of_sub_array(Context& ctx, const RecordType& type, const Value& index,
                                           const Node* node);

// --- places.cpp ---
// Elements of structs and of structured dtypes.
bool has_named_fields(const DataType& type);
// A field of an element in memory, or a view of several elements; a sub-array is both. Without
// either where something was wrong, which is reported.
struct FieldPlace {
  DataType type;
  std::vector<Inst*> operands;  // the array and its indices
  uint32_t offset = 0;
  std::string what;
  std::optional<Value::Array> view;
  // One lane of a mask in memory, and where its number is written.
  std::optional<Value> lane = std::nullopt;
  const Node* lane_node = nullptr;
};
// Nothing: the target is no part of a record in memory, and none of its indices was evaluated.
std::optional<FieldPlace> field_place(Context& ctx, const Node* target);
// An element of a sub-array of an element in memory, read where it lies: a[i].v[k]. Of a part of
// it, a[i].v[1:], a view. Nothing: the node is something else, and none of its indices was
// evaluated.
std::optional<Value> element_in_memory(Context& ctx, const syntax::Subscript* node);
// What is there. Unknown: there is no place, or it is several elements.
Value load_field(Context& ctx, const FieldPlace& place);
void store_field(Context& ctx, const FieldPlace& place, const Value& value, const Node* source);
bool assign_field(Context& ctx, const Node* target, const Value& value, const Node* source);

// --- vectors.cpp ---
// A vector, or a position such as thread_idx, which is one of three uint32.
bool is_vector(const Value& v);
// A position as a vector; others as they are.
Value vector_of_position(Context& ctx, const Value& v);
Value construct_vector(Context& ctx, const RecordRef& type, const Arguments& a,
                       const std::string& name);
// Element by element, with scalars for every component.
Value vector_binary(Context& ctx, BinaryOp op, const Value& a, const Value& b, const Node* node,
                    const Node* left, const Node* right);
// The vector of what f gives for each component.
Value each_component(Context& ctx, const Value& v, const Node* node,
                     const std::function<Value(const Value&)>& f);

// --- structs.cpp ---
// The type of Program::types[index], one object for each.
RecordRef record_type(Session& session, uint32_t index);
// device.Atomic(value, align); an `align` of less than its size is its size.
RecordRef atomic_type(Session& session, const DataType& value, uint32_t align);
// device.align(T, n); with an alignment of 1 the hint of an array.
RecordRef alias_of(Session& session, const DataType& of, uint32_t align);
Value construct_record(Context& ctx, const RecordRef& type, const Arguments& a);
// An instance of a class of named tuples, or of frozen dataclasses: its fields have the types of
// their values.
Value named_tuple(const RecordRef& type, std::vector<Value> fields);
// The class of a record, of such an instance, or of a member of an enumeration; null for other
// values.
RecordRef class_of(const Value& value);
// The same of an instance, or of a reference to one.
RecordRef class_of_instance(const Value& self);
// Whether the value is an instance of the class or of one that is made from it.
bool is_of_class(Session& session, const Value& value, const RecordRef& cls);
// An instance of a frozen dataclass: it has no length, and nobody goes through its fields.
bool is_plain_object(const Value& value);
// A constant of the surroundings: an instance of a class.
Value record_constant(Context& ctx, const syntax::Value& constant, const Node* node);
// device.replace(p, x=1)
Value replaced(Context& ctx, const Value& record, const Arguments& a);

}  // namespace cuda_device::frontend
