// print: a format that is known, and the numbers for it.
#include "frontend/calls/handlers.h"

#include <algorithm>

#include "frontend/calls/calls.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/calls/written.h"
#include "frontend/diagnosis/diagnosis.h"
#include "support/print_format.h"

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
    if (auto* text = value.as<Value::Text>()) return text->text;
    error(ctx, DiagCode::print_separator, a.named_sources[k], {name, "'" + type_text(value) + "'"});
    return std::nullopt;
  }
  return otherwise;
}

// A NUL would end it for CUDA's printf.
static bool write_argument(Context& ctx, Written& print, const Arguments& a, size_t i) {
  const size_t begin = print.format.text.size();
  if (!write(ctx, print, a.positional[i], argument_node(a, i))) return false;
  if (print.format.text.find('\0', begin) == std::string::npos) return true;
  error(ctx, DiagCode::print_value, argument_node(a, i),
        {"a string with a NUL character", std::string(print.by)});
  return false;
}

Value call_print(Context& ctx, const Arguments& a, const Intrinsic&) {
  if (!check_keywords(ctx, a)) return Value::unknown();
  const std::optional<std::string> between = separator(ctx, a, "sep", " "),
                                   end = separator(ctx, a, "end", "\n");
  if (!between || !end) return Value::unknown();
  Written print{"print()"};
  bool fine = true;
  for (size_t i = 0; i < a.positional.size(); ++i) {
    if (i) print.format.text += as_format(*between);
    fine &= write_argument(ctx, print, a, i);
  }
  print.format.text += as_format(*end);
  if (!fine || !check_count(ctx, print, a.node)) return Value::unknown();
  auto& all = ctx.function->formats;
  auto at = std::ranges::find(all, print.format);
  if (at == all.end()) at = all.insert(all.end(), std::move(print.format));
  ctx.at(a.node);
  ctx.builder.typed(Op::Print, ir::Type::none(), std::move(print.values), at - all.begin());
  return Value::none();
}

}  // namespace cuda_device::frontend
