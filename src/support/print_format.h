// How `print` in kernels writes, and failures say what they found: a format is text with braces for
// each value, "i = {}, x = {:.3f}\n". A backslash stands before { } | and \ of the text itself.
//
//   {}  {:SPEC}         a number; SPEC as Python's f-strings have it
//   {j}  {j:SPEC}       a complex number, which is two values; {J} without the parentheses around
//   it
//   {?|FORMAT|FORMAT}   one of several, by the number that is a value before theirs
//   {s:SPEC|FORMAT}     a text that is put together first, by a format of strings
//   {r|FORMAT}          one in quotes, as repr() has it
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/number_text.h"
#include "support/report.h"
#include "support/scalar.h"

namespace cuda_device {

struct FormatPiece {
  enum class Kind : uint8_t { Text, Number, Complex, Bare, Choice, String, Repr };
  Kind kind = Kind::Text;
  std::string text = {};                          // Text
  FormatSpec spec = {};                           // Number, Complex, String
  std::vector<std::vector<FormatPiece>> parts{};  // of a Choice: its formats; String, Repr: one
  size_t first = 0;  // its first value, which is the number of a Choice
  size_t values() const {
    return kind == Kind::Complex || kind == Kind::Bare ? 2 : 1;
  }  // of numbers
};
using FormatPieces = std::vector<FormatPiece>;

// The pieces of a well-formed format; malformed parts are left out.
FormatPieces pieces_of(std::string_view format);
// The formats that a choice "{?|a|b}" is one of; none: the format is something else.
std::vector<std::string_view> alternatives_of(std::string_view format);
// How many values the format writes, or chooses by.
size_t values_in(std::string_view format);
// The text as a format.
std::string as_format(std::string_view text);

// A format read once, to be written often.
class PrintFormatter {
 public:
  explicit PrintFormatter(const PrintFormat& format)
      : pieces_(pieces_of(format.text)), dtypes_(format.arguments) {}
  // Value k is value(k), in bits as number_text takes them.
  template <class Value>
  std::string text(Value&& value) const {
    std::vector<int64_t> bits;
    bits.reserve(dtypes_.size());
    for (size_t k = 0; k < dtypes_.size(); ++k) bits.push_back(value(k));
    return text_of(bits);
  }
  size_t values() const { return dtypes_.size(); }

 private:
  std::string text_of(const std::vector<int64_t>& bits) const;

  FormatPieces pieces_;
  std::vector<DtypeId> dtypes_;
};

}  // namespace cuda_device
