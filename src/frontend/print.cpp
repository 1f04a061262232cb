// print and the f-strings that it takes: a format that is known, and the numbers for it.
#include <algorithm>

#include "frontend/intrinsics.h"
#include "frontend/lowerer.h"
#include "support/print_format.h"

namespace cuda_device::frontend {
namespace {

constexpr size_t kMostValues = 32;  // as many as CUDA's printf takes

// "'float64'"
std::string quoted_type(const Value& value) { return "'" + type_text(value) + "'"; }

}  // namespace

Value Lowerer::call_print(const Arguments& a, const Intrinsic&) {
  if (!check_keywords(a)) return Value::unknown();
  const std::optional<std::string> between = separator(a, "sep", " "),
                                   end = separator(a, "end", "\n");
  if (!between || !end) return Value::unknown();
  Print print;
  bool fine = true;
  for (size_t i = 0; i < a.positional.size(); ++i) {
    if (i) print.format.text += as_format(*between);
    fine &= add_to(print, a.positional[i], argument_node(a, i));
  }
  print.format.text += as_format(*end);
  if (!fine) return Value::unknown();
  if (print.values.size() > kMostValues)
    return error(DiagCode::print_too_many, a.node,
                 {std::to_string(kMostValues), std::to_string(print.values.size())});
  auto& all = function_->formats;
  auto at = std::ranges::find(all, print.format);
  if (at == all.end()) at = all.insert(all.end(), std::move(print.format));
  this->at(a.node);
  builder_.typed(Op::Print, ir::Type::none(), std::move(print.values), at - all.begin());
  return Value::none();
}

bool Lowerer::check_keywords(const Arguments& a) {
  bool fine = true;
  for (size_t k = 0; k < a.named.size(); ++k) {
    const std::string& name = a.named[k].first;
    if (name == "sep" || name == "end") continue;
    error(DiagCode::print_keyword, a.node->keywords[k], {name});
    fine = false;
  }
  return fine;
}

std::optional<std::string> Lowerer::separator(const Arguments& a, const std::string& name,
                                              const char* otherwise) {
  for (size_t k = 0; k < a.named.size(); ++k) {
    const auto& [given, value] = a.named[k];
    if (given != name || value.is_none()) continue;
    if (value.kind == Value::Kind::Text) return value.name;
    error(DiagCode::print_separator, syntax::as<syntax::keyword>(a.node->keywords[k])->value,
          {name, quoted_type(value)});
    return std::nullopt;
  }
  return otherwise;
}

bool Lowerer::add_to(Print& print, const Value& value, const Node* node) {
  switch (value.kind) {
    case Value::Kind::Number:
      return add_number(print, value, node);
    case Value::Kind::Text:
      // A NUL would end it for CUDA's printf.
      if (value.name.find('\0') != value.name.npos) break;
      print.format.text += as_format(value.name);
      return true;
    case Value::Kind::None:
      print.format.text += "None";
      return true;
    case Value::Kind::Tuple:
      return add_tuple(print, value, node);
    case Value::Kind::FString:
      return add_f_string(print, value);
    default:
      break;
  }
  const bool text = value.kind == Value::Kind::Text;
  wrong_kind(DiagCode::print_value, node, value,
             {text ? "a string with a NUL character" : quoted_type(value)});
  return false;
}

// Constants of no format of their own are written as they stand, however large.
bool Lowerer::add_number(Print& print, const Value& number, const Node* node) {
  if (number.exact && number.code == TypeCode::weak_int) {
    print.format.text += to_text(number.code, *number.exact);
    return true;
  }
  if (!scalar_of(number.code)) return false;
  print.format.text += "{}";
  print.format.arguments.push_back(*scalar_of(number.code));
  at(node);
  print.values.push_back(inst_of(number, node));
  return true;
}

// Strings in it would be written with quotes: they are left to those who need them.
bool Lowerer::add_tuple(Print& print, const Value& tuple, const Node* node) {
  print.format.text += '(';
  for (size_t i = 0; i < tuple.elements.size(); ++i) {
    const Value& element = tuple.elements[i];
    const bool fits = element.is_number() || element.is_none() || element.is_tuple();
    if (!fits) {
      wrong_kind(DiagCode::print_value, node, element,
                 {"a tuple with " + quoted_type(element) + " in it"});
      return false;
    }
    if (i) print.format.text += ", ";
    if (!add_to(print, element, node)) return false;
  }
  print.format.text += tuple.elements.size() == 1 ? ",)" : ")";
  return true;
}

// ---------------------------------------------------------------------------------------------
// f-strings

// Its values where it stands; it is put together where it is printed.
Value Lowerer::f_string(const syntax::JoinedStr* node) {
  Value text = Value::named(Value::Kind::FString, "");
  text.node = node;
  for (const Node* part : node->values)
    if (auto* field = syntax::as<syntax::FormattedValue>(part))
      text.elements.push_back(expr(field->value));
  return text;
}

bool Lowerer::add_f_string(Print& print, const Value& text) {
  size_t k = 0;
  for (const Node* part : syntax::as<syntax::JoinedStr>(text.node)->values) {
    if (auto* field = syntax::as<syntax::FormattedValue>(part)) {
      if (!add_field(print, text.elements[k++], field)) return false;
    } else if (!add_to(print, expr(part), part)) {
      return false;
    }
  }
  return true;
}

// !r and !s of a number are what print writes. Of a field only its value has a place of its own in
// every version of Python.
bool Lowerer::add_field(Print& print, const Value& value, const syntax::FormattedValue* field) {
  if (field->conversion.integer == 'a') {
    error(DiagCode::format_conversion, field->value);
    return false;
  }
  std::string format;
  if (auto* parts = syntax::as<syntax::JoinedStr>(field->format_spec)) {
    for (const Node* part : parts->values) {
      auto* constant = syntax::as<syntax::Constant>(part);
      if (!constant) {
        auto* value = syntax::as<syntax::FormattedValue>(part);
        error(DiagCode::format_constant, value ? value->value : part);
        return false;
      }
      format += constant->value.text;
    }
  }
  if (format.empty()) return add_to(print, value, field->value);
  const std::optional<Value> number = with_format(value, format, field);
  if (!number) return false;
  print.format.text += "{:" + format + "}";
  print.format.arguments.push_back(*scalar_of(number->code));
  at(field->value);
  print.values.push_back(inst_of(*number, field->value));
  return true;
}

// The number as the format wants it: Python writes bools as integers then, and integers by formats
// of floats as floats.
std::optional<Value> Lowerer::with_format(const Value& value, const std::string& text,
                                          const syntax::FormattedValue* field) {
  const std::optional<FormatSpec> spec = read_format_spec(text);
  if (!spec) {
    error(DiagCode::format_unknown, field->value, {text});
    return std::nullopt;
  }
  if (!value.is_number() || field->conversion.integer > 0) {
    const std::string found = value.is_number() ? "a string, by !r or !s" : quoted_type(value);
    wrong_kind(DiagCode::format_type, field->value, value,
               {text, "numbers", found, "leave the format out"});
    return std::nullopt;
  }
  const bool of_integers = spec->type && !spec->of_floats();
  if (of_integers && is_float(value.code)) {
    error(DiagCode::format_type, field->value,
          {text, "integers", quoted_type(value), "use one of e f g, or int()"});
    return std::nullopt;
  }
  Value number = value;
  if (is_bool(number.code)) number = convert(number, TypeCode::i4, field->value);
  if (spec->of_floats() && is_int(number.code))
    number = convert(number, TypeCode::f8, field->value);
  if (number.is_unknown()) return std::nullopt;
  return number;
}

}  // namespace cuda_device::frontend
