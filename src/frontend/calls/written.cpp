#include "frontend/calls/written.h"

#include <algorithm>
#include <bit>

#include "frontend/calls/calls.h"
#include "frontend/calls/handlers.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "support/print_format.h"

namespace cuda_device::frontend {
namespace {

// Of a text that is put together: "s = s + s" in a loop that is unrolled doubles it.
constexpr size_t kMostText = 1 << 16;
constexpr size_t kMostParts = 1024;

// "'float64'"
std::string quoted_type(const Value& value) { return "'" + type_text(value) + "'"; }

// A constant of no format of its own as it stands, however large or precise; nothing: it is known
// at run time only.
std::optional<std::string> constant_text(Context& ctx, const Value& number, const FormatSpec& spec,
                                         const Node* node) {
  const Exact* exact = number.exact();
  if (!exact) return std::nullopt;
  const TypeCode code = number.code();
  if (is_weak(code) && is_int(code)) {
    if (spec == FormatSpec{}) return to_text(exact->integer);
    if (fits(exact->integer, TypeCode::i8))
      return number_text(ScalarKind::I64, static_cast<int64_t>(exact->integer), spec);
  }
  if (is_weak(code) && is_float(code))
    return number_text(ScalarKind::F64, std::bit_cast<int64_t>(exact->real), spec);
  return number_text(*scalar_of(code), inst_of(ctx, number, node)->imm, spec);
}

// `spec`: as it stands between the braces, with its colon.
void write_number(Context& ctx, Written& to, const Value& number, const std::string& spec,
                  const Node* node) {
  const FormatSpec read =
      spec.empty() ? FormatSpec{} : read_format_spec(spec.substr(1)).value_or(FormatSpec{});
  ctx.at(node);
  if (const auto constant = constant_text(ctx, number, read, node)) {
    to.format.text += *constant;
    return;
  }
  to.format.text += "{" + spec + "}";
  to.format.arguments.push_back(*scalar_of(number.code()));
  to.values.push_back(inst_of(ctx, number, node));
}

// The parts are two values of one place.
void write_complex(Context& ctx, Written& to, const Value& z, const Node* node) {
  to.format.text += "{:j}";
  ctx.at(node);
  for (const Value& part : z.parts()) {
    to.format.arguments.push_back(*scalar_of(part.code()));
    to.values.push_back(inst_of(ctx, part, node));
  }
}

// A string as it is written within a tuple: in quotes, with escapes. Numbers within it have none
// of either. Nothing: some character is not ASCII, and Python escapes it where it is not printable.
std::optional<std::string> in_quotes(std::string_view text) {
  const bool has_single = text.find('\'') != text.npos;
  const char quote = has_single && text.find('"') == text.npos ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    if (c & 0x80) return std::nullopt;
    constexpr std::string_view kNamed = "\t\n\r", kNames = "tnr";
    if (const size_t at = kNamed.find(c); at != kNamed.npos) {
      out += {'\\', kNames[at]};
    } else if (c < ' ' || c == 0x7F) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      out += {'\\', 'x', kDigits[static_cast<size_t>(c >> 4)], kDigits[c & 15]};
    } else {
      if (c == quote || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + quote;
}

}  // namespace

static bool write_element(Context& ctx, Written& to, const Value& element, const Node* node) {
  if (!is_text(element)) return write(ctx, to, element, node);
  const size_t begin = to.format.text.size();
  if (!write(ctx, to, element, node)) return false;
  const auto quoted = in_quotes(std::string_view(to.format.text).substr(begin));
  if (!quoted) {
    wrong_kind(ctx, DiagCode::print_value, node, element,
               {"a tuple with a string in it that is not ASCII", std::string(to.by)});
    return false;
  }
  to.format.text.replace(begin, std::string::npos, *quoted);
  return true;
}

static bool write_tuple(Context& ctx, Written& to, const Value& tuple, const Node* node) {
  to.format.text += '(';
  for (size_t i = 0; i < tuple.elements().size(); ++i) {
    const Value& element = tuple.elements()[i];
    const bool fits = element.is_number() || element.is_complex() || element.is_none() ||
                      element.is_tuple() || is_text(element);
    if (!fits) {
      wrong_kind(ctx, DiagCode::print_value, node, element,
                 {"a tuple with " + quoted_type(element) + " in it", std::string(to.by)});
      return false;
    }
    if (i) to.format.text += ", ";
    if (!write_element(ctx, to, element, node)) return false;
  }
  to.format.text += tuple.elements().size() == 1 ? ",)" : ")";
  return true;
}

// The number as the format wants it: Python writes bools as integers then, and integers by formats
// of floats as floats.
static std::optional<Value> with_format(Context& ctx, const Value& value, const std::string& text,
                                        const syntax::FormattedValue* field) {
  const std::optional<FormatSpec> spec = read_format_spec(text);
  if (!spec || spec->type == FormatSpec::kComplex) {
    error(ctx, DiagCode::format_unknown, field->value, {text});
    return std::nullopt;
  }
  if (!value.is_number() || field->conversion.integer > 0) {
    const std::string found = value.is_number() ? "a string, by !r or !s" : quoted_type(value);
    wrong_kind(ctx, DiagCode::format_type, field->value, value,
               {text, "numbers", found, "leave the format out"});
    return std::nullopt;
  }
  const bool of_integers = spec->type && !spec->of_floats();
  if (of_integers && is_float(value.code())) {
    error(ctx, DiagCode::format_type, field->value,
          {text, "integers", quoted_type(value), "use one of e f g, or int()"});
    return std::nullopt;
  }
  Value number = value;
  if (is_bool(number.code())) number = convert(ctx, number, TypeCode::i4, field->value);
  if (spec->of_floats() && is_int(number.code()))
    number = convert(ctx, number, TypeCode::f8, field->value);
  if (number.is_unknown()) return std::nullopt;
  return number;
}

// The format of a field; nothing: it is not constant.
static std::optional<std::string> constant_format(Context& ctx,
                                                  const syntax::FormattedValue* field) {
  std::string format;
  auto* parts = syntax::as<syntax::JoinedStr>(field->format_spec);
  if (!parts) return format;
  for (const Node* part : parts->values) {
    auto* constant = syntax::as<syntax::Constant>(part);
    if (!constant) {
      auto* value = syntax::as<syntax::FormattedValue>(part);
      error(ctx, DiagCode::format_constant, value ? value->value : part);
      return std::nullopt;
    }
    format += constant->value.text;
  }
  return format;
}

// !s of a value is what print writes, and !r but of strings, whose quotes it has. Of a field only
// its value has a place of its own in every version of Python.
static bool write_field(Context& ctx, Written& to, const Value& value,
                        const syntax::FormattedValue* field) {
  if (field->conversion.integer == 'a') {
    error(ctx, DiagCode::format_conversion, field->value);
    return false;
  }
  const std::optional<std::string> format = constant_format(ctx, field);
  if (!format) return false;
  if (format->empty() && field->conversion.integer == 'r')
    return write_element(ctx, to, value, field->value);
  if (format->empty()) return write(ctx, to, value, field->value);
  const std::optional<Value> number = with_format(ctx, value, *format, field);
  if (!number) return false;
  write_number(ctx, to, *number, ":" + *format, field->value);
  return true;
}

static bool write_parts(Context& ctx, Written& to, const Value::FString& text) {
  for (size_t k = 0; k < text.values.size(); ++k) {
    auto* field = syntax::as<syntax::FormattedValue>(text.nodes[k]);
    if (!(field ? write_field(ctx, to, text.values[k], field)
                : write(ctx, to, text.values[k], text.nodes[k])))
      return false;
  }
  return true;
}

bool write(Context& ctx, Written& to, const Value& value, const Node* node) {
  if (value.contains_unknown()) return false;
  if (value.is_number() && scalar_of(value.code())) {
    write_number(ctx, to, value, "", node);
    return true;
  }
  if (value.is_tuple()) return write_tuple(ctx, to, value, node);
  if (value.is_complex()) {
    write_complex(ctx, to, value, node);
    return true;
  }
  if (auto* parts = value.as<Value::FString>()) return write_parts(ctx, to, *parts);
  auto* text = value.as<Value::Text>();
  if (value.is_none() || text) {
    to.format.text += text ? as_format(text->text) : "None";
    return true;
  }
  wrong_kind(ctx, DiagCode::print_value, node, value, {quoted_type(value), std::string(to.by)});
  return false;
}

bool check_count(Context& ctx, const Written& written, const Node* node) {
  const size_t count = written.values.size();
  if (count <= kMostPrinted) return true;
  error(ctx, DiagCode::print_too_many, node,
        {std::to_string(kMostPrinted), std::to_string(count), std::string(written.by)});
  return false;
}

// ---------------------------------------------------------------------------------------------
// f-strings

// Without a value of run time it is a string as any other.
static Value folded(Context& ctx, Value::FString text, std::string_view by) {
  Value whole = std::move(text);
  if (!whole.is_constant_expression() || whole.contains_unknown()) return whole;
  Written written{by};
  if (!write(ctx, written, whole, nullptr)) return Value::unknown();
  if (!written.values.empty()) return whole;
  return Value::Text{PrintFormatter(written.format).text([](size_t) { return int64_t{0}; })};
}

Value f_string(Context& ctx, const syntax::JoinedStr* node) {
  Value::FString text;
  for (const Node* part : node->values) {
    auto* field = syntax::as<syntax::FormattedValue>(part);
    text.values.push_back(expr(ctx, field ? field->value : part));
    text.nodes.push_back(part);
  }
  return folded(ctx, std::move(text), "an f-string");
}

Value call_str(Context& ctx, const Arguments& a, const Intrinsic&) {
  if (a.positional.empty()) return Value::Text{""};
  if (is_text(a.positional[0])) return a.positional[0];
  return folded(ctx, {{a.positional[0]}, {argument_node(a, 0)}}, "str()");
}

static Value::FString as_parts(const Value& text, const Node* node) {
  if (auto* parts = text.as<Value::FString>()) return *parts;
  return {{text}, {node}};
}

std::optional<Value> text_operation(BinaryOp op, const Value& a, const Value& b, const Node* left,
                                    const Node* right) {
  if (op != BinaryOp::Add || !is_text(a) || !is_text(b)) return std::nullopt;
  auto *first = a.as<Value::Text>(), *second = b.as<Value::Text>();
  if (first && second) {
    if (first->text.size() + second->text.size() > kMostText) return std::nullopt;
    return Value::Text{first->text + second->text};
  }
  Value::FString both = as_parts(a, left);
  const Value::FString rest = as_parts(b, right);
  if (both.values.size() + rest.values.size() > kMostParts) return std::nullopt;
  both.values.insert(both.values.end(), rest.values.begin(), rest.values.end());
  both.nodes.insert(both.nodes.end(), rest.nodes.begin(), rest.nodes.end());
  return both;
}

}  // namespace cuda_device::frontend
