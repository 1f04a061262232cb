// A diagnostic as text for people: place, message, source line with marks, hint, notes, context.
//
//   kernel.py:12:12: cannot add 'float8e4m3' and 'float16': no promotion is defined for this pair
//      12 |     c[i] = s + a[i] * k
//         |            ~~^~~~~~~~~~
//   s is float8e4m3 (argument 4); cast one side, e.g. device.float16(s)
//     in kernel 'vec_add', specialised for (array[float16, 1], float8e4m3)
#pragma once

#include <string>
#include <string_view>

#include "support/diagnostic.h"

namespace cuda_device {

// Columns are 1-based and counted in characters, as in editors and in Python's own messages.
std::string render(const Diagnostic& diagnostic, const SourceMap& files);

// All of them, in order; of many only the first kMostShown, and how many more there are.
inline constexpr size_t kMostShown = 10;
std::string render(const std::vector<Diagnostic>& diagnostics, const SourceMap& files);

// The text of a line of a file, or null where the map does not hold it.
const std::string* line_of(const SourceMap& files, uint32_t file, uint32_t line);

// What the span covers, in one line: blanks and line ends are one blank each. Empty where the map
// does not hold it.
std::string source_text(const SourceMap& files, const Span& span);

// "12: out[i] = a[i]", for listings: a line of the file of that name, without its indentation.
// Empty where no entry of the map holds it. In front, "helper.py:" where it is not the first file.
std::string listed_line(const SourceMap& files, std::string_view name, uint32_t line);

// 1-based column, in characters, of a byte of a line; for a line that the map does not hold, of a
// byte.
int column_of(const SourceMap& files, uint32_t file, uint32_t line, uint32_t byte);

}  // namespace cuda_device
