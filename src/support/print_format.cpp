#include "support/print_format.h"

#include <utility>

namespace cuda_device {
namespace {

using Kind = FormatPiece::Kind;

bool take(std::string_view& text, std::string_view what) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

std::string& text_at_end(FormatPieces& pieces) {
  if (pieces.empty() || pieces.back().kind != Kind::Text) pieces.emplace_back();
  return pieces.back().text;
}

// Reads pieces, which count their values.
class Reader {
 public:
  explicit Reader(std::string_view format) : rest(format) {}

  // Up to the end, or to what ends an alternative of a group.
  FormatPieces pieces() {
    FormatPieces pieces;
    while (!rest.empty() && rest[0] != '|' && rest[0] != '}') {
      if (take(rest, "{")) {
        std::optional<FormatPiece> one = piece();
        if (!one) break;
        pieces.push_back(*std::move(one));
        continue;
      }
      take(rest, "\\");
      if (rest.empty()) break;
      text_at_end(pieces) += rest[0];
      rest.remove_prefix(1);
    }
    return pieces;
  }

  std::string_view rest;
  size_t values = 0;

 private:
  // After its brace; nothing: it is malformed.
  std::optional<FormatPiece> piece() {
    FormatPiece piece;
    piece.kind = kind();
    piece.first = values;
    const bool has_parts = piece.kind == Kind::String || piece.kind == Kind::Repr;
    if (!has_parts) values += piece.values();
    if (take(rest, ":")) {
      std::optional<FormatSpec> spec = take_format_spec(rest);
      if (!spec) return std::nullopt;
      piece.spec = *std::move(spec);
    }
    if (++depth_ > kMostDepth) return std::nullopt;
    while (take(rest, "|")) piece.parts.push_back(pieces());
    --depth_;
    if (!take(rest, "}") || (has_parts && piece.parts.size() != 1)) return std::nullopt;
    return piece;
  }

  Kind kind() {
    constexpr std::pair<const char*, Kind> kKinds[] = {{"j", Kind::Complex},
                                                       {"J", Kind::Bare},
                                                       {"?", Kind::Choice},
                                                       {"s", Kind::String},
                                                       {"r", Kind::Repr}};
    for (const auto& [name, kind] : kKinds)
      if (take(rest, name)) return kind;
    return Kind::Number;
  }

  static constexpr int kMostDepth = 32;  // of groups
  int depth_ = 0;
};

// Writes pieces with the values of one text, of which some may be missing.
class Writer {
 public:
  Writer(const std::vector<DtypeId>& dtypes, const std::vector<int64_t>& bits)
      : dtypes_(dtypes), bits_(bits) {}

  std::string text(const FormatPieces& pieces) {
    std::string out;
    for (const FormatPiece& piece : pieces) out += text(piece);
    return out;
  }

 private:
  std::string text(const FormatPiece& piece) {
    switch (piece.kind) {
      case Kind::Text:
        return piece.text;
      case Kind::String:
        return string_text(text(piece.parts[0]), piece.spec);
      case Kind::Repr:
        return repr_text(text(piece.parts[0]));
      default:
        return piece.first + piece.values() > dtypes_.size() ? "" : of_values(piece);
    }
  }

  std::string of_values(const FormatPiece& piece) {
    const size_t k = piece.first;
    const ScalarKind kind = dtypes_[k].scalar();
    if (piece.kind == Kind::Number) return number_text(kind, bits_[k], piece.spec);
    if (piece.kind == Kind::Choice) {
      const auto chosen = static_cast<uint64_t>(bits_[k]);
      return chosen < piece.parts.size() ? text(piece.parts[chosen]) : "";
    }
    if (!is_float(kind) || dtypes_[k + 1] != dtypes_[k]) return "";
    std::string text = complex_text(kind, bits_[k], bits_[k + 1], piece.spec);
    const bool strip = piece.kind == Kind::Bare && text.starts_with('(');
    return strip ? text.substr(1, text.size() - 2) : text;
  }

  const std::vector<DtypeId>& dtypes_;
  const std::vector<int64_t>& bits_;
};

}  // namespace

FormatPieces pieces_of(std::string_view format) { return Reader(format).pieces(); }

size_t values_in(std::string_view format) {
  Reader reader(format);
  reader.pieces();
  return reader.values;
}

std::vector<std::string_view> alternatives_of(std::string_view format) {
  std::vector<std::string_view> found;
  if (!take(format, "{?")) return found;
  while (take(format, "|")) {
    Reader reader(format);
    reader.pieces();
    found.push_back(format.substr(0, format.size() - reader.rest.size()));
    format = reader.rest;
  }
  return format == "}" && found.size() > 1 ? found : std::vector<std::string_view>();
}

std::string as_format(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '{' || c == '}' || c == '|' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string PrintFormatter::text_of(const std::vector<int64_t>& bits) const {
  return Writer(dtypes_, bits).text(pieces_);
}

}  // namespace cuda_device
