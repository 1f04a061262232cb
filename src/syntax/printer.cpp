// The syntax tree as indented text: one node a line, its plain fields beside it, its children
// below. What a free name means stands after "->".
#include <charconv>

#include "syntax/tree.h"

namespace cuda_device::syntax {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string number_text(double value) {
  char text[40];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

std::string number_text(__int128 value) {
  if (value == 0) return "0";
  std::string digits;
  const bool negative = value < 0;
  for (; value != 0; value /= 10) {
    const int digit = static_cast<int>(value % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (negative ? -digit : digit)));
  }
  return negative ? "-" + digits : digits;
}

std::string text_of(const Value& v) {
  switch (v.kind) {
    case Value::Kind::None:
      return "None";
    case Value::Kind::Bool:
      return v.boolean ? "True" : "False";
    case Value::Kind::Int:
      return number_text(v.integer);
    case Value::Kind::Float:
      return number_text(v.real);
    case Value::Kind::Complex:
      return number_text(v.real) + "+" + number_text(v.imag) + "j";
    case Value::Kind::String:
    case Value::Kind::BrokenString:
      return quoted(v.text);
    case Value::Kind::Ellipsis:
      return "...";
    case Value::Kind::Enum:
      return v.owner + "." + v.text;
    case Value::Kind::Array: {
      std::string extents;
      for (const int64_t n : v.shape) extents += (extents.empty() ? "" : ", ") + std::to_string(n);
      return "array of [" + extents + "]";
    }
    case Value::Kind::BigInt:
    case Value::Kind::Type:
    case Value::Kind::Other:
      return v.text;
    case Value::Kind::Vector:
    case Value::Kind::Record:
    case Value::Kind::Tuple:
      break;
  }
  std::string out = "(";
  for (size_t i = 0; i < v.elements.size(); ++i) out += (i ? ", " : "") + text_of(v.elements[i]);
  return out + ")";
}

// Describes a value, with the format of a NumPy scalar.
std::string describe(const Value& v) {
  if (!v.typed) return text_of(v);
  return std::string(name_of(v.format)) + "(" + text_of(v) + ")";
}

std::string describe(const Binding& b) {
  switch (b.kind) {
    case Binding::Kind::Undefined:
      return "undefined";
    case Binding::Kind::Constant:
      return describe(b.value);
    case Binding::Kind::Entity:
      return b.name;
    case Binding::Kind::Function:
      return "function " + std::to_string(b.function);
    case Binding::Kind::Class:
      return "class " + b.name;
    case Binding::Kind::Module:
      return b.name.starts_with("class ") ? b.name : "module " + b.name;
    case Binding::Kind::Tuple:
      return "tuple of " + std::to_string(b.parts.size());
    case Binding::Kind::Partial:
      return "partial of " + describe(b.parts[0]);
    case Binding::Kind::Object:
      return "object of class " + b.name;
  }
  return "";
}

class Printer {
 public:
  explicit Printer(const Function& f) : function_(f) {}

  std::string run() {
    static constexpr const char* kKinds[] = {"kernel", "func", "function"};
    out_ = std::string(kKinds[static_cast<int>(function_.kind)]) + " " + quoted(function_.name);
    out_ += " line " + std::to_string(function_.span.line);
    if (!function_.options.fmad) out_ += " fmad=False";
    if (const std::vector<std::string> parts = names_of(function_.options.fast_math);
        !parts.empty()) {
      out_ += " fastmath={";
      for (const std::string& part : parts) out_ += (&part == parts.data() ? "" : ", ") + part;
      out_ += "}";
    }
    const LaunchBounds& bounds = function_.options.bounds;
    if (bounds.max_registers) out_ += " max_registers=" + std::to_string(bounds.max_registers);
    if (bounds.min_blocks) out_ += " min_blocks=" + std::to_string(bounds.min_blocks);
    if (const Inlining inlining = function_.options.inlining; inlining != Inlining::Automatic)
      out_ += " inline=" + std::string(kInlinings[static_cast<size_t>(inlining)]);
    out_ += "\n";
    child("args", function_.args, 1);
    defaults("default", function_.defaults);
    defaults("keyword default", function_.kw_defaults);
    for (const auto& [parameter, binding] : function_.constant_arguments)
      out_ += "  argument " + std::to_string(parameter) + ": " + describe(binding) + "\n";
    children("body", function_.body, 1);
    child("returns", function_.returns, 1);
    return std::move(out_);
  }

 private:
  void defaults(const char* what, const std::vector<Binding>& bindings) {
    for (const Binding& b : bindings) out_ += std::string("  ") + what + ": " + describe(b) + "\n";
  }

  void child(const char* field, const Node* node, int depth) {
    if (!node) return;
    out_.append(static_cast<size_t>(depth) * 2, ' ');
    out_ += std::string(field) + ": ";
    line(*node, depth);
  }

  void children(const char* field, const std::vector<Node*>& nodes, int depth) {
    for (const Node* node : nodes) child(field, node, depth);
  }

  void line(const Node& node, int depth) {
    plain_fields(node);
    out_ += place(node);
    if (auto at = function_.bindings.find(&node); at != function_.bindings.end())
      out_ += " -> " + describe(at->second);
    out_ += "\n";
    child_fields(node, depth + 1);
  }

  static std::string place(const Node& node) {
    if (!node.span.known()) return "";
    return " @" + std::to_string(node.span.line) + ":" + std::to_string(node.span.column + 1);
  }

  void plain_fields(const Node& node);
  void child_fields(const Node& node, int depth);

  const Function& function_;
  std::string out_;
};

#define TEXT(f) out_ += " " + quoted(n.f);
#define TEXT_AS(f, p) TEXT(f)
#define OPER(f) out_ += " " + n.f;
#define OPERS(f) \
  for (const std::string& op : n.f) out_ += " " + op;
#define TEXTS(f) \
  for (const std::string& text : n.f) out_ += " " + quoted(text);
#define VALUE(f) out_ += " " + describe(n.f);
#define NODE(name, fields)                                                   \
  case NodeKind::name: {                                                     \
    [[maybe_unused]] const auto& n = static_cast<const syntax::name&>(node); \
    out_ += #name;                                                           \
    fields break;                                                            \
  }

void Printer::plain_fields(const Node& node) {
  switch (node.kind) {
    case NodeKind::Unsupported:
      out_ += "Unsupported " + static_cast<const Unsupported&>(node).what;
      break;
#include "syntax/node.def"
  }
}

#define CHILD(f) child(#f, n.f, depth);
#define OPT(f) child(#f, n.f, depth);
#define CHILDREN(f) children(#f, n.f, depth);
#define NODE(name, fields)                                                   \
  case NodeKind::name: {                                                     \
    [[maybe_unused]] const auto& n = static_cast<const syntax::name&>(node); \
    fields break;                                                            \
  }

void Printer::child_fields(const Node& node, int depth) {
  switch (node.kind) {
    case NodeKind::Unsupported:
      break;
#include "syntax/node.def"
  }
}

}  // namespace

std::string print(const Function& f) { return Printer(f).run(); }

}  // namespace cuda_device::syntax
