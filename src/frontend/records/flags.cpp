// Members of a Flag: their bits, and how Python names several of them together.
#include <optional>
#include <string>
#include <vector>

#include "frontend/control/control.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/exact.h"
#include "frontend/operators/operators.h"
#include "frontend/records/enumerations.h"
#include "frontend/records/records.h"

namespace cuda_device::frontend {
namespace {

// What is written of members that are known at run time is chosen from a text for each
// combination.
constexpr size_t kMostTexts = 64;

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

bool is_one_bit(__int128 bits) { return bits > 0 && (bits & (bits - 1)) == 0; }

// The names of several members that there are in a Flag's class.
std::vector<const syntax::Value*> names_of_several(const RecordType& type) {
  std::vector<const syntax::Value*> found;
  for (const auto& [name, member] : type.decl->members_by_name)
    if (number_of(member) != 0 && !is_one_bit(number_of(member)) && member.text == name)
      found.push_back(&member);
  return found;
}

// "READ", "READ|WRITE", and of what KEEP keeps beside them "READ|8"; empty: no member is among
// them. As Python does since 3.11.4: where bits are left that no member has alone, names of several
// members stand there, too ("READ|WRITE|COPY|8").
std::string name_of_bits(const RecordType& type, __int128 bits) {
  for (const auto& [name, member] : type.decl->members_by_name)
    if (number_of(member) == bits) return member.text;
  std::string text;
  __int128 singles = 0, named = 0;
  const auto add = [&](const syntax::Value& member) {
    text += (text.empty() ? "" : "|") + member.text;
    named |= number_of(member);
  };
  for (const syntax::Value& member : type.decl->members) {
    singles |= number_of(member);
    if (number_of(member) & bits) add(member);
  }
  if (bits & ~singles)
    for (const syntax::Value* several : names_of_several(type))
      if ((number_of(*several) & bits) == number_of(*several)) add(*several);
  const __int128 others = bits & ~named;
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

// ------------------------------------------------------------------------------------------------
// how those are written that are known at run time

namespace {

enum class As : uint8_t { Name, Str, Repr };

// The bits that members have, by their places.
std::vector<int> places_of(const RecordType& type) {
  std::vector<int> places;
  const __int128 all = bits_of_all(type);
  for (int place = 0; all >> place != 0; ++place)
    if (all >> place & 1) places.push_back(place);
  return places;
}

// ".READ|WRITE"; empty: they have no name.
std::string after_class(const std::string& name) { return name.empty() ? name : "." + name; }

class WrittenFlags {
 public:
  WrittenFlags(Context& ctx, const Value& member, const Node* node)
      : ctx_(ctx),
        node_(node),
        type_(*class_of(member)),
        bits_(number_of_member(member)),
        places_(places_of(type_)),
        keeps_(type_.decl->boundary == "keep") {}

  std::optional<Text> as(As how) {
    if (count() > kMostTexts) return std::nullopt;
    return keeps_ ? beside_others(how) : of_members(how);
  }

  // Whether Python's name is None.
  Value is_nameless() {
    const bool zero_has_name = !name_of_bits(type_, 0).empty();
    if (!zero_has_name) return has_no_member();
    return keeps_ ? both(ctx_, has_no_member(), has_others(), Op::And, node_)
                  : Value::boolean(false);
  }

 private:
  Value combined(BinaryOp op, const Value& a, __int128 b) {
    return arithmetic(ctx_, op, a, int_constant(b), node_, node_, node_);
  }
  Value of_members() { return combined(BinaryOp::BitAnd, bits_, bits_of_all(type_)); }
  Value of_others() { return combined(BinaryOp::BitAnd, bits_, ~bits_of_all(type_)); }
  Value has_no_member() {
    return compare(ctx_, CompareOp::Eq, of_members(), int_constant(0), node_);
  }
  Value has_others() {
    return compare(ctx_, CompareOp::NotEq, of_others(), int_constant(0), node_);
  }

  // The members' bits without the gaps between them.
  Value number() {
    Value packed = int_constant(0);
    for (size_t k = 0; k < places_.size(); ++k) {
      const Value bit = combined(BinaryOp::BitAnd, bits_, __int128{1} << places_[k]);
      const Value moved = combined(BinaryOp::RShift, bit, places_[k] - static_cast<__int128>(k));
      packed = arithmetic(ctx_, BinaryOp::BitOr, packed, moved, node_, node_, node_);
    }
    return convert(ctx_, packed, TypeCode::u4, node_);
  }
  __int128 bits_of_number(size_t number) const {
    __int128 bits = 0;
    for (size_t k = 0; k < places_.size(); ++k)
      if (number >> k & 1) bits |= __int128{1} << places_[k];
    return bits;
  }
  size_t count() const { return size_t{1} << places_.size(); }

  // A text for each combination.
  Text of_members(As how) {
    std::vector<Text> texts;
    for (size_t k = 0; k < count(); ++k) {
      const __int128 bits = bits_of_number(k);
      texts.push_back(text_with(how == As::Name ? name_of_bits(type_, bits)
                                                : text_of_bits(type_, bits, how == As::Repr)));
    }
    return choice_of(number(), texts);
  }

  // The members' names, by the combination, and by whether there are others beside them where that
  // makes a difference; nothing: those are too many, or Python's order of them is not known.
  std::optional<Text> names(As how) {
    if (names_of_several(type_).size() > 1) return std::nullopt;
    std::vector<Text> alone, beside;
    bool differ = false;
    const __int128 another = bits_below_all(type_) + 1;
    const std::string number_of_another = "|" + to_text(another);
    for (size_t k = 0; k < count(); ++k) {
      const __int128 bits = bits_of_number(k);
      const std::string own = name_of_bits(type_, bits);
      std::string with_another = name_of_bits(type_, bits | another);
      if (!with_another.empty())
        with_another.resize(with_another.size() - number_of_another.size());
      differ |= own != with_another;
      alone.push_back(text_with(how == As::Name ? own : after_class(own)));
      beside.push_back(text_with(how == As::Name ? with_another : after_class(with_another)));
    }
    if (!differ) return choice_of(number(), alone);
    if (2 * count() > kMostTexts) return std::nullopt;
    alone.insert(alone.end(), beside.begin(), beside.end());
    const Value at = number(), most = int_constant(static_cast<__int128>(count()));
    const Value second = convert(
        ctx_, arithmetic(ctx_, BinaryOp::Add, at, most, node_, node_, node_), TypeCode::u4, node_);
    const Value chosen =
        select(ctx_, has_others(), second, at, Value::number(TypeCode::u4, nullptr), node_);
    return choice_of(chosen, alone);
  }

  // The text where the test holds, and else nothing.
  Text where(const Value& test, Text text) {
    return choice_of(convert(ctx_, test, TypeCode::u4, node_), {Text{}, std::move(text)});
  }
  Text number_between(const char* before, const Value& number, const char* after) {
    Text text = text_with(before);
    append(text, *str_of(ctx_, number, {type_.name, node_}));
    append(text, text_with(after));
    return text;
  }

  std::optional<Text> beside_others(As how) {
    const std::optional<Text> head = names(how);
    if (!head) return std::nullopt;
    Text text = text_with(how == As::Name ? "" : how == As::Str ? type_.name : "<" + type_.name);
    append(text, *head);
    const Value some = negated(ctx_, has_no_member(), node_);
    append(text, where(both(ctx_, has_others(), some, Op::And, node_),
                       number_between("|", of_others(), "")));
    if (how == As::Str) append(text, where(is_nameless(), number_between("(", bits_, ")")));
    if (how == As::Repr) append(text, number_between(": ", bits_, ">"));
    return text;
  }

  Context& ctx_;
  const Node* node_;
  const RecordType& type_;
  const Value bits_;
  const std::vector<int> places_;
  const bool keeps_;
};

}  // namespace

std::optional<Value> name_of_flags(Context& ctx, const Value& member, const Node* node) {
  const RecordType& type = *class_of(member);
  const Value bits = number_of_member(member);
  if (bits.exact()) {
    std::string name = name_of_bits(type, bits.exact()->integer);
    return name.empty() ? Value::none() : Value(Text{std::move(name)});
  }
  WrittenFlags flags(ctx, member, node);
  std::optional<Text> name = flags.as(As::Name);
  if (!name) return std::nullopt;
  const Value has_name = negated(ctx, flags.is_nameless(), node);
  if (ctx.policy.can_fail && !has_name.exact())
    fail_unless(ctx, has_name, node, {"ValueError", {type.name + " without members has no name"}});
  return std::move(*name);
}

std::optional<Text> flags_text(Context& ctx, const Value& member, bool repr, const Node* node) {
  const RecordType& type = *class_of(member);
  const bool own = type.decl->attributes.contains(repr ? "__repr__" : "__str__");
  const Value bits = number_of_member(member);
  if (member.is_number() && !repr && !own) return str_of(ctx, bits, {type.name, node});
  if (own) return std::nullopt;
  if (bits.exact()) return Text{text_of_bits(type, bits.exact()->integer, repr)};
  return WrittenFlags(ctx, member, node).as(repr ? As::Repr : As::Str);
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
