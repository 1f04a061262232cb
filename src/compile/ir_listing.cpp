#include "compile/ir_listing.h"

#include <charconv>
#include <optional>
#include <sstream>

#include "support/render.h"

namespace cuda_device::compile {
namespace {

struct Location {
  uint32_t file = 0, line = 0;
  size_t begin = 0, end = 0;  // of its text
};

// " !0:12:4-12:17"; names in quotes hold none, since it is looked for after them.
std::optional<Location> place_in(const std::string& line) {
  const size_t quote = line.rfind('"');
  Location place;
  place.begin = line.find(" !", quote == std::string::npos ? 0 : quote);
  if (place.begin == std::string::npos) return std::nullopt;
  const char* const last = line.data() + line.size();
  const auto file = std::from_chars(line.data() + place.begin + 2, last, place.file);
  if (file.ec != std::errc() || file.ptr == last || *file.ptr != ':') return std::nullopt;
  if (std::from_chars(file.ptr + 1, last, place.line).ec != std::errc()) return std::nullopt;
  place.end = std::min(line.find(' ', place.begin + 1), line.size());
  return place;
}

}  // namespace

std::string with_lines(const std::string& text, const SourceMap& files) {
  std::istringstream all(text);
  std::string kept, before;
  bool body = false;
  for (std::string line; std::getline(all, line);) {
    body = body || line == "{";
    if (const auto place = place_in(line)) {
      line.erase(place->begin, place->end - place->begin);
      const bool known = place->file < files.size();
      const std::string now = known ? listed_line(files, files[place->file].name, place->line) : "";
      if (body && !now.empty() && now != before) {
        kept.append(line.find_first_not_of(' '), ' ').append("// line ").append(now).append("\n");
        before = now;
      }
    }
    kept += line + "\n";
  }
  return kept;
}

}  // namespace cuda_device::compile
