// print: a format that is known, and the numbers for it.
#include "frontend/calls/handlers.h"

#include <algorithm>

#include "frontend/calls/calls.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/texts/texts.h"
#include "support/c_format.h"

namespace cuda_device::frontend {

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
    if (const std::string* text = value.string()) return *text;
    error(ctx, DiagCode::print_separator, a.named_sources[k], {name, "'" + type_text(value) + "'"});
    return std::nullopt;
  }
  return otherwise;
}

// A NUL would end it for CUDA's printf.
static std::optional<Text> argument_text(Context& ctx, const Arguments& a, size_t i) {
  const Writing to{"print()", argument_node(a, i)};
  std::optional<Text> text = str_of(ctx, a.positional[i], to);
  if (!text || text->text.find('\0') == std::string::npos) return text;
  error(ctx, DiagCode::print_value, to.node, {"a string with a NUL character", std::string(to.by)});
  return std::nullopt;
}

static bool fits_printf(Context& ctx, const PrintFormat& format, const Node* node) {
  if (!ctx.session.request.target.device) return true;
  const std::string lacking = c_print(format).lacking;
  if (!lacking.empty()) error(ctx, DiagCode::print_on_gpu, node, {lacking});
  return lacking.empty();
}

Value call_print(Context& ctx, const Arguments& a, const Intrinsic&) {
  if (!check_keywords(ctx, a)) return Value::unknown();
  const std::optional<std::string> between = separator(ctx, a, "sep", " "),
                                   end = separator(ctx, a, "end", "\n");
  if (!between || !end) return Value::unknown();
  Text all;
  bool fine = true;
  for (size_t i = 0; i < a.positional.size(); ++i) {
    if (i) append(all, text_with(*between));
    const std::optional<Text> one = argument_text(ctx, a, i);
    if (one) append(all, *one);
    fine &= one && check_length(ctx, all, a.node);
  }
  append(all, text_with(*end));
  std::optional<Told> print = fine ? told(ctx, all, {"print()", a.node}) : std::nullopt;
  if (!print || !fits_printf(ctx, print->format, a.node)) return Value::unknown();
  auto& formats = ctx.function->formats;
  auto at = std::ranges::find(formats, print->format);
  if (at == formats.end()) at = formats.insert(formats.end(), std::move(print->format));
  ctx.at(a.node);
  ctx.builder.typed(Op::Print, ir::Type::none(), std::move(print->values), at - formats.begin());
  return Value::none();
}

}  // namespace cuda_device::frontend
