// Webs while they are lowered: the joined type of their definitions, their slots, loads and stores.
#pragma once

#include <optional>
#include <string>

#include "frontend/context.h"

namespace cuda_device::frontend {

// The definition of a variable at this node: joins its type and stores the value.
void define(Context& ctx, const Node* target, const Value& value, const Node* source);
// Where paths are about to meet: the variables that have other types from there on.
void carry(Context& ctx, const Node* node, PathEnd end);
Value read_name(Context& ctx, const syntax::Name* node);
// Whether some name in the expression is one that the function assigns more than once.
bool reads_reassigned(const Context& ctx, const Node* node);
// The variable that the name reads has this value of the same type from here on: vectors are
// values, so nothing else sees the change. Not of names of the surroundings.
void change_variable(Context& ctx, const syntax::Name* node, const Value& value,
                     const Node* target);

// What a place has that holds one or the other value; nothing: they have nothing in common.
std::optional<Value> join(const Context& ctx, const Value& a, const Value& b);
// The same of two arrays, or functions, that are one and differ in the numbers that belong to them.
std::optional<Value> join_as_one(const Context& ctx, const Value& a, const Value& b);
// The value in the form of the abstract one: extents that the array behind a view has become
// numbers, a builtin int that a mask is joined with has become one. `node`: what gives the value.
Value in_form_of(Context& ctx, const Value& abstract, const Value& value, const Node* node);
// A variable of the function around one that is called: its abstract value, and the value where
// that one is called from or reads it.
Value captured_type(const Context& ctx, const Instance& owner, uint32_t web);
Value read_captured(Context& ctx, Instance& owner, uint32_t web, const std::string& name);
// Adds the abstract value of one definition to a web.
void join_into(Context& ctx, WebState& state, const Node* definition, Value value,
               bool may_be_constant, const std::string& name, const Node* source);
// The same by the definition's number in its function; false: it cannot be converted to the type
// that a loop keeps, which is reported.
bool join_definition(Context& ctx, uint32_t index, const Value& value, const Node* source);

uint32_t make_slot(Context& ctx, const std::string& name, TypeCode code);
// One slot for each number of the web that is known at run time only, once in a pass.
void make_slots(Context& ctx, WebState& state, const std::string& name);
void store_web(Context& ctx, WebState& state, const std::string& name, const Value& value,
               const Node* source);
Value load_web(Context& ctx, WebState& state, const std::string& name);

}  // namespace cuda_device::frontend
