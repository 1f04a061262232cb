// Members of enumerations. One that is no number itself is its position among the members of its
// class, one of a Flag its bits, one of an IntEnum the number; each knows its class.
#pragma once

#include <optional>

#include "frontend/calls/calls.h"
#include "frontend/texts/texts.h"

namespace cuda_device::frontend {

// Whether the value is a class of members, and whether it is a member.
bool is_enumeration(const Value& cls);
bool is_member(const Value& value);

bool is_flag(const Value& member);

// A constant of the surroundings.
Value member_constant(Context& ctx, const syntax::Value& constant, const Node* node);
// A number of the class: a member that is known when the kernel runs.
Value member_of(const RecordRef& type, const Value& number);
// What it is beside its class; others as they are.
Value plain_number(const Value& value);
// What stands for a member: its position, its bits, or the number that it is.
Value number_of_member(const Value& member);
__int128 number_of(const syntax::Value& member);  // of a Flag or an IntEnum
std::vector<Value> members_of(Context& ctx, const RecordType& type, const Node* node);

// Colour.RED.name, .value, and what its class defines; nothing: it has no such attribute.
std::optional<Value> member_attribute(Context& ctx, const syntax::Attribute* node,
                                      const Value& member);
// Colour(1), Colour["RED"], Colour.RED in Colour; and Colour.RED of a class that is a value:
// nothing where it has no such member.
Value construct_member(Context& ctx, const RecordRef& type, const Arguments& a);
Value member_named(Context& ctx, const RecordType& type, const Value& name, const Node* node);
std::optional<Value> member_named(Context& ctx, const RecordType& type, const std::string& name,
                                  const Node* node);
Value contains_member(Context& ctx, const RecordRef& type, const Value& value, const Node* node);
// Fails as Python does, with `before`, how the value is written, and `after`, unless the value is
// that of a member; false after an error.
struct ValueError {
  std::string before, after;
};
bool fail_unless_valid(Context& ctx, const Value& valid, const ValueError& says, const Value& value,
                       const Node* node);
// ==, != and is; nothing: neither is a member, or the operator is another one.
std::optional<Value> compare_members(Context& ctx, CompareOp op, const Value& a, const Value& b,
                                     const Node* node);
// As str() writes it, or repr(); nothing: it is not known how.
std::optional<Text> member_text(Context& ctx, const Value& member, bool repr, const Node* node);

// --- flags.cpp --- Members of a Flag; nothing: they are none.
// a | b, a & b, a ^ b; ~a; a in b.
std::optional<Value> flags_together(Context& ctx, BinaryOp op, const Value& a, const Value& b,
                                    const Node* node);
std::optional<Value> flags_complement(Context& ctx, const Value& member, const Node* node);
std::optional<Value> is_among_flags(Context& ctx, const Value& member, const Value& flags,
                                    const Node* node);
// Nothing: it is known at run time and may be one of too many. The launch fails where Python gives
// None.
std::optional<Value> name_of_flags(Context& ctx, const Value& member, const Node* node);
std::optional<Text> flags_text(Context& ctx, const Value& member, bool repr, const Node* node);
// Access(3)
Value construct_flags(Context& ctx, const RecordRef& type, const Value& value, const Node* node);

}  // namespace cuda_device::frontend
