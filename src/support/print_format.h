// How `print` in kernels writes, and failures say what they found: a format is text with a pair of
// braces for each value, what stands between them being a format as Python's f-strings have it. "i
// = {}, x = {:.3f}\n"; braces of the text itself are doubled.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/report.h"
#include "support/scalar.h"

namespace cuda_device {

// One value's. All zero: as Python's print writes it.
struct FormatSpec {
  char type = 0;       // 0; d x X o of integers; e E f F g G of floats; j: kComplex
  char sign = 0;       // '+' or ' ': what stands in front of numbers that are not negative
  bool zeros = false;  // between sign and digits, up to the width
  bool left = false;   // blanks after the number, not in front
  int width = 0;
  int precision = -1;
  bool of_floats() const;  // its type is one of floats
  // Two values are the parts of a complex number. No format of Python's.
  static constexpr char kComplex = 'j';
  friend bool operator==(const FormatSpec&, const FormatSpec&) = default;
};

// What stands after the colon; nothing: not one of these.
std::optional<FormatSpec> read_format_spec(std::string_view spec);

struct FormatPiece {
  std::string text;                 // in front of the value
  std::optional<FormatSpec> value;  // none: after the last one
};

// The pieces of a well-formed format; malformed parts are left out.
std::vector<FormatPiece> pieces_of(std::string_view format);
// The text with its braces doubled.
std::string as_format(std::string_view text);

// `bits`: integers and bool extended to 64 bits by their type, floats as the bits of their format.
// Floats have the shortest digits that give the same number of their format.
std::string number_text(ScalarKind kind, int64_t bits, const FormatSpec& spec = {});

// A complex number as Python writes it: "(1+2j)", "2j".
std::string complex_text(ScalarKind part, int64_t real, int64_t imag);

// A format read once, to be written often.
class PrintFormatter {
 public:
  explicit PrintFormatter(const PrintFormat& format)
      : pieces_(pieces_of(format.text)), dtypes_(format.arguments) {}
  // Value k is value(k), in bits as above.
  template <class Value>
  std::string text(Value&& value) const {
    std::string out;
    size_t k = 0;
    for (const FormatPiece& piece : pieces_) {
      out += piece.text;
      if (!piece.value || k == dtypes_.size()) continue;
      if (piece.value->type == FormatSpec::kComplex && k + 1 < dtypes_.size()) {
        out += complex_text(dtypes_[k].scalar(), value(k), value(k + 1));
        k += 2;
        continue;
      }
      out += number_text(dtypes_[k].scalar(), value(k), *piece.value);
      ++k;
    }
    return out;
  }
  size_t values() const { return dtypes_.size(); }

 private:
  std::vector<FormatPiece> pieces_;
  std::vector<DtypeId> dtypes_;
};

}  // namespace cuda_device
