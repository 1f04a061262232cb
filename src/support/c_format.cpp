#include "support/c_format.h"

#include <algorithm>
#include <optional>

namespace cuda_device {
namespace {

using As = CArgument::As;
using Kind = FormatPiece::Kind;

std::string percent_doubled(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '%') out += c;
  }
  return out;
}

std::string in_quotes(char c) { return {'\'', c, '\''}; }

std::string lacking_in(const FormatSpec& spec) {
  const std::string fill = spec.fill_or_blank();
  const bool zeros = fill == "0" && (spec.align == '=' || (spec.zeros && !spec.align));
  if (spec.align == '^' || (spec.align == '=' && !zeros)) return in_quotes(spec.align);
  if (fill != " " && !zeros) return "the fill character '" + fill + "'";
  if (spec.no_negative_zero) return in_quotes('z');
  if (spec.grouping) return in_quotes(spec.grouping);
  if (spec.alternate && !spec.has_type_of_floats()) return in_quotes('#');
  return spec.type == 'b' || spec.type == 'c' || spec.type == '%' ? in_quotes(spec.type) : "";
}

std::string flags(const FormatSpec& spec) {
  std::string out = "%";
  if (spec.align == '<') out += '-';
  if (spec.sign && spec.sign != '-') out += spec.sign;
  if (spec.alternate) out += '#';
  if (spec.fill_or_blank() == "0") out += '0';
  return spec.width > 0 ? out + std::to_string(spec.width) : out;
}

// The shortest digits that always give the same number again are beyond C: these are enough.
std::string float_conversion(ScalarKind kind, const FormatSpec& spec) {
  const bool shortest = !spec.type && spec.precision < 0 && is_float(kind);
  const int precision = shortest ? round_trip_digits(kind) : spec.precision;
  const char type = spec.type && spec.type != 'n' ? spec.type : 'g';
  return (precision < 0 ? "" : "." + std::to_string(precision)) + type;
}

class Writer {
 public:
  explicit Writer(const PrintFormat& format) : dtypes_(format.arguments) {}

  CFormat write(const FormatPieces& pieces) {
    if (const auto choice = choice_in(pieces)) return by_number(pieces, *choice);
    CFormat out;
    if (++formats_ > kMostFormats) lacks("so many texts that are chosen at run time");
    if (lacking_.empty())
      for (const FormatPiece& piece : pieces) write(out, piece);
    return out;
  }
  std::string lacking() const { return lacking_; }

 private:
  static constexpr size_t kMostFormats = 64;
  using Place = std::optional<size_t>;

  static Place choice_in(const FormatPieces& pieces) {
    const auto holds_choice = [](const FormatPiece& piece) {
      return piece.kind == Kind::Choice || std::ranges::any_of(piece.parts, [](const auto& part) {
               return choice_in(part).has_value();
             });
    };
    const auto found = std::ranges::find_if(pieces, holds_choice);
    return found == pieces.end() ? Place() : Place(found - pieces.begin());
  }

  // A format for each of what the first choice may be.
  CFormat by_number(const FormatPieces& pieces, size_t at) {
    CFormat out;
    const std::vector<FormatPieces> all = chosen(pieces[at], out.number);
    for (const FormatPieces& one : all) {
      FormatPieces whole(pieces.begin(), pieces.begin() + static_cast<ptrdiff_t>(at));
      whole.insert(whole.end(), one.begin(), one.end());
      whole.insert(whole.end(), pieces.begin() + static_cast<ptrdiff_t>(at) + 1, pieces.end());
      if (lacking_.empty()) out.alternatives.push_back(write(whole));
    }
    return out;
  }

  // What the piece may be; the choice is the piece itself, or within its text.
  static std::vector<FormatPieces> chosen(const FormatPiece& piece, size_t& number) {
    if (piece.kind == Kind::Choice) {
      number = piece.first;
      return piece.parts;
    }
    const FormatPieces& text = piece.parts[0];
    const auto at = static_cast<ptrdiff_t>(*choice_in(text));
    std::vector<FormatPieces> out;
    for (const FormatPieces& one : chosen(text[static_cast<size_t>(at)], number)) {
      FormatPiece with = piece;
      with.parts[0].erase(with.parts[0].begin() + at);
      with.parts[0].insert(with.parts[0].begin() + at, one.begin(), one.end());
      out.push_back({std::move(with)});
    }
    return out;
  }

  void lacks(const std::string& what) {
    if (lacking_.empty()) lacking_ = what;
  }

  void write(CFormat& out, const FormatPiece& piece) {
    switch (piece.kind) {
      case Kind::Text:
        out.text += percent_doubled(piece.text);
        return;
      case Kind::String:
        return string(out, piece);
      case Kind::Repr:
        return quoted(out, piece.parts[0]);
      case Kind::Choice:
        return;  // none is left
      default:
        if (piece.first + piece.values() <= dtypes_.size()) of_values(out, piece);
    }
  }

  void of_values(CFormat& out, const FormatPiece& piece) {
    if (piece.kind == Kind::Number) return number(out, piece.spec, piece.first);
    FormatSpec imag = piece.spec;
    imag.sign = '+';
    if (piece.spec.width) lacks("a width of a complex number");
    const bool bare = piece.spec.type || piece.kind == Kind::Bare;
    if (!bare) out.text += '(';
    number(out, piece.spec, piece.first);
    number(out, imag, piece.first + 1);
    out.text += bare ? "j" : "j)";
  }

  void number(CFormat& out, const FormatSpec& spec, size_t k) {
    const ScalarKind kind = dtypes_[k].scalar();
    lacks(lacking_in(spec));
    if (is_bool(kind) && spec == FormatSpec{}) {
      out.text += "%s";
      return out.arguments.push_back({As::Bool, k});
    }
    if (is_float(kind) || spec.has_type_of_floats()) {
      out.text += flags(spec) + float_conversion(kind, spec);
      return out.arguments.push_back({As::Double, k});
    }
    const bool decimal = !spec.type || spec.type == 'd' || spec.type == 'n';
    const char plain = is_signed_int(kind) || is_bool(kind) ? 'd' : 'u';
    out.text += flags(spec) + "ll" + (decimal ? plain : spec.type);
    out.arguments.push_back({As::Integer, k});
  }

  static std::optional<std::string> constant(const FormatPieces& pieces) {
    std::string all;
    for (const FormatPiece& piece : pieces) {
      if (piece.kind != Kind::Text) return std::nullopt;
      all += piece.text;
    }
    return all;
  }

  void string(CFormat& out, const FormatPiece& piece) {
    const auto text = constant(piece.parts[0]);
    if (!text) return lacks("a format of a text with values in it");
    out.text += percent_doubled(string_text(*text, piece.spec));
  }

  // As repr_text: what numbers are written by has neither quotes nor escapes.
  void quoted(CFormat& out, const FormatPieces& pieces) {
    std::string all;
    for (const FormatPiece& piece : pieces) all += piece.text;
    const char quote = repr_text(all)[0];
    if (quote == '\'' && all.find(quote) != all.npos) lacks("both kinds of quotes in a repr()");
    out.text += quote;
    for (FormatPiece piece : pieces) {
      const std::string text = repr_text(piece.text);
      piece.text = text.substr(1, text.size() - 2);
      write(out, piece);
    }
    out.text += quote;
  }

  const std::vector<DtypeId>& dtypes_;
  size_t formats_ = 0;
  std::string lacking_;
};

}  // namespace

CPrint c_print(const PrintFormat& format) {
  Writer writer(format);
  CFormat made = writer.write(pieces_of(format.text));
  return {std::move(made), writer.lacking()};
}

}  // namespace cuda_device
