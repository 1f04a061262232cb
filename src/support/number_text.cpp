#include "support/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "support/float_format.h"

namespace cuda_device {
namespace {

size_t characters_in(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string repeated(std::string_view character, size_t count) {
  std::string out;
  for (; count > 0; --count) out += character;
  return out;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string digits_of(unsigned __int128 value, unsigned base) {
  std::string digits;
  for (; value || digits.empty(); value /= base)
    digits += "0123456789abcdef"[static_cast<size_t>(value % base)];
  return {digits.rbegin(), digits.rend()};
}

// --- padding ---

// `head` stands before what "=" inserts.
std::string padded(const std::string& head, const std::string& tail, const FormatSpec& spec,
                   char align) {
  const size_t length = characters_in(head) + characters_in(tail);
  const auto width = static_cast<size_t>(spec.width);
  if (length >= width) return head + tail;
  const std::string fill = spec.fill_or_blank();
  const size_t missing = width - length;
  const size_t left = align == '<' || align == '=' ? 0 : align == '^' ? missing / 2 : missing;
  const size_t inside = align == '=' ? missing : 0;
  return repeated(fill, left) + head + repeated(fill, inside) + tail +
         repeated(fill, missing - left - inside);
}

// Digits with a separator after every `size` of them, from the right, and zeros in front up to the
// length, which are grouped too.
std::string grouped(const std::string& digits, char separator, size_t size, int least) {
  std::string reversed;
  size_t taken = 0;
  for (auto digit = digits.rbegin();
       digit != digits.rend() || static_cast<int>(reversed.size()) < least; ++taken) {
    if (separator && taken && taken % size == 0) reversed += separator;
    reversed += digit != digits.rend() ? *digit++ : '0';
  }
  return {reversed.rbegin(), reversed.rend()};
}

// A number without its sign.
struct Magnitude {
  std::string prefix;  // "0x"
  std::string digits;  // which are grouped
  std::string rest;    // which are not
};

std::string with_sign(bool negative, const Magnitude& number, const FormatSpec& spec) {
  const char align = spec.align ? spec.align : spec.zeros ? '=' : '>';
  const bool shown = spec.sign == '+' || spec.sign == ' ';
  const std::string sign = negative ? "-" : shown ? std::string(1, spec.sign) : "";
  const std::string head = sign + number.prefix;
  const bool zeros = align == '=' && spec.fill_or_blank() == "0" && !number.digits.empty();
  const auto others = static_cast<int>(head.size() + number.rest.size());
  const bool binary = spec.type && std::string_view("boxX").find(spec.type) != std::string::npos;
  const std::string groups =
      grouped(number.digits, spec.grouping, binary ? 4 : 3, zeros ? spec.width - others : 0);
  return padded(head, groups + number.rest, spec, align);
}

// --- integers ---

std::string character_text(__int128 code) {
  const bool none = code < 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000);
  const auto c = none ? 0xFFFDu : static_cast<unsigned>(code);
  const auto more = [&](unsigned shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | (c >> 6)), more(0)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | (c >> 12)), more(6), more(0)};
  return {static_cast<char>(0xF0 | (c >> 18)), more(12), more(6), more(0)};
}

// --- floats ---

// Digits, the first of which stands `point` places before the point.
struct Digits {
  std::string digits;
  int point;
};

Digits digits_of(std::string_view scientific) {
  const size_t e = scientific.find('e');
  std::string digits(scientific.substr(0, e));
  std::erase(digits, '.');
  return {std::move(digits), std::stoi(std::string(scientific.substr(e + 1))) + 1};
}

// The longest is that of the largest double without an exponent.
constexpr size_t kLongest = 320 + 256;

std::string with_precision(double value, std::chars_format format, int precision) {
  char text[kLongest];
  return {text, std::to_chars(text, text + sizeof text, value, format, precision).ptr};
}

template <class Float>
Digits shortest(Float value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
  return digits_of(std::string_view(text, end.ptr));
}

struct Layout {
  int end;           // so many digits, with zeros after those that there are
  bool exponent;     // there is one
  bool is_float;     // to look at: "1.0"
  bool keeps_point;  // after which no digit stands
};

// As format_float_short() of CPython's pystrtod.c has it.
std::string laid_out(const Digits& number, const Layout& layout) {
  const int point = layout.exponent ? 1 : number.point;
  const int begin = point <= 0 ? point - 1 : 0;
  const int end = std::max(layout.end, !layout.exponent && layout.is_float ? point + 1 : point);
  std::string out;
  for (int at = begin; at < end; ++at) {
    if (at == point) out += '.';
    const bool known = at >= 0 && at < static_cast<int>(number.digits.size());
    out += known ? number.digits[static_cast<size_t>(at)] : '0';
  }
  if (end == point && layout.keeps_point) out += '.';
  if (!layout.exponent) return out;
  const int exponent = number.point - 1;
  const std::string size = std::to_string(std::abs(exponent));
  return out + (exponent < 0 ? "e-" : "e+") + (size.size() < 2 ? "0" : "") + size;
}

std::string general(double value, int precision, bool is_float, bool alternate) {
  precision = std::max(precision, 1);
  Digits number = digits_of(with_precision(value, std::chars_format::scientific, precision - 1));
  while (number.digits.size() > 1 && number.digits.back() == '0') number.digits.pop_back();
  if (value == 0) number.point = 1;
  const bool exponent = number.point <= -4 || number.point > precision - (is_float ? 1 : 0);
  const int end = alternate ? precision : static_cast<int>(number.digits.size());
  return laid_out(number, {end, exponent, is_float, alternate});
}

// From 1e-4 up to 1e16 without an exponent.
std::string shortest_text(const Digits& number, bool is_float, bool alternate) {
  const bool exponent = number.point <= -4 || number.point > 16;
  return laid_out(number, {static_cast<int>(number.digits.size()), exponent, is_float, alternate});
}

std::string finite_text(double value, const FormatSpec& spec, bool is_float) {
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  const std::string point = spec.alternate && precision == 0 ? "." : "";
  switch (spec.type) {
    case 'f':
    case 'F':
      return with_precision(value, std::chars_format::fixed, precision) + point;
    case '%':
      return with_precision(value * 100, std::chars_format::fixed, precision) + point + "%";
    case 'e':
    case 'E': {
      const std::string text = with_precision(value, std::chars_format::scientific, precision);
      const size_t e = text.find('e');
      return text.substr(0, e) + point + text.substr(e);
    }
    default:
      return general(value, precision, is_float && !spec.type, spec.alternate);
  }
}

bool is_zero(std::string_view number) {
  return number.substr(0, number.find('e')).find_first_of("123456789") == number.npos;
}

// `shortest`: of the number's own format. `is_float`: "1.0" without a type.
template <class Shortest>
std::string float_text(double value, const FormatSpec& spec, bool is_float, Shortest&& shortest) {
  const double size = std::fabs(value);
  const bool plain = !spec.type && spec.precision < 0;
  std::string number = std::isnan(value)   ? "nan"
                       : std::isinf(value) ? "inf"
                       : plain             ? shortest_text(shortest(), is_float, spec.alternate)
                                           : finite_text(size, spec, is_float);
  if (!std::isfinite(value * 100) && spec.type == '%') number = std::isnan(value) ? "nan%" : "inf%";
  bool negative = std::signbit(value) && !std::isnan(value);
  if (spec.no_negative_zero && std::isfinite(value) && is_zero(number)) negative = false;
  if (spec.type >= 'A' && spec.type <= 'Z') number = upper(number);
  const auto digits = std::ranges::find_if_not(number, is_digit) - number.begin();
  const auto whole = static_cast<size_t>(digits);
  return with_sign(negative, {"", number.substr(0, whole), number.substr(whole)}, spec);
}

std::string float_text(ScalarKind kind, int64_t bits, const FormatSpec& spec, bool is_float) {
  return float_text(float_of_bits(kind, bits), spec, is_float, [&] {
    return with_shortest(kind, bits, [](auto value) { return shortest(std::fabs(value)); });
  });
}

}  // namespace

std::string integer_text(__int128 value, const FormatSpec& spec) {
  if (spec.has_type_of_floats()) {
    const auto number = static_cast<double>(value);
    return float_text(number, spec, true, [&] { return shortest(std::fabs(number)); });
  }
  if (spec.type == 'c') return with_sign(false, {"", "", character_text(value)}, spec);
  const bool hex = spec.type == 'x' || spec.type == 'X';
  const unsigned base = hex ? 16 : spec.type == 'o' ? 8 : spec.type == 'b' ? 2 : 10;
  const std::string prefix =
      spec.alternate && base != 10 ? std::string{'0', spec.type} : std::string();
  const auto raw = static_cast<unsigned __int128>(value);
  const std::string digits = digits_of(value < 0 ? 0 - raw : raw, base);
  return with_sign(value < 0, {prefix, spec.type == 'X' ? upper(digits) : digits, ""}, spec);
}

std::string number_text(ScalarKind kind, int64_t bits, const FormatSpec& spec) {
  if (is_bool(kind) && spec == FormatSpec{}) return bits ? "True" : "False";
  if (is_float(kind)) return float_text(kind, bits, spec, true);
  if (is_signed_int(kind) || is_bool(kind)) return integer_text(bits, spec);
  return integer_text(static_cast<uint64_t>(bits), spec);
}

// The parts have no ".0" of their own; without a type, a real part of positive zero is left out.
std::string complex_text(ScalarKind part, int64_t real, int64_t imag, const FormatSpec& spec) {
  const double value = float_of_bits(part, real);
  const bool alone = !spec.type && value == 0 && !std::signbit(value);
  FormatSpec own = spec;
  own.fill.clear();
  own.align = own.width = 0;
  std::string text = alone ? "" : float_text(part, real, own, false);
  if (!alone) own.sign = '+';
  text += float_text(part, imag, own, false) + "j";
  if (!alone && !spec.type) text = "(" + text + ")";
  return padded("", text, spec, spec.align ? spec.align : '>');
}

std::string string_text(std::string_view text, const FormatSpec& spec) {
  std::string_view rest = text;
  for (int k = 0; spec.precision >= 0 && k < spec.precision && !rest.empty(); ++k)
    take_character(rest);
  if (spec.precision >= 0) text.remove_suffix(rest.size());
  return padded("", std::string(text), spec, spec.align ? spec.align : '<');
}

std::string repr_text(std::string_view text) {
  const bool has_single = text.find('\'') != text.npos;
  const char quote = has_single && text.find('"') == text.npos ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    constexpr std::string_view kNamed = "\t\n\r", kNames = "tnr", kDigits = "0123456789abcdef";
    if (const size_t at = kNamed.find(c); at != kNamed.npos) {
      out += {'\\', kNames[at]};
    } else if ((c >= 0 && c < ' ') || c == 0x7F) {
      out += {'\\', 'x', kDigits[static_cast<size_t>(c >> 4)], kDigits[c & 15]};
    } else {
      if (c == quote || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + quote;
}

}  // namespace cuda_device
