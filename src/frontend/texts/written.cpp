// Values as Python writes them.
#include <algorithm>
#include <bit>

#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/class_operators.h"
#include "frontend/operators/convert.h"
#include "frontend/records/enumerations.h"
#include "frontend/records/records.h"
#include "frontend/texts/texts.h"
#include "frontend/warps/warps.h"
#include "support/print_format.h"

namespace cuda_device::frontend {
namespace {

// The length of a text that is put together: "s = s + s" in a loop that is unrolled doubles it.
constexpr size_t kMostText = 1 << 16;

using Written = std::optional<Text>;

std::string quoted_type(const Value& value) { return "'" + type_text(value) + "'"; }

std::nullopt_t refuse(Context& ctx, const Value& value, const Writing& to,
                      const std::string& what) {
  wrong_kind(ctx, DiagCode::print_value, to.node, value, {what, std::string(to.by)});
  return std::nullopt;
}

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return (c & 0x80) != 0; });
}

// --- numbers ---

std::string constant_text(Context& ctx, const Value& number, const FormatSpec& spec,
                          const Node* node) {
  const Exact& exact = *number.exact();
  const TypeCode code = number.code();
  if (is_weak(code) && is_int(code)) return integer_text(exact.integer, spec);
  if (is_weak(code) && is_float(code))
    return number_text(ScalarKind::F64, std::bit_cast<int64_t>(exact.real), spec);
  return number_text(*scalar_of(code), inst_of(ctx, number, node)->imm, spec);
}

// By its format alone: numbers of one format are alike in texts, however weak.
Value in_text(Context& ctx, const Value& number, const Node* node) {
  ctx.at(node);
  return Value::number(fixed(number.code()), inst_of(ctx, number, node));
}

// `spec`: as it stands after the colon.
Text number_of_text(Context& ctx, const Value& number, const std::string& spec, const Node* node) {
  if (number.exact())
    return {constant_text(ctx, number, read_format_spec(spec).value_or(FormatSpec{}), node)};
  return {spec.empty() ? "{}" : "{:" + spec + "}", {in_text(ctx, number, node)}};
}

Text complex_of_text(Context& ctx, const Value& z, const std::string& piece, const Node* node) {
  Text text{"{" + piece + "}"};
  for (const Value& part : z.parts()) text.values.push_back(in_text(ctx, part, node));
  if (!std::ranges::all_of(z.parts(), &Value::is_constant)) return text;
  const PrintFormat format{text.text,
                           {*scalar_of(text.values[0].code()), *scalar_of(text.values[1].code())}};
  return {PrintFormatter(format).text([&](size_t k) { return text.values[k].inst()->imm; })};
}

}  // namespace

Text text_with(std::string text) { return {std::move(text)}; }

std::string format_in(const Text& text) {
  return text.values.empty() ? as_format(text.text) : text.text;
}

bool check_length(Context& ctx, const Text& text, const Node* node) {
  if (text.text.size() <= kMostText) return true;
  error(ctx, DiagCode::text_too_long, node, {std::to_string(kMostText)});
  return false;
}

// A text that is put together before it is written: "r" in quotes, "s:>8" by a format.
static Text put_together(const Text& text, const std::string& how) {
  return {"{" + how + "|" + format_in(text) + "}", text.values};
}

static Written quoted(Context& ctx, const Text& text, const Writing& to) {
  if (!is_ascii(text.text)) {
    error(ctx, DiagCode::print_value, to.node,
          {"the repr() of a string that is not ASCII", std::string(to.by)});
    return std::nullopt;
  }
  if (text.values.empty()) return text_with(repr_text(text.text));
  return put_together(text, "r");
}

// --- what is made of other values ---

// (1, 2), P(x=1, y=2): `names` of the elements, or none.
template <class Element>
static Written in_parentheses(std::string name, size_t count, Element&& element,
                              const char* end = ")") {
  Text out{std::move(name) + "("};
  for (size_t i = 0; i < count; ++i) {
    if (i) append(out, text_with(", "));
    const Written one = element(i);
    if (!one) return std::nullopt;
    append(out, *one);
  }
  append(out, text_with(end));
  return out;
}

// As NumPy's repr() writes its numbers.
static Written numpy_repr(Context& ctx, const Value& value, const Writing& to) {
  const bool number = value.is_number() || value.is_complex();
  const std::string name = number ? std::string(name_of(value.code())) : "";
  const bool plain = !number || is_weak(value.code()) ||
                     (value.is_number() && (is_bool(value.code()) || name.starts_with("bfloat") ||
                                            name.starts_with("float8")));
  if (plain) return repr_of(ctx, value, to);
  Text out{"np." + name + "("};
  append(out, value.is_complex() ? complex_of_text(ctx, value, "J", to.node)
                                 : number_of_text(ctx, value, "", to.node));
  append(out, text_with(")"));
  return out;
}

static Written tuple_text(Context& ctx, std::span<const Value> elements, const Writing& to,
                          Written element(Context&, const Value&, const Writing&)) {
  return in_parentheses(
      "", elements.size(), [&](size_t i) { return element(ctx, elements[i], to); },
      elements.size() == 1 ? ",)" : ")");
}

// By the names of its fields.
static Written named_text(Context& ctx, const Value& value, const syntax::TypeDecl& decl,
                          const Writing& to,
                          Written element(Context&, const Value&, const Writing&)) {
  std::vector<size_t> shown;
  for (size_t i = 0; i < decl.fields.size(); ++i)
    if (decl.fields[i].in_repr) shown.push_back(i);
  return in_parentheses(decl.repr_name, shown.size(), [&](size_t i) -> Written {
    Text field{decl.fields[shown[i]].name + "="};
    const Written one = element(ctx, value.parts()[shown[i]], to);
    if (one) append(field, *one);
    return one ? Written(field) : std::nullopt;
  });
}

// What a method of the class gives, which has to be a string; nothing: it has no such method.
static std::optional<Written> by_method(Context& ctx, const Value& value, const char* method,
                                        const std::vector<Value>& arguments, const Writing& to) {
  const std::optional<Value> result = class_call(ctx, value, method, arguments, to.node);
  if (!result) return std::nullopt;
  if (auto* text = result->as<Text>()) return Written(*text);
  if (!result->contains_unknown())
    error(ctx, DiagCode::text_of_method, to.node, {type_text(value), method, type_text(*result)});
  return Written();
}

static Written record_text(Context& ctx, const Value& value, const Writing& to) {
  const Value::Record& record = value.record();
  switch (record.type->kind) {
    case RecordType::Kind::Vector:
      return in_parentheses("device." + record.type->name, record.fields.size(),
                            [&](size_t i) { return str_of(ctx, record.fields[i], to); });
    case RecordType::Kind::Mask: {
      Text out{"device.WarpMask(0x"};
      append(out, number_of_text(ctx, mask_bits(value), "08x", to.node));
      append(out, text_with(")"));
      return out;
    }
    case RecordType::Kind::Struct:
      return named_text(ctx, value, *record.type->decl, to, numpy_repr);
    case RecordType::Kind::Tuple:
      return tuple_text(ctx, record.fields, to, numpy_repr);
    default:
      return refuse(ctx, value, to, quoted_type(value));
  }
}

static Written range_text(Context& ctx, const Value::Range& range, const Writing& to) {
  const Exact* step = range.bounds[2].exact();
  if (!step) return refuse(ctx, range, to, "a range whose step is not known");
  return in_parentheses("range", step->integer == 1 ? 2 : 3,
                        [&](size_t i) { return str_of(ctx, range.bounds[i], to); });
}

static Written tuple_of_text(Context& ctx, const Value& value, const Writing& to) {
  const RecordRef cls = class_of(value);
  if (!cls || !cls->decl) return tuple_text(ctx, value.elements(), to, repr_of);
  if (cls->decl->repr_name.empty())
    return refuse(ctx, value, to, with_article(type_text(value)) + ", whose class has no __repr__");
  return named_text(ctx, value, *cls->decl, to, repr_of);
}

Written repr_of(Context& ctx, const Value& value, const Writing& to) {
  if (value.contains_unknown()) return std::nullopt;
  if (auto* text = value.as<Text>()) return quoted(ctx, *text, to);
  if (auto* constant = value.as<Value::Constant>(); constant && constant->shown)
    return text_with(constant->shown->repr);
  if (is_member(value))
    if (const Written member = member_text(ctx, value, true, to.node)) return member;
  if (const auto own = by_method(ctx, value, "__repr__", {}, to)) return *own;
  if (is_member(value))
    return refuse(ctx, value, to, "members of a Flag that are put together in the kernel");
  if (value.is_number() && scalar_of(value.code())) return number_of_text(ctx, value, "", to.node);
  if (value.is_complex()) return complex_of_text(ctx, value, "j", to.node);
  if (value.is_none()) return text_with("None");
  if (value.is_tuple()) return tuple_of_text(ctx, value, to);
  if (value.is_record()) return record_text(ctx, value, to);
  if (auto* range = value.as<Value::Range>()) return range_text(ctx, *range, to);
  if (is_vector(value)) return record_text(ctx, vector_of_position(ctx, value), to);
  return refuse(ctx, value, to, quoted_type(value));
}

Written str_of(Context& ctx, const Value& value, const Writing& to) {
  if (value.contains_unknown()) return std::nullopt;
  if (auto* text = value.as<Text>()) return *text;
  if (auto* constant = value.as<Value::Constant>(); constant && constant->shown)
    return text_with(constant->shown->str);
  if (is_member(value))
    if (const Written member = member_text(ctx, value, false, to.node)) return member;
  if (const auto own = by_method(ctx, value, "__str__", {}, to)) return *own;
  return repr_of(ctx, value, to);
}

// --- formats ---

static std::nullopt_t does_not_fit(Context& ctx, const std::string& spec, const Value& value,
                                   const std::string& why, const std::string& hint,
                                   const Writing& to) {
  wrong_kind(ctx, DiagCode::format_type, to.node, value, {spec, quoted_type(value), why, hint});
  return std::nullopt;
}

static bool takes(Context& ctx, const FormatSpec& spec, const std::string& text, Formatted what,
                  const Value& value, const Writing& to) {
  const std::string lacks = refused_in(spec, what);
  if (lacks.empty()) return true;
  const bool whole = what != Formatted::Integer && spec.has_type_of_integers();
  does_not_fit(ctx, text, value, std::string(name_of(what)) + " have no " + lacks + " there",
               whole && what == Formatted::Float ? "use one of e f g, or int()" : "leave it out",
               to);
  return false;
}

static Written by_format(Context& ctx, const Value& value, const FormatSpec& spec,
                         const std::string& text, const Writing& to) {
  if (is_mask(value)) return by_format(ctx, number_of_mask(ctx, value, to.node), spec, text, to);
  if (value.is_complex()) {
    if (!takes(ctx, spec, text, Formatted::Complex, value, to)) return std::nullopt;
    return complex_of_text(ctx, value, "j:" + text, to.node);
  }
  if (value.is_number() && scalar_of(value.code())) {
    const bool is_real = is_float(value.code());
    if (!takes(ctx, spec, text, is_real ? Formatted::Float : Formatted::Integer, value, to))
      return std::nullopt;
    return number_of_text(ctx, value, text, to.node);
  }
  if (!is_text(value) && !value.is<Value::Enum>())
    return does_not_fit(ctx, text, value, "Python has formats of numbers and strings only",
                        "make it a string first, as in {x!s:>8}", to);
  const Written string = str_of(ctx, value, to);
  if (!string || !takes(ctx, spec, text, Formatted::String, value, to)) return std::nullopt;
  if (string->values.empty()) return text_with(string_text(string->text, spec));
  return put_together(*string, "s:" + text);
}

Written formatted(Context& ctx, const Value& value, const std::string& spec, const Writing& to) {
  if (value.contains_unknown()) return std::nullopt;
  if (const auto own = by_method(ctx, value, "__format__", {text_with(spec)}, to)) return *own;
  if (spec.empty()) return str_of(ctx, value, to);
  const std::optional<FormatSpec> read = read_format_spec(spec);
  if (read) return by_format(ctx, value, *read, spec, to);
  error(ctx, DiagCode::format_unknown, to.node, {spec});
  return std::nullopt;
}

std::optional<Told> told(Context& ctx, const Text& text, const Writing& to) {
  Told out;
  out.format.text = format_in(text);
  for (const Value& value : text.values) {
    out.format.arguments.push_back(*scalar_of(value.code()));
    out.values.push_back(inst_of(ctx, value, to.node));
  }
  if (out.values.size() <= kMostPrinted) return out;
  error(ctx, DiagCode::print_too_many, to.node,
        {std::to_string(kMostPrinted), std::to_string(out.values.size()), std::string(to.by)});
  return std::nullopt;
}

}  // namespace cuda_device::frontend
