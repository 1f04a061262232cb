#include "codegen/listing.h"

#include <map>
#include <sstream>
#include <vector>

#include "support/render.h"

namespace cuda_device::codegen {
namespace {

class LineComments : public llvm::AssemblyAnnotationWriter {
 public:
  explicit LineComments(const SourceLines& lines) : lines_(lines) {}

  void emitBasicBlockStartAnnot(const llvm::BasicBlock*, llvm::formatted_raw_ostream&) override {
    last_.clear();
  }
  void emitInstructionAnnot(const llvm::Instruction* i, llvm::formatted_raw_ostream& out) override {
    const llvm::DebugLoc& place = i->getDebugLoc();
    if (!place) return;
    const std::string text =
        listed_line(*lines_.files, std::string(place->getFilename()), place.getLine());
    if (text.empty() || text == last_) return;
    out << "  ; line " << text << "\n";
    last_ = text;
  }

 private:
  const SourceLines& lines_;
  std::string last_;
};

// "ret void, !dbg !14" → "ret void"; "define ... !dbg !5 {" → "define ... {"
std::string without_place(std::string line) {
  size_t at = line.find("!dbg !");
  if (at == std::string::npos) return line;
  const size_t end = line.find_first_not_of("0123456789", at + 6);
  while (at > 0 && (line[at - 1] == ' ' || line[at - 1] == ',')) --at;
  return line.substr(0, at) + (end == std::string::npos ? "" : line.substr(end));
}

bool is_about_places(const std::string& line) {
  if (line.starts_with("!llvm.dbg.") || line.starts_with("!llvm.module.flags")) return true;
  if (!line.starts_with('!')) return false;
  for (const char* what :
       {" = !DI", " = distinct !DI", "\"Dwarf Version\"", "\"Debug Info Version\""})
    if (line.find(what) != std::string::npos) return true;
  return false;
}

// Files that directives name by number, and what the others among them say.
class Directives {
 public:
  Directives(const SourceLines& lines, std::string comment)
      : lines_(lines), comment_(std::move(comment)) {}

  void read_file(const std::string& line) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == ".file") file(words);
  }

  // What stands for a line of assembly; none for what is there for debuggers only.
  void take(const std::string& line, std::string& out) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == ".file" && file(words)) return;
    if (word == ".loc") return location(words, out);
    if (is_for_debuggers(word, line)) return;
    if (word.ends_with(':')) last_.clear();
    out += line + "\n";
  }

 private:
  static bool is_for_debuggers(const std::string& word, const std::string& line) {
    for (const char* begin : {".cfi_", ".Lfunc_begin", "$L__func_", ".Ltmp", "$L__tmp"})
      if (word.starts_with(begin)) return true;
    return word == ".section" && line.find(".debug_") != std::string::npos;
  }

  // `1 "folder" "name"`; without a number it is the module's own.
  bool file(std::istringstream& words) {
    std::string number, rest;
    words >> number;
    if (number.starts_with('"')) return false;
    std::getline(words, rest);
    std::string& name = names_[number];
    name.clear();
    for (size_t at = rest.find('"'); at != std::string::npos; at = rest.find('"', at)) {
      const size_t end = std::min(rest.find('"', at + 1), rest.size());
      name += (name.empty() || name.ends_with('/') ? "" : "/") + rest.substr(at + 1, end - at - 1);
      at = end + 1;
    }
    return true;
  }

  void location(std::istringstream& words, std::string& out) {
    std::string number;
    uint32_t line = 0;
    words >> number >> line;
    const std::string text = listed_line(*lines_.files, names_[number], line);
    if (text.empty() || text == last_) return;
    out += "\t" + comment_ + " line " + text + "\n";
    last_ = text;
  }

  const SourceLines& lines_;
  const std::string comment_;
  std::map<std::string, std::string> names_;
  std::string last_;
};

}  // namespace

std::string text_with_lines(const llvm::Module& module, const SourceLines& lines) {
  std::string text;
  llvm::raw_string_ostream out(text);
  LineComments comments(lines);
  module.print(out, &comments);
  std::istringstream all(text);
  std::string kept;
  for (std::string line; std::getline(all, line);)
    if (!is_about_places(line)) kept += without_place(line) + "\n";
  return kept;
}

std::string with_lines(const std::string& assembly, const SourceLines& lines,
                       const std::string& comment) {
  std::istringstream all(assembly);
  Directives directives(lines, comment);
  std::string kept;
  std::vector<std::string> read;
  for (std::string line; std::getline(all, line);) read.push_back(line);
  for (const std::string& line : read) directives.read_file(line);  // PTX has them at its end
  for (const std::string& line : read) directives.take(line, kept);
  return kept;
}

}  // namespace cuda_device::codegen
