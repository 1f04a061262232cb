// print and the f-strings that it takes: a format that is known, and the numbers for it.
#include "frontend/calls/handlers.h"

#include <algorithm>

#include "frontend/calls/calls.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "support/print_format.h"

namespace cuda_device::frontend {
namespace {

struct Print {  // being put together
  PrintFormat format;
  std::vector<Inst*> values;
};

constexpr size_t kMostValues = 32;  // as many as CUDA's printf takes

// "'float64'"
std::string quoted_type(const Value& value) { return "'" + type_text(value) + "'"; }

}  // namespace

static bool add_to(Context& ctx, Print& print, const Value& value, const Node* node);

static bool check_keywords(Context& ctx, const Arguments& a) {
  bool fine = true;
  for (size_t k = 0; k < a.named.size(); ++k) {
    const std::string& name = a.named[k].first;
    if (name == "sep" || name == "end") continue;
    const bool written = k < a.node->keywords.size();
    error(ctx, DiagCode::print_keyword, written ? a.node->keywords[k] : a.named_sources[k], {name});
    fine = false;
  }
  return fine;
}

static std::optional<std::string> separator(Context& ctx, const Arguments& a,
                                            const std::string& name, const char* otherwise) {
  for (size_t k = 0; k < a.named.size(); ++k) {
    const auto& [given, value] = a.named[k];
    if (given != name || value.is_none()) continue;
    if (auto* text = value.as<Value::Text>()) return text->text;
    error(ctx, DiagCode::print_separator, a.named_sources[k], {name, quoted_type(value)});
    return std::nullopt;
  }
  return otherwise;
}

// Constants of no format of their own are written as they stand, however large.
static bool add_number(Context& ctx, Print& print, const Value& number, const Node* node) {
  if (number.exact() && is_weak(number.code()) && is_int(number.code())) {
    print.format.text += to_text(number.code(), *number.exact());
    return true;
  }
  if (!scalar_of(number.code())) return false;
  print.format.text += "{}";
  print.format.arguments.push_back(*scalar_of(number.code()));
  ctx.at(node);
  print.values.push_back(inst_of(ctx, number, node));
  return true;
}

// The parts are two values of one place.
static void add_complex(Context& ctx, Print& print, const Value& z, const Node* node) {
  print.format.text += "{:j}";
  ctx.at(node);
  for (const Value& part : z.parts()) {
    print.format.arguments.push_back(*scalar_of(part.code()));
    print.values.push_back(inst_of(ctx, part, node));
  }
}

// Strings in a tuple are refused: Python would write them with quotes.
static bool add_tuple(Context& ctx, Print& print, const Value& tuple, const Node* node) {
  print.format.text += '(';
  for (size_t i = 0; i < tuple.elements().size(); ++i) {
    const Value& element = tuple.elements()[i];
    const bool fits =
        element.is_number() || element.is_complex() || element.is_none() || element.is_tuple();
    if (!fits) {
      wrong_kind(ctx, DiagCode::print_value, node, element,
                 {"a tuple with " + quoted_type(element) + " in it"});
      return false;
    }
    if (i) print.format.text += ", ";
    if (!add_to(ctx, print, element, node)) return false;
  }
  print.format.text += tuple.elements().size() == 1 ? ",)" : ")";
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

// !r and !s of a number are what print writes. Of a field only its value has a place of its own in
// every version of Python.
static bool add_field(Context& ctx, Print& print, const Value& value,
                      const syntax::FormattedValue* field) {
  if (field->conversion.integer == 'a') {
    error(ctx, DiagCode::format_conversion, field->value);
    return false;
  }
  std::string format;
  if (auto* parts = syntax::as<syntax::JoinedStr>(field->format_spec)) {
    for (const Node* part : parts->values) {
      auto* constant = syntax::as<syntax::Constant>(part);
      if (!constant) {
        auto* value = syntax::as<syntax::FormattedValue>(part);
        error(ctx, DiagCode::format_constant, value ? value->value : part);
        return false;
      }
      format += constant->value.text;
    }
  }
  if (format.empty()) return add_to(ctx, print, value, field->value);
  const std::optional<Value> number = with_format(ctx, value, format, field);
  if (!number) return false;
  print.format.text += "{:" + format + "}";
  print.format.arguments.push_back(*scalar_of(number->code()));
  ctx.at(field->value);
  print.values.push_back(inst_of(ctx, *number, field->value));
  return true;
}

static bool add_f_string(Context& ctx, Print& print, const Value::FString& text) {
  size_t k = 0;
  for (const Node* part : syntax::as<syntax::JoinedStr>(text.node)->values) {
    if (auto* field = syntax::as<syntax::FormattedValue>(part)) {
      if (!add_field(ctx, print, text.values[k++], field)) return false;
    } else if (!add_to(ctx, print, expr(ctx, part), part)) {
      return false;
    }
  }
  return true;
}

static bool add_to(Context& ctx, Print& print, const Value& value, const Node* node) {
  if (value.is_number()) return add_number(ctx, print, value, node);
  if (value.is_tuple()) return add_tuple(ctx, print, value, node);
  if (value.is_complex()) {
    add_complex(ctx, print, value, node);
    return true;
  }
  if (auto* format = value.as<Value::FString>()) return add_f_string(ctx, print, *format);
  auto* text = value.as<Value::Text>();
  // A NUL would end it for CUDA's printf.
  if (value.is_none() || (text && text->text.find('\0') == text->text.npos)) {
    print.format.text += text ? as_format(text->text) : "None";
    return true;
  }
  wrong_kind(ctx, DiagCode::print_value, node, value,
             {text ? "a string with a NUL character" : quoted_type(value)});
  return false;
}

Value call_print(Context& ctx, const Arguments& a, const Intrinsic&) {
  if (!check_keywords(ctx, a)) return Value::unknown();
  const std::optional<std::string> between = separator(ctx, a, "sep", " "),
                                   end = separator(ctx, a, "end", "\n");
  if (!between || !end) return Value::unknown();
  Print print;
  bool fine = true;
  for (size_t i = 0; i < a.positional.size(); ++i) {
    if (i) print.format.text += as_format(*between);
    fine &= add_to(ctx, print, a.positional[i], argument_node(a, i));
  }
  print.format.text += as_format(*end);
  if (!fine) return Value::unknown();
  if (print.values.size() > kMostValues)
    return error(ctx, DiagCode::print_too_many, a.node,
                 {std::to_string(kMostValues), std::to_string(print.values.size())});
  auto& all = ctx.function->formats;
  auto at = std::ranges::find(all, print.format);
  if (at == all.end()) at = all.insert(all.end(), std::move(print.format));
  ctx.at(a.node);
  ctx.builder.typed(Op::Print, ir::Type::none(), std::move(print.values), at - all.begin());
  return Value::none();
}

// ---------------------------------------------------------------------------------------------
// f-strings

Value f_string(Context& ctx, const syntax::JoinedStr* node) {
  Value::FString text{node, {}};
  for (const Node* part : node->values)
    if (auto* field = syntax::as<syntax::FormattedValue>(part))
      text.values.push_back(expr(ctx, field->value));
  return text;
}

}  // namespace cuda_device::frontend
