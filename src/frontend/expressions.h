// Expressions: names, literals, displays, attributes, subscripts and f-strings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

Value expr(Context& ctx, const Node* node);
// Slices are not values; they only come as indices.
Value expr_or_slice(Context& ctx, const Node* node);
// What a name of the surroundings is bound to.
Value binding_value(Context& ctx, const syntax::Binding& binding, const Node* node,
                    const std::string& name);

// A tuple of these, within the limits of tuples.
Value tuple_of(Context& ctx, std::vector<Value> elements, const Node* node);
// Appends the elements of what follows a star; false after an error.
bool spread(Context& ctx, const syntax::Starred* starred, std::vector<Value>& into);

// The attribute of a value that no node of the program reads: `node` stands for it.
Value attribute_named(Context& ctx, const std::string& name, const Value& value, const Node* node,
                      const Node* source);
Value attribute(Context& ctx, const syntax::Attribute* node);
// Says that there is no such attribute, and the nearest of the names that there are, if one is
// near.
Value no_attribute(Context& ctx, const syntax::Attribute* node, const Value& base,
                   const std::vector<std::string>& names);
Value subscript(Context& ctx, const syntax::Subscript* node);
// The elements of a tuple, or of a value that can be taken for one.
std::optional<std::vector<Value>> elements_of(Context& ctx, const Value& value);

// The values of an f-string where it stands; its text is put together where it is told.
Value f_string(Context& ctx, const syntax::JoinedStr* node);

}  // namespace cuda_device::frontend
