#include "bindings/launch/type_parser.h"

#include "abi/array_view.h"

namespace cuda_device::bindings {
namespace {

using frontend::ArgumentType;
using Kind = ArgumentType::Kind;

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  std::optional<ArgumentType> whole() {
    std::optional<ArgumentType> type = one();
    skip_spaces();
    return rest_.empty() ? type : std::nullopt;
  }

 private:
  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

  bool take(char c) {
    skip_spaces();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view word() {
    skip_spaces();
    size_t end = rest_.find_first_not_of("abcdefghijklmnopqrstuvwxyzCFN0123456789_");
    std::string_view found = rest_.substr(0, std::min(end, rest_.size()));
    rest_.remove_prefix(found.size());
    return found;
  }

  std::optional<ArgumentType> one() {
    if (take('(')) return tuple();
    std::string_view name = word();
    ArgumentType type;
    if (name == "None") return type;
    if (name == "array") return array();
    if (name == "int" || name == "float") {
      type.kind = name == "int" ? Kind::WeakInt : Kind::WeakFloat;
      return type;
    }
    return number(name);
  }

  // "float32", "complex64", "float32x4".
  static std::optional<ArgumentType> number(std::string_view name) {
    ArgumentType type;
    if (name == "complex") {
      type.kind = Kind::WeakComplex;
      return type;
    }
    if (name == "complex64" || name == "complex128") {
      type.kind = Kind::Complex;
      type.item = name == "complex64" ? ScalarKind::F32 : ScalarKind::F64;
      return type;
    }
    if (const std::optional<ScalarKind> scalar = scalar_named(name)) {
      type.kind = Kind::Scalar;
      type.dtype = *scalar;
      return type;
    }
    const bool vector = name.size() > 2 && name[name.size() - 2] == 'x';
    const std::optional<ScalarKind> item =
        vector ? scalar_named(name.substr(0, name.size() - 2)) : std::nullopt;
    const int lanes = vector ? name.back() - '0' : 0;
    if (!item || is_bool(*item) || lanes < 1 || lanes > 4) return std::nullopt;
    type.kind = Kind::Vector;
    type.item = *item;
    type.lanes = static_cast<uint8_t>(lanes);
    return type;
  }

  std::optional<ArgumentType> tuple() {
    if (++tuples_ > kMaxTuples) return std::nullopt;
    ArgumentType type;
    type.kind = Kind::Tuple;
    while (!take(')')) {
      std::optional<ArgumentType> element = one();
      if (!element) return std::nullopt;
      type.elements.push_back(std::move(*element));
      if (!take(',') && (skip_spaces(), rest_.empty() || rest_[0] != ')')) return std::nullopt;
    }
    --tuples_;
    return type;
  }

  std::optional<ArgumentType> array() {
    ArgumentType type;
    type.kind = Kind::Array;
    if (!take('[')) return std::nullopt;
    const std::optional<ArgumentType> element = number(word());
    if (!element || !take(',')) return std::nullopt;
    std::string digits(word());
    if (digits.empty() || digits.size() > 2 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
      return std::nullopt;
    int ndim = std::stoi(digits);
    const bool contiguous = take(',');
    const std::string_view order = contiguous ? word() : "";
    if (contiguous && order != "C" && order != "F") return std::nullopt;
    if (ndim > abi::kMaxDims || !take(']')) return std::nullopt;
    type.dtype = element->dtype;
    type.element = element->kind;
    type.item = element->item;
    type.lanes = element->lanes;
    type.ndim = static_cast<uint8_t>(ndim);
    // Elements of what is allocated as an array are aligned. Columns are no fact.
    type.facts.element_aligned = contiguous;
    type.facts.unit_inner = type.facts.contiguous = order == "C";
    return type;
  }

  static constexpr int kMaxTuples = 32;  // in one another, as in a launch

  std::string_view rest_;
  int tuples_ = 0;
};

}  // namespace

std::optional<ArgumentType> parse_type(std::string_view text) { return Parser(text).whole(); }

}  // namespace cuda_device::bindings
