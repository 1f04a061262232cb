#include "support/format_spec.h"

#include <algorithm>
#include <charconv>

namespace cuda_device {
namespace {

constexpr int kMostWidth = 255;

bool is_one_of(char c, std::string_view any) { return c && any.find(c) != any.npos; }

// Takes a character that is one of these.
char take(std::string_view& text, std::string_view any) {
  if (text.empty() || !is_one_of(text[0], any)) return 0;
  const char c = text[0];
  text.remove_prefix(1);
  return c;
}

bool begins_with_digit(std::string_view text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

// Digits as a number; nothing where there is none, or it is too large.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!begins_with_digit(text) || error != std::errc() || value > kMostWidth) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

void take_alignment(std::string_view& text, FormatSpec& spec) {
  constexpr std::string_view kAlignments = "<>^=";
  if (text.empty()) return;
  std::string_view rest = text;
  const std::string_view fill = take_character(rest);
  if (const char align = take(rest, kAlignments)) {
    spec.fill = fill;
    spec.align = align;
    text = rest;
  } else {
    spec.align = take(text, kAlignments);
  }
}

std::string refused_in_strings(const FormatSpec& spec) {
  if (spec.type && spec.type != 's') return std::string(1, spec.type);
  if (spec.sign) return "sign";
  if (spec.no_negative_zero) return "z";
  if (spec.alternate) return "#";
  if (spec.align == '=') return "=";
  return spec.grouping ? std::string(1, spec.grouping) : "";
}

std::string refused_in_complex(const FormatSpec& spec) {
  if (spec.type && (!spec.has_type_of_floats() || spec.type == '%') && spec.type != 'n')
    return std::string(1, spec.type);
  if (spec.align == '=') return "=";
  return spec.fill_or_blank() == "0" ? "0 as the fill character" : "";
}

std::string refused_in_integers(const FormatSpec& spec) {
  if (spec.has_type_of_floats()) return "";
  if (spec.type == 's') return "s";
  if (spec.precision >= 0) return "precision";
  if (spec.no_negative_zero) return "z";
  if (spec.type == 'c' && (spec.sign || spec.alternate)) return "c beside a sign or #";
  const bool ungrouped =
      is_one_of(spec.type, "nc") || (spec.grouping == ',' && is_one_of(spec.type, "boxX"));
  return spec.grouping && ungrouped ? std::string(1, spec.grouping) : "";
}

}  // namespace

bool FormatSpec::has_type_of_floats() const { return is_one_of(type, "eEfFgG%"); }
bool FormatSpec::has_type_of_integers() const { return is_one_of(type, "bcdoxX"); }

std::string FormatSpec::fill_or_blank() const {
  if (!fill.empty()) return fill;
  return zeros ? "0" : " ";
}

std::string_view take_character(std::string_view& text) {
  size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) ++size;
  const std::string_view character = text.substr(0, size);
  text.remove_prefix(size);
  return character;
}

std::optional<FormatSpec> take_format_spec(std::string_view& text) {
  FormatSpec spec;
  take_alignment(text, spec);
  spec.sign = take(text, "+- ");
  spec.no_negative_zero = take(text, "z") != 0;
  spec.alternate = take(text, "#") != 0;
  spec.zeros = spec.fill.empty() && take(text, "0") != 0;
  if (begins_with_digit(text)) {
    const std::optional<int> width = take_number(text);
    if (!width) return std::nullopt;
    spec.width = *width;
  }
  spec.grouping = take(text, ",_");
  if (take(text, ".")) {
    const std::optional<int> precision = take_number(text);
    if (!precision) return std::nullopt;
    spec.precision = *precision;
  }
  spec.type = take(text, "bcdeEfFgGnosxX%");
  return spec;
}

std::optional<FormatSpec> read_format_spec(std::string_view text) {
  const std::optional<FormatSpec> spec = take_format_spec(text);
  return text.empty() ? spec : std::nullopt;
}

std::string_view name_of(Formatted what) {
  switch (what) {
    case Formatted::Integer:
      return "integers";
    case Formatted::Float:
      return "floats";
    case Formatted::Complex:
      return "complex numbers";
    case Formatted::String:
      return "strings";
  }
  return "";
}

std::string refused_in(const FormatSpec& spec, Formatted what) {
  switch (what) {
    case Formatted::Integer:
      return refused_in_integers(spec);
    case Formatted::Float:
      if (spec.type == 'n' && spec.grouping) return std::string(1, spec.grouping);
      return spec.type == 's' || spec.has_type_of_integers() ? std::string(1, spec.type) : "";
    case Formatted::Complex:
      if (spec.type == 'n' && spec.grouping) return std::string(1, spec.grouping);
      return refused_in_complex(spec);
    case Formatted::String:
      return refused_in_strings(spec);
  }
  return "";
}

}  // namespace cuda_device
