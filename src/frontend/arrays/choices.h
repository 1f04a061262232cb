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

// Views of one array, in the form of what they all are: each of its numbers is chosen.
Value chosen_view(Context& ctx, const std::vector<Value>& views, const Value& common,
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
