// Values as Python writes them by str(), repr() and format().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/format_spec.h"
#include "support/scalar.h"

namespace cuda_device {

// `bits`: integers and bool extended to 64 bits by their type, floats as the bits of their format.
// Floats have the shortest digits that give the same number of their format.
std::string number_text(ScalarKind kind, int64_t bits, const FormatSpec& spec = {});
std::string integer_text(__int128 value, const FormatSpec& spec);
// "(1+2j)", "2j"
std::string complex_text(ScalarKind part, int64_t real, int64_t imag, const FormatSpec& spec = {});
std::string string_text(std::string_view text, const FormatSpec& spec);
// In quotes, with escapes. What is not ASCII stays as it is.
std::string repr_text(std::string_view text);

}  // namespace cuda_device
