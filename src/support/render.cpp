#include "support/render.h"

#include <algorithm>

#include "support/display_width.h"

namespace cuda_device {
namespace {

bool starts_character(char c) { return (c & 0xC0) != 0x80; }  // of UTF-8

std::string place(const Span& span, const SourceMap& files) {
  if (!span.known()) return "";
  std::string name = span.file < files.size() ? files[span.file].name : "<unknown>";
  return name + ":" + std::to_string(span.line) + ":" +
         std::to_string(column_of(files, span.file, span.line, span.column)) + ": ";
}

// Spaces up to the span, tabs kept so that the marks stand below what they mark; then the marks: ^
// below the sign of an operator and ~ below the rest, or ^ everywhere.
std::string marks(const Span& span, const Span& caret, const std::string& line) {
  const size_t end = span.end_line == span.line ? span.end_column : line.size();
  const bool sign = caret.known() && caret.file == span.file && caret.line == span.line &&
                    caret.column >= span.column && caret.column < end;
  const auto columns = [&](size_t at) { return static_cast<size_t>(display_width(line, at)); };
  std::string text;
  for (size_t i = 0; i < line.size() && i < span.column; ++i)
    if (line[i] == '\t')
      text += '\t';
    else if (starts_character(line[i]))
      text.append(columns(i), ' ');
  const size_t before = text.size();
  for (size_t i = span.column; i < line.size() && i < end; ++i) {
    const bool marked = !sign || (i >= caret.column && i < caret.end_column);
    if (starts_character(line[i])) text.append(columns(i), marked ? '^' : '~');
  }
  return text.size() == before ? text + '^' : text;
}

std::string excerpt(const Span& span, const Span& caret, const SourceMap& files) {
  const std::string* line = span.known() ? line_of(files, span.file, span.line) : nullptr;
  if (!line) return "";
  std::string number = std::to_string(span.line);
  std::string gutter = number.size() < 5 ? std::string(5 - number.size(), ' ') : "";
  return "\n" + gutter + number + " | " + *line + "\n" +
         std::string(gutter.size() + number.size(), ' ') + " | " + marks(span, caret, *line);
}

}  // namespace

const std::string* line_of(const SourceMap& files, uint32_t file, uint32_t line) {
  if (file >= files.size() || line < files[file].first_line) return nullptr;
  size_t index = line - files[file].first_line;
  return index < files[file].lines.size() ? &files[file].lines[index] : nullptr;
}

std::string source_text(const SourceMap& files, const Span& span) {
  std::string text;
  for (uint32_t number = span.line; number <= span.end_line && span.known(); ++number) {
    const std::string* line = line_of(files, span.file, number);
    if (!line) return "";
    const size_t first = number == span.line ? span.column : 0;
    const size_t last = number == span.end_line ? span.end_column : line->size();
    for (size_t i = first; i < std::min(last, line->size()); ++i) {
      const bool blank = (*line)[i] == ' ' || (*line)[i] == '\t' || (*line)[i] == '\r';
      if (!blank)
        text += (*line)[i];
      else if (!text.empty() && text.back() != ' ')
        text += ' ';
    }
    if (number != span.end_line && !text.empty() && text.back() != ' ') text += ' ';
  }
  return text;
}

// Functions of one file may have entries of their own.
std::string listed_line(const SourceMap& files, std::string_view name, uint32_t line) {
  for (uint32_t file = 0; file < files.size(); ++file) {
    const std::string* text = files[file].name == name ? line_of(files, file, line) : nullptr;
    if (!text) continue;
    const size_t first = text->find_first_not_of(" \t");
    const bool other = name != files.front().name;
    return (other ? std::string(name.substr(name.rfind('/') + 1)) + ":" : "") +
           std::to_string(line) + ": " + (first == std::string::npos ? "" : text->substr(first));
  }
  return "";
}

int column_of(const SourceMap& files, uint32_t file, uint32_t line, uint32_t byte) {
  const std::string* text = line_of(files, file, line);
  if (!text) return static_cast<int>(byte) + 1;
  int column = 1;
  for (size_t i = 0; i < byte && i < text->size(); ++i) column += starts_character((*text)[i]);
  return column;
}

std::string render(const Diagnostic& diagnostic, const SourceMap& files) {
  std::string text = place(diagnostic.span, files) + message_of(diagnostic);
  text += excerpt(diagnostic.span, diagnostic.caret, files);
  if (std::string hint = hint_of(diagnostic); !hint.empty()) text += "\n" + hint;
  for (const Note& note : diagnostic.notes) {
    text += "\n" + place(note.span, files) + note.text;
    if (note.span != diagnostic.span) text += excerpt(note.span, {}, files);
  }
  if (!diagnostic.context.empty()) text += "\n  " + diagnostic.context;
  return text;
}

std::string render(const std::vector<Diagnostic>& diagnostics, const SourceMap& files) {
  std::string text;
  const size_t shown = std::min(diagnostics.size(), kMostShown);
  for (size_t i = 0; i < shown; ++i) text += (i ? "\n\n" : "") + render(diagnostics[i], files);
  const size_t more = diagnostics.size() - shown;
  if (more) text += "\n\n... and " + std::to_string(more) + " more error" + (more == 1 ? "" : "s");
  return text;
}

}  // namespace cuda_device
