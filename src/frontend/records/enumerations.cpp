#include "frontend/records/enumerations.h"

#include <algorithm>
#include <functional>

#include "frontend/control/control.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/operators/tuples.h"
#include "frontend/parameters.h"
#include "frontend/records/records.h"

namespace cuda_device::frontend {
namespace {

using Members = std::vector<syntax::Value>;

const Members& declared(const Value& member) { return class_of(member)->decl->members; }

const Value kPosition = Value::number(TypeCode::u4, nullptr);

Value position(size_t k) { return Value::constant_int(TypeCode::u4, static_cast<__int128>(k)); }

Value constant(Context& ctx, const syntax::Value& value, const Node* node) {
  syntax::Binding binding;
  binding.kind = syntax::Binding::Kind::Constant;
  binding.value = value;
  return binding_value(ctx, binding, node, "");
}

// What `value` gives of a member.
Value value_of(Context& ctx, const syntax::Value& member, const Node* node) {
  if (member.kind != syntax::Value::Kind::Enum) return plain_number(constant(ctx, member, node));
  return constant(ctx, member.elements[0], node);
}

// Whether Python compares the two by more than their identity.
bool may_be_equal(const Value& a, const Value& b) {
  const auto is_number = [](const Value& v) { return v.is_number() || v.is_complex(); };
  return (is_number(a) && is_number(b)) || (is_text(a) && is_text(b)) ||
         (a.is_tuple() && b.is_tuple()) || (a.is_none() && b.is_none());
}

}  // namespace

bool is_enumeration(const Value& cls) {
  auto* named = cls.as<Value::Class>();
  return named && named->type->kind == RecordType::Kind::Enumeration;
}

bool is_member(const Value& value) {
  return value.is<Value::Enum>() || (value.is_number() && value.enumeration());
}

bool is_flag(const Value& member) { return is_member(member) && declared(member)[0].flag; }

Value number_of_member(const Value& member) {
  return member.is_number() ? plain_number(member) : member.parts()[0];
}

__int128 number_of(const syntax::Value& member) {
  return member.elements.empty() ? member.integer : member.elements[0].integer;
}

Value plain_number(const Value& value) {
  if (auto* scalar = value.as<Value::Scalar>())
    return Value::number(scalar->code, scalar->inst, scalar->intact);
  auto* number = value.as<Value::Constant>();
  return number ? Value::constant(number->code, number->exact) : value;
}

Value member_of(const RecordRef& type, const Value& number) {
  if (auto* scalar = number.as<Value::Scalar>())
    return Value::Scalar{scalar->code, scalar->inst, scalar->intact, type};
  auto* constant = number.as<Value::Constant>();
  return constant ? Value::Constant{constant->code, constant->exact, nullptr, type} : number;
}

Value member_constant(Context& ctx, const syntax::Value& v, const Node* node) {
  const RecordRef type = record_type(ctx.session, v.record);
  if (v.flag) return Value::Enum{type, true, {constant(ctx, v.elements[0], node)}};
  const auto at = std::ranges::find(type->decl->members, v.text, &syntax::Value::text);
  return Value::Enum{
      type, false, {position(static_cast<size_t>(at - type->decl->members.begin()))}};
}

std::vector<Value> members_of(Context& ctx, const RecordType& type, const Node* node) {
  std::vector<Value> members;
  members.reserve(type.decl->members.size());
  for (const syntax::Value& member : type.decl->members)
    members.push_back(constant(ctx, member, node));
  return members;
}

// ------------------------------------------------------------------------------------------------
// what is asked of one

// Its position among the members; nothing: it is none of them, or may be none, as a Flag's may.
static std::optional<Value> position_of(Context& ctx, const Value& member, const Node* node) {
  if (!member.is_number() && !is_flag(member)) return member.parts()[0];
  const Value number = number_of_member(member);
  const Members& all = declared(member);
  if (const Exact* known = number.exact()) {
    for (size_t k = 0; k < all.size(); ++k)
      if (number_of(all[k]) == known->integer) return position(k);
    return std::nullopt;
  }
  if (is_flag(member)) return std::nullopt;
  Value at = position(all.size() - 1);
  for (size_t k = all.size() - 1; k-- > 0;) {
    const Value wanted = Value::constant_int(TypeCode::weak_int, number_of(all[k]));
    const Value here = compare(ctx, CompareOp::Eq, number, wanted, node);
    if (!here.exact()) at = select(ctx, here, position(k), at, kPosition, node);
  }
  return at;
}

// What f gives of the member; nothing: it is several members of a Flag.
static std::optional<Value> of_member(Context& ctx, const Value& member, const Node* node,
                                      const std::function<Value(const syntax::Value&)>& f) {
  const std::optional<Value> at = position_of(ctx, member, node);
  if (!at) return std::nullopt;
  const Members& all = declared(member);
  if (at->exact()) return f(all.at(static_cast<size_t>(at->exact()->integer)));
  std::vector<Value> each;
  each.reserve(all.size());
  for (const syntax::Value& one : all) each.push_back(f(one));
  return element_at(ctx, std::move(each), *at, node, class_of(member)->name);
}

static Value name_of_member(Context& ctx, const Value& member, const Node* node) {
  if (is_flag(member)) {
    const auto name = name_of_flags(ctx, member, node);
    return name ? *name
                : not_implemented(ctx, node,
                                  "the run-time name of members of a Flag of more than six bits",
                                  "ask for each member: x in " + class_of(member)->name);
  }
  return *of_member(ctx, member, node, [](const syntax::Value& one) { return Text{one.text}; });
}

std::optional<Value> member_attribute(Context& ctx, const syntax::Attribute* node,
                                      const Value& member) {
  const RecordRef type = class_of(member);
  if (type->decl->attributes.contains(node->attr))
    return member_attribute(ctx, node, *type, member);
  if (node->attr == "name") return name_of_member(ctx, member, node);
  if (node->attr != "value") return std::nullopt;
  if (member.is_number() || is_flag(member)) return number_of_member(member);
  return of_member(ctx, member, node,
                   [&](const syntax::Value& one) { return value_of(ctx, one, node); });
}

std::optional<Text> member_text(Context& ctx, const Value& member, bool repr, const Node* node) {
  if (is_flag(member)) return flags_text(ctx, member, repr, node);
  const auto text = of_member(
      ctx, member, node, [&](const syntax::Value& one) { return Text{repr ? one.repr : one.str}; });
  if (!text || !is_text(*text)) return std::nullopt;
  return *text->as<Text>();
}

std::optional<Value> compare_members(Context& ctx, CompareOp op, const Value& a, const Value& b,
                                     const Node* node) {
  const bool negative = op == CompareOp::NotEq || op == CompareOp::IsNot;
  if (!negative && op != CompareOp::Eq && op != CompareOp::Is) return std::nullopt;
  if (is_member(a) && is_member(b) && class_of(a) == class_of(b))
    return compare(ctx, negative ? CompareOp::NotEq : CompareOp::Eq, number_of_member(a),
                   number_of_member(b), node);
  const auto may_differ = [](const Value& v) { return v.is<Value::Object>() || v.is_array(); };
  const bool other = (a.is<Value::Enum>() && !may_differ(b)) ||
                     (b.is<Value::Enum>() && !may_differ(a)) || (is_member(a) && is_member(b));
  return other ? std::optional(Value::boolean(negative)) : std::nullopt;
}

// ------------------------------------------------------------------------------------------------
// what is asked of the class

// Whether the value is that of a member, and of which.
struct Found {
  Value any = Value::boolean(false), at = position(0);
};

static Found find_value(Context& ctx, const Members& members, const Value& value,
                        const Node* node) {
  Found found;
  for (size_t k = members.size(); k-- > 0;) {
    const Value wanted = value_of(ctx, members[k], node);
    if (!may_be_equal(wanted, value)) continue;
    const Value equal = compare(ctx, CompareOp::Eq, value, wanted, node);
    if (equal.is_unknown()) return {equal, equal};
    found.any = both(ctx, found.any, equal, Op::Or, node);
    if (!equal.exact())
      found.at = select(ctx, equal, position(k), found.at, kPosition, node);
    else if (equal.exact()->integer)
      found.at = position(k);
  }
  return found;
}

bool fail_unless_valid(Context& ctx, const Value& valid, const ValueError& says, const Value& value,
                       const Node* node) {
  if (valid.exact()) return true;
  const Writing to{"the class", node};
  const std::optional<Text> written = repr_of(ctx, value, to);
  if (!written) return false;
  Text text = text_with(says.before);
  append(text, *written);
  append(text, text_with(says.after));
  std::optional<Told> say = told(ctx, text, to);
  if (say) fail_unless(ctx, valid, node, {"ValueError", std::move(say->format)}, say->values);
  return say.has_value();
}

Value construct_member(Context& ctx, const RecordRef& type, const Arguments& a) {
  if (a.has_unknown()) return Value::unknown();
  if (a.positional.size() != 1 || !a.named.empty())
    return error(ctx, DiagCode::intrinsic_count, a.node,
                 {type->name, "1 argument", were_given(a.positional.size() + a.named.size()),
                  "give it the value of a member"});
  const Value& value = a.positional[0];
  if (class_of(value) == type) return value;
  const Members& members = type->decl->members;
  if (members[0].flag) return construct_flags(ctx, type, value, a.node);
  const Found found = find_value(ctx, members, value, a.node);
  if (found.any.is_unknown()) return Value::unknown();
  const Exact* known = found.any.exact();
  if (!(known && known->integer) && type->decl->attributes.contains("_missing_"))
    return not_implemented(ctx, a.node, "finding members by '_missing_'",
                           "ask x in " + type->name + " first, or write a function of your own");
  if (known && !known->integer)
    return error(ctx, DiagCode::no_member, a.node, {type->name, type_text(value)});
  if (!fail_unless_valid(ctx, found.any, {"", " is not a valid " + type->decl->repr_name}, value,
                         a.node))
    return Value::unknown();
  if (members[0].kind == syntax::Value::Kind::Enum) return Value::Enum{type, false, {found.at}};
  std::vector<Value> all = members_of(ctx, *type, a.node);
  if (const Exact* at = found.at.exact()) return all.at(static_cast<size_t>(at->integer));
  return element_at(ctx, std::move(all), found.at, a.node, type->name);
}

std::optional<Value> member_named(Context& ctx, const RecordType& type, const std::string& name,
                                  const Node* node) {
  const auto found = type.decl->members_by_name.find(name);
  if (found == type.decl->members_by_name.end()) return std::nullopt;
  return constant(ctx, found->second, node);
}

Value member_named(Context& ctx, const RecordType& type, const Value& name, const Node* node) {
  const auto& all = type.decl->members_by_name;
  const std::string* text = name.string();
  if (!text)
    return wrong_kind(ctx, DiagCode::member_name, node, name, {type.name, type_text(name)});
  if (const std::optional<Value> member = member_named(ctx, type, *text, node)) return *member;
  std::string names;
  for (const auto& [known, member] : all) names += (names.empty() ? "" : ", ") + known;
  return error(ctx, DiagCode::no_attribute, node,
               {"class " + type.name, *text, "its members are " + names});
}

Value contains_member(Context& ctx, const RecordRef& type, const Value& value, const Node* node) {
  if (class_of(value) == type) return Value::boolean(true);
  return find_value(ctx, type->decl->members, value, node).any;
}

}  // namespace cuda_device::frontend
