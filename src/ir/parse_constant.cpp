#include "ir/parse_constant.h"

#include <charconv>

#include "ir/ir.h"

namespace cuda_device::ir {
namespace {

template <class T, class... Format>
std::optional<T> whole(std::string_view text, Format... format) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, format...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int64_t> integer(std::string_view text) {
  if (auto value = whole<int64_t>(text)) return value;
  if (auto value = whole<uint64_t>(text)) return static_cast<int64_t>(*value);
  return std::nullopt;
}

// `name(0x...)`.
std::optional<int64_t> bits(std::string_view text, std::string_view name) {
  const size_t shell = name.size() + 4;
  if (text.size() <= shell || !text.starts_with(name) || !text.ends_with(')')) return std::nullopt;
  if (text.substr(name.size(), 3) != "(0x") return std::nullopt;
  auto value = whole<uint64_t>(text.substr(name.size() + 3, text.size() - shell), 16);
  if (!value) return std::nullopt;
  return static_cast<int64_t>(*value);
}

template <class T>
std::optional<int64_t> number(std::string_view text, ScalarKind kind) {
  if (auto value = whole<T>(text)) return float_bits(kind, static_cast<double>(*value));
  return std::nullopt;
}

// Rounds once, in the type's own format: twice would miss the nearest float32. What the printer
// writes of a narrower one is that number through a double too.
std::optional<int64_t> floating(std::string_view text, ScalarKind kind) {
  if (auto value = bits(text, "nan")) return value;
  if (auto value = bits(text, "bits")) return value;
  return is_native<float>(kind) ? number<float>(text, kind) : number<double>(text, kind);
}

}  // namespace

std::optional<int64_t> parse_constant(std::string_view text, Type type) {
  if (!type.is_scalar()) return std::nullopt;
  if (type.is_float()) return floating(text, type.scalar());
  if (type.is_bool() && text == "true") return 1;
  if (type.is_bool() && text == "false") return 0;
  return integer(text);
}

}  // namespace cuda_device::ir
