// What stands after the colon of a field of an f-string, as Python has it (Format Specification
// Mini-Language in its library reference).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cuda_device {

// One value's. As it is made: as Python's print writes it.
struct FormatSpec {
  std::string fill = {};  // one character in UTF-8; empty: none is given
  char align = 0;         // < > ^ or =, between sign and digits
  char sign = 0;          // + - or a blank
  bool no_negative_zero = false;
  bool alternate = false;
  bool zeros = false;  // up to the width, by a 0 before it
  int width = 0;
  char grouping = 0;  // , or _
  int precision = -1;
  char type = 0;

  bool has_type_of_floats() const;
  bool has_type_of_integers() const;
  std::string fill_or_blank() const;
  friend bool operator==(const FormatSpec&, const FormatSpec&) = default;
};

// Takes it from the front of the text; nothing: what stands there is none, whatever the value.
std::optional<FormatSpec> take_format_spec(std::string_view& text);
// The whole text.
std::optional<FormatSpec> read_format_spec(std::string_view text);

// What is formatted.
enum class Formatted : uint8_t { Integer, Float, Complex, String };
// "integers"
std::string_view name_of(Formatted what);
// Why Python refuses the format for such a value: "precision"; empty: it takes it.
std::string refused_in(const FormatSpec& spec, Formatted what);

// Takes one character in UTF-8 from the front of the text, which has one.
std::string_view take_character(std::string_view& text);

}  // namespace cuda_device
