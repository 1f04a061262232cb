// f-strings, and the builtins that make strings: str, repr, format, hex, oct, bin.
#include "frontend/calls/calls.h"
#include "frontend/calls/handlers.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/texts/texts.h"
#include "frontend/warps/warps.h"
#include "support/print_format.h"

namespace cuda_device::frontend {
namespace {

Value value_of(std::optional<Text> text) {
  return text ? Value(*std::move(text)) : Value::unknown();
}

}  // namespace

// What stands after the colon; nothing: it is not constant, or an error.
static std::optional<std::string> format_of(Context& ctx, const syntax::FormattedValue* field) {
  auto* parts = syntax::as<syntax::JoinedStr>(field->format_spec);
  if (!parts) return "";
  const Value format = f_string(ctx, parts);
  if (const std::string* text = format.string()) return *text;
  if (format.is_unknown()) return std::nullopt;
  // Only the value of a field has a place of its own in every version of Python.
  for (const Node* part : parts->values)
    if (auto* value = syntax::as<syntax::FormattedValue>(part))
      error(ctx, DiagCode::format_constant, value->value);
  return std::nullopt;
}

static std::optional<Text> field_text(Context& ctx, const syntax::FormattedValue* field) {
  const Value value = expr(ctx, field->value);
  const std::optional<std::string> format = format_of(ctx, field);
  const Writing to{"an f-string", field->value};
  if (!format) return std::nullopt;
  const auto conversion = static_cast<char>(field->conversion.integer);
  if (field->conversion.integer <= 0) return formatted(ctx, value, *format, to);
  if (conversion == 'a') {
    error(ctx, DiagCode::format_conversion, field->value);
    return std::nullopt;
  }
  const auto converted = conversion == 'r' ? repr_of(ctx, value, to) : str_of(ctx, value, to);
  return converted ? formatted(ctx, *converted, *format, to) : std::nullopt;
}

Value f_string(Context& ctx, const syntax::JoinedStr* node) {
  Text all;
  bool fine = true;
  for (const Node* part : node->values) {
    auto* field = syntax::as<syntax::FormattedValue>(part);
    const auto text =
        field ? field_text(ctx, field) : str_of(ctx, expr(ctx, part), {"an f-string", part});
    fine = fine && text && check_length(ctx, all, node);
    if (fine) append(all, *text);
  }
  return fine && check_length(ctx, all, node) ? Value(std::move(all)) : Value::unknown();
}

Value call_str(Context& ctx, const Arguments& a, const Intrinsic&) {
  if (a.positional.empty()) return text_with("");
  return value_of(str_of(ctx, a.positional[0], {"str()", argument_node(a, 0)}));
}

Value call_repr(Context& ctx, const Arguments& a, const Intrinsic&) {
  return value_of(repr_of(ctx, a.positional[0], {"repr()", argument_node(a, 0)}));
}

Value call_format(Context& ctx, const Arguments& a, const Intrinsic&) {
  const Value format = a.positional.size() > 1 ? a.positional[1] : text_with("");
  if (format.contains_unknown()) return Value::unknown();
  const std::string* spec = format.string();
  if (!spec) return error(ctx, DiagCode::format_constant, argument_node(a, 1));
  return value_of(formatted(ctx, a.positional[0], *spec, {"format()", argument_node(a, 0)}));
}

// "0xff", as format() with "#x".
Value call_digits(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const Value value = number_of_mask(ctx, a.positional[0], a.node);
  if (value.contains_unknown()) return Value::unknown();
  const std::string name = i.short_name();
  if (!value.is_number() || is_float(value.code()))
    return wrong_kind(ctx, DiagCode::digits_of, argument_node(a, 0), value,
                      {name, type_text(value)});
  const std::string spec = name == "hex" ? "#x" : name == "oct" ? "#o" : "#b";
  return value_of(formatted(ctx, value, spec, {name + "()", argument_node(a, 0)}));
}

}  // namespace cuda_device::frontend
