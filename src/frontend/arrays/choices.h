// Arrays chosen at run time: a value that is one of several arrays of one type, and a number that
// says which. What is done with it is done with each of them: views and extents by selecting
// numbers, accesses under conditions.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

using OnArray = std::function<Value(const Value::Array&)>;

// One of both abstract arrays, or of those that they may be; nothing: they differ in type, are
// atomic or are too many.
std::optional<Value> join_choices(const Context& ctx, const Value& a, const Value& b);
// The arrays that a value may be: of an array that one.
std::vector<Value> arrays_of(const Value& value);
// The one of them that lies in the same memory; null: none does.
const Value* array_like(const std::vector<Value>& arrays, const Value::Array& array);
// The number among the alternatives of the choice that the value, one of them or a choice of some,
// has.
Value number_among(Context& ctx, const Value::Choice& choice, const Value& value, const Node* node);
// The element of a tuple of arrays whose number is the index; `common` is what they all are.
Value chosen_array(Context& ctx, const std::vector<Value>& elements, const Value& common,
                   const Value& index, const Node* node);

// What f gives of the chosen array, evaluated for all of them: numbers, or views, of which the
// result is a choice.
Value of_each(Context& ctx, const Value::Choice& choice, const Node* node, const OnArray& f);
// The same, evaluated for the chosen array only.
Value of_chosen(Context& ctx, const Value::Choice& choice, const Node* node, const OnArray& f);

// choice[index]: an element, or a choice of views.
Value part_of_choice(Context& ctx, const Value::Choice& choice, const Value& index,
                     const syntax::Subscript* node);
Value choice_attribute(Context& ctx, const syntax::Attribute* node, const Value::Choice& choice);

}  // namespace cuda_device::frontend
