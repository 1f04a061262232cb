// One of several values of which each is known when compiling, chosen at run time: arrays of one
// type, or what can be called. A number says which one it is.
#pragma once

#include <optional>
#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

// A function or method, the language's own among them.
bool is_callable(const Value& value);

// The values that a value may be: an array or what can be called is itself alone. Empty: it is none
// of these.
std::vector<Value> alternatives_of(const Value& value);
// The one of them that the value may be, other numbers in it; null: it is none.
const Value* alternative_like(const Context& ctx, const std::vector<Value>& alternatives,
                              const Value& value);
// One of both abstract values, or of those that they may be; nothing: they differ in type, are
// atomic or are too many.
std::optional<Value> join_choices(const Context& ctx, const Value& a, const Value& b);
// The number among the alternatives of the choice that the value, one of them or a choice of some,
// has.
Value number_among(Context& ctx, const Value::Choice& choice, const Value& value, const Node* node);
// The element of a tuple whose number is the index; `common` is what they all are.
Value chosen_of(Context& ctx, const std::vector<Value>& elements, const Value::Choice& common,
                const Value& index, const Node* node);

}  // namespace cuda_device::frontend
