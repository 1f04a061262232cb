// A place in Python source. Lines are 1-based, columns 0-based UTF-8 byte offsets as in Python's
// ast.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cuda_device {

struct Span {
  uint32_t file = 0;  // index into the SourceMap
  uint32_t line = 0;  // 0 = no place known
  uint32_t column = 0;
  uint32_t end_line = 0;
  uint32_t end_column = 0;
  bool known() const { return line != 0; }
  friend bool operator==(const Span&, const Span&) = default;
};

// The text a Span points into: lines[0] is line `first_line` of the file.
struct SourceFile {
  std::string name;
  uint32_t first_line = 1;
  std::vector<std::string> lines;
};

using SourceMap = std::vector<SourceFile>;

}  // namespace cuda_device
