#include "bindings/source/block_end.h"

#include <string_view>

namespace cuda_device::bindings {
namespace {

// As many as are tried: more lie in long texts without indentation, within the definition.
constexpr size_t kMost = 16;

// Python's own rule: a tab goes to the next multiple of eight, a form feed back to the beginning.
size_t column_of(std::string_view line, size_t end) {
  size_t column = 0;
  for (const char c : line.substr(0, end)) {
    if (c == '\f') column = 0;
    if (c == '\t') column = (column / 8 + 1) * 8;
    if (c == ' ') ++column;
  }
  return column;
}

struct Line {
  explicit Line(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t\f");
    if (begin == std::string_view::npos) return;
    column = column_of(text, begin);
    rest = text.substr(begin);
  }
  // Comments and empty lines, which may stand anywhere, and what only continues a statement.
  bool begins_nothing() const {
    return rest.empty() || std::string_view("#\r\n)]}").find(rest[0]) != std::string_view::npos;
  }
  size_t column = 0;
  std::string_view rest;
};

}  // namespace

std::vector<Py_ssize_t> possible_ends(nb::handle lines, Py_ssize_t first) {
  std::vector<Py_ssize_t> ends;
  const Py_ssize_t count = PySequence_Size(lines.ptr());
  size_t column = 0;
  bool seen_def = false;
  for (Py_ssize_t i = first; i < count && ends.size() < kMost; ++i) {
    const std::string text = to_string(checked(PySequence_GetItem(lines.ptr(), i)));
    const Line line(text);
    if (i == first) column = line.column;
    if (line.begins_nothing() || line.column > column) continue;
    if (seen_def) ends.push_back(i);
    seen_def = seen_def || line.rest.starts_with("def");  // after its decorators
  }
  if (ends.size() < kMost) ends.push_back(count);
  return ends;
}

}  // namespace cuda_device::bindings
