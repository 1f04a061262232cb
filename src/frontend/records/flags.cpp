// Members of a Flag: their bits, and how Python names several of them together.
#include <optional>
#include <string>
#include <vector>

#include "frontend/control/control.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/exact.h"
#include "frontend/operators/operators.h"
#include "frontend/operators/tuples.h"
#include "frontend/records/enumerations.h"
#include "frontend/records/records.h"

namespace cuda_device::frontend {
namespace {

// What is written of members that are known at run time is chosen from a text for each value.
constexpr __int128 kMostTexts = 64;

Value int_constant(__int128 value) { return Value::constant_int(TypeCode::weak_int, value); }

// The bits of all members together.
__int128 bits_of_all(const RecordType& type) {
  __int128 mask = 0;
  for (const auto& [name, member] : type.decl->members_by_name) mask |= number_of(member);
  return mask;
}

// What KEEP complements, too: all bits up to the highest of a member.
__int128 bits_below_all(const RecordType& type) {
  __int128 mask = 1;
  while (mask <= bits_of_all(type)) mask *= 2;
  return mask - 1;
}

Value boundary_refused(Context& ctx, const RecordType& type, const Node* node) {
  return not_implemented(ctx, node,
                         "making members of a Flag whose boundary is '" + type.decl->boundary + "'",
                         "name them: " + type.name + "." + type.decl->members[0].text);
}

// A value of the same class as a member; `number` has its bits.
Value with_bits(const Value& member, const Value& number) {
  if (member.is<Value::Enum>()) return Value::Enum{class_of(member), true, {number}};
  const bool pythons = number.is_number() && is_weak(number.code()) && is_int(number.code());
  return pythons ? member_of(class_of(member), number) : number;
}

// "READ", "READ|WRITE", and of what KEEP keeps beside them "READ|8"; empty: no member is among
// them.
std::string name_of_bits(const RecordType& type, __int128 bits) {
  for (const auto& [name, member] : type.decl->members_by_name)
    if (number_of(member) == bits) return member.text;
  std::string text;
  for (const syntax::Value& member : type.decl->members)
    if (number_of(member) & bits) text += (text.empty() ? "" : "|") + member.text;
  const __int128 others = bits & ~bits_of_all(type);
  return others && !text.empty() ? text + "|" + to_text(others) : text;
}

// As str() or repr() of a Flag writes it.
std::string text_of_bits(const RecordType& type, __int128 bits, bool repr) {
  for (const auto& [name, member] : type.decl->members_by_name)
    if (number_of(member) == bits) return repr ? member.repr : member.str;
  const std::string name = name_of_bits(type, bits), number = to_text(bits), &cls = type.decl->name;
  if (repr) return "<" + cls + (name.empty() ? "" : "." + name) + ": " + number + ">";
  return name.empty() ? cls + "(" + number + ")" : cls + "." + name;
}

}  // namespace

std::optional<Value> flags_together(Context& ctx, BinaryOp op, const Value& a, const Value& b,
                                    const Node* node) {
  if (op != BinaryOp::BitOr && op != BinaryOp::BitAnd && op != BinaryOp::BitXor)
    return std::nullopt;
  const Value& member = is_member(a) ? a : b;
  if (!is_member(member) || !is_flag(member)) return std::nullopt;
  const auto fits = [&](const Value& v) {
    return class_of(v) == class_of(member) || (v.is_number() && member.is_number());
  };
  if (!fits(a) || !fits(b)) return std::nullopt;
  return with_bits(member,
                   arithmetic(ctx, op, number_of_member(a), number_of_member(b), node, node, node));
}

std::optional<Value> flags_complement(Context& ctx, const Value& member, const Node* node) {
  if (!is_member(member) || !is_flag(member)) return std::nullopt;
  const RecordType& type = *class_of(member);
  if (type.decl->boundary == "eject") return boundary_refused(ctx, type, node);
  const bool keeps = type.decl->boundary == "keep";
  const Value others = unary_number(ctx, "Invert", number_of_member(member), node),
              bits = int_constant(keeps ? bits_below_all(type) : bits_of_all(type));
  return with_bits(member, arithmetic(ctx, BinaryOp::BitAnd, others, bits, node, node, node));
}

std::optional<Value> is_among_flags(Context& ctx, const Value& member, const Value& flags,
                                    const Node* node) {
  if (!is_member(flags) || !is_flag(flags) || class_of(member) != class_of(flags))
    return std::nullopt;
  const Value wanted = number_of_member(member);
  const Value common =
      arithmetic(ctx, BinaryOp::BitAnd, wanted, number_of_member(flags), node, node, node);
  return compare(ctx, CompareOp::Eq, common, wanted, node);
}

std::optional<Value> name_of_flags(const Value& member) {
  if (!is_flag(member)) return std::nullopt;
  const Value bits = number_of_member(member);
  if (!bits.exact()) return std::nullopt;
  std::string name = name_of_bits(*class_of(member), bits.exact()->integer);
  return name.empty() ? Value::none() : Value(Text{std::move(name)});
}

std::optional<Text> flags_text(Context& ctx, const Value& member, bool repr, const Node* node) {
  const RecordType& type = *class_of(member);
  const bool of_ints = member.is_number();
  const bool own = type.decl->attributes.contains(repr ? "__repr__" : "__str__");
  const Value bits = number_of_member(member);
  if (of_ints && !repr && !own) return str_of(ctx, bits, {type.name, node});
  if (bits.exact() && !own) return Text{text_of_bits(type, bits.exact()->integer, repr)};
  const __int128 count = bits_of_all(type) + 1;
  if (own || of_ints || count > kMostTexts) return std::nullopt;
  std::vector<Value> texts;
  texts.reserve(static_cast<size_t>(count));
  for (__int128 each = 0; each < count; ++each)
    texts.emplace_back(Text{text_of_bits(type, each, repr)});
  const Value text = element_at(ctx, std::move(texts), bits, node, type.name);
  return is_text(text) ? std::optional(*text.as<Text>()) : std::nullopt;
}

// A number all of whose bits are those of members; a negative one stands for the members that it
// lacks.
static Value strict_flags(Context& ctx, const RecordRef& type, const Value& number,
                          const Node* node) {
  const __int128 mask = bits_of_all(*type);
  const auto bits = [&](const Value& a, __int128 b) {
    return arithmetic(ctx, BinaryOp::BitAnd, a, int_constant(b), node, node, node);
  };
  const Value inside = compare(ctx, CompareOp::Eq, bits(number, ~mask), int_constant(0), node);
  const Value lacking = compare(ctx, CompareOp::Eq, bits(number, ~mask), int_constant(~mask), node);
  const Value valid = both(ctx, inside, lacking, Op::Or, node);
  if (valid.is_unknown()) return valid;
  if (valid.exact() && !valid.exact()->integer)
    return error(ctx, DiagCode::no_member, node, {type->name, type_text(number)});
  if (!fail_unless_valid(ctx, valid, {"<flag '" + type->name + "'> invalid value ", ""}, number,
                         node))
    return Value::unknown();
  return Value::Enum{type, true, {bits(number, mask)}};
}

Value construct_flags(Context& ctx, const RecordRef& type, const Value& value, const Node* node) {
  const bool of_ints = type->decl->members[0].kind == syntax::Value::Kind::Int;
  if (!value.is_number() || is_float(value.code()))
    return wrong_kind(ctx, DiagCode::no_member, node, value, {type->name, type_text(value)});
  if (type->decl->boundary != (of_ints ? "keep" : "strict"))
    return boundary_refused(ctx, *type, node);
  const Value number = constructed(ctx, plain_number(value), ctx.policy.int_literal(0), node);
  if (number.is_unknown()) return number;
  if (!of_ints) return strict_flags(ctx, type, number, node);
  const Value negative = compare(ctx, CompareOp::Lt, number, int_constant(0), node);
  const Value members = arithmetic(ctx, BinaryOp::BitAnd, number,
                                   int_constant(bits_below_all(*type)), node, node, node);
  if (negative.exact()) return member_of(type, negative.exact()->integer ? members : number);
  return member_of(
      type, select(ctx, negative, members, number, Value::number(number.code(), nullptr), node));
}

}  // namespace cuda_device::frontend
