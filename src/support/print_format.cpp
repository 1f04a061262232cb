#include "support/print_format.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "support/float_format.h"

namespace cuda_device {
namespace {

constexpr int kMostWidth = 255;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes a character that is one of these.
char take(std::string_view& text, std::string_view any) {
  if (text.empty() || any.find(text[0]) == any.npos) return 0;
  const char c = text[0];
  text.remove_prefix(1);
  return c;
}

// Digits as a number; nothing where there is none, or it is too large.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value > kMostWidth) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

// A number without its sign.
struct Magnitude {
  bool negative = false;
  std::string digits;
};

std::string digits_of(uint64_t value, int base) {
  char text[24];
  return {text, std::to_chars(text, text + sizeof text, value, base).ptr};
}

Magnitude magnitude_of(ScalarKind kind, int64_t bits, const FormatSpec& spec) {
  const bool negative = is_signed_int(kind) && bits < 0;
  const auto raw = static_cast<uint64_t>(bits);
  const int base = spec.type == 'x' || spec.type == 'X' ? 16 : spec.type == 'o' ? 8 : 10;
  return {negative, digits_of(negative ? 0 - raw : raw, base)};
}

// As Python's repr: from 1e-4 up to 1e16 without an exponent, and always a float to look at.
std::string plain(std::string scientific) {
  const size_t e = scientific.find('e');
  const int exponent = std::stoi(scientific.substr(e + 1));
  std::string digits = scientific.substr(0, e);
  std::erase(digits, '.');
  const int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) return scientific;
  if (exponent < 0) return "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  if (exponent + 1 >= count)
    return digits + std::string(static_cast<size_t>(exponent + 1 - count), '0') + ".0";
  return digits.insert(static_cast<size_t>(exponent) + 1, ".");
}

// The longest is that of the largest double without an exponent.
constexpr size_t kLongest = 320 + kMostWidth;

template <class Float>
std::string shortest(Float value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
  return plain({text, end.ptr});
}

std::string with_precision(double value, const FormatSpec& spec) {
  const char type = static_cast<char>(spec.type | 0x20);
  const auto format = type == 'f'   ? std::chars_format::fixed
                      : type == 'e' ? std::chars_format::scientific
                                    : std::chars_format::general;
  char text[kLongest];
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  return {text, std::to_chars(text, text + sizeof text, value, format, precision).ptr};
}

std::string digits_of(ScalarKind kind, int64_t bits, double magnitude, const FormatSpec& spec) {
  if (std::isnan(magnitude)) return "nan";
  if (std::isinf(magnitude)) return "inf";
  if (spec.type) return with_precision(magnitude, spec);
  return with_shortest(kind, bits, [](auto value) { return shortest(std::fabs(value)); });
}

Magnitude float_magnitude(ScalarKind kind, int64_t bits, const FormatSpec& spec) {
  const double value = float_of_bits(kind, bits);
  const bool negative = std::signbit(value) && !std::isnan(value);
  return {negative, digits_of(kind, bits, std::fabs(value), spec)};
}

std::string padded(const std::string& sign, const std::string& digits, const FormatSpec& spec) {
  const size_t length = sign.size() + digits.size();
  const auto width = static_cast<size_t>(spec.width);
  if (length >= width) return sign + digits;
  if (spec.left) return sign + digits + std::string(width - length, ' ');
  if (spec.zeros) return sign + std::string(width - length, '0') + digits;
  return std::string(width - length, ' ') + sign + digits;
}

}  // namespace

bool FormatSpec::of_floats() const {
  return type && std::string_view("eEfFgG").find(type) != std::string_view::npos;
}

std::optional<FormatSpec> read_format_spec(std::string_view text) {
  FormatSpec spec;
  const char align = take(text, "<>");
  spec.left = align == '<';
  spec.sign = take(text, "+- ");
  if (spec.sign == '-') spec.sign = 0;
  spec.zeros = take(text, "0") != 0;
  if (align && spec.zeros) return std::nullopt;  // in Python, a fill character
  if (!text.empty() && is_digit(text[0])) {
    const std::optional<int> width = take_number(text);
    if (!width) return std::nullopt;
    spec.width = *width;
  }
  if (take(text, ".")) {
    const std::optional<int> precision = take_number(text);
    if (!precision) return std::nullopt;
    spec.precision = *precision;
  }
  spec.type = take(text, "dxXoeEfFgGj");
  if (!text.empty() || (spec.precision >= 0 && !spec.of_floats())) return std::nullopt;
  return spec;
}

std::vector<FormatPiece> pieces_of(std::string_view format) {
  std::vector<FormatPiece> pieces(1);
  for (size_t at = 0; at < format.size(); ++at) {
    const char c = format[at];
    const bool doubled = at + 1 < format.size() && format[at + 1] == c;
    if ((c != '{' && c != '}') || doubled) {
      pieces.back().text += c;
      at += (c == '{' || c == '}') && doubled;
      continue;
    }
    const size_t end = format.find('}', at);
    if (end == format.npos) break;
    std::string_view inside = format.substr(at + 1, end - at - 1);
    if (!inside.empty()) inside.remove_prefix(1);  // the colon
    pieces.back().value = read_format_spec(inside).value_or(FormatSpec{});
    pieces.emplace_back();
    at = end;
  }
  return pieces;
}

std::string as_format(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '{' || c == '}') out += c;
  }
  return out;
}

std::string number_text(ScalarKind kind, int64_t bits, const FormatSpec& spec) {
  if (is_bool(kind)) return bits ? "True" : "False";
  Magnitude number =
      is_float(kind) ? float_magnitude(kind, bits, spec) : magnitude_of(kind, bits, spec);
  if (spec.type >= 'A' && spec.type <= 'Z')
    std::ranges::transform(number.digits, number.digits.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
  const std::string sign = number.negative ? "-" : spec.sign ? std::string(1, spec.sign) : "";
  return padded(sign, number.digits, spec);
}

// The parts have no ".0" of their own; a real part of positive zero is left out.
std::string complex_text(ScalarKind part, int64_t real, int64_t imag) {
  const auto text = [&](int64_t bits, char sign) {
    FormatSpec spec;
    spec.sign = sign;
    const std::string out = number_text(part, bits, spec);
    return out.ends_with(".0") ? out.substr(0, out.size() - 2) : out;
  };
  if (real == 0) return text(imag, 0) + "j";
  return "(" + text(real, 0) + text(imag, '+') + "j)";
}

}  // namespace cuda_device
