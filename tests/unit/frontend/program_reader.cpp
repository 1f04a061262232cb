#include "program_reader.h"

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <unordered_map>

namespace cuda_device::frontend::testing {
namespace {

using syntax::Binding;
using syntax::Node;
using syntax::Value;

class Reader {
 public:
  explicit Reader(std::istream& in) : in_(in) {}

  bool at_end() { return (in_ >> std::ws).eof(); }

  Case read_case() {
    Case c;
    case_ = &c;
    expect("case");
    c.name = text();
    c.dialect = word() == "NumbaPro" ? DialectName::NumbaPro : DialectName::Device;
    read_file();
    expect("types");
    for (int n = number(); n > 0; --n) c.types.push_back(parse_type(text()));
    expect("functions");
    c.program.functions.resize(static_cast<size_t>(number()));
    for (syntax::Function& f : c.program.functions) read_function(f);
    std::string next = word();
    if (next == "run") {
      read_run();
      next = word();
    }
    if (next != "end") throw std::runtime_error(c.name + ": expected end, found " + next);
    return c;
  }

 private:
  void read_file() {
    expect("file");
    SourceFile file;
    file.name = text();
    for (int n = number(); n > 0; --n) file.lines.push_back(text());
    case_->program.files.push_back(std::move(file));
  }

  void read_function(syntax::Function& f) {
    function_ = &f;
    expect("function");
    f.name = text();
    const std::string kind = word();
    f.kind = kind == "Kernel" ? syntax::FunctionKind::Kernel
             : kind == "Func" ? syntax::FunctionKind::Func
                              : syntax::FunctionKind::Plain;
    f.span = span();
    f.args = static_cast<syntax::arguments*>(node());
    f.body = nodes();
    f.returns = node();
    f.defaults = bindings();
    f.kw_defaults = bindings();
  }

  void read_run() {
    case_->runs = true;
    for (uint32_t& n : case_->grid.grid) n = static_cast<uint32_t>(number());
    for (uint32_t& n : case_->grid.block) n = static_cast<uint32_t>(number());
    const int count = number();
    for (int i = 0; i < count; ++i) case_->arguments.push_back(argument());
    for (int i = 0; i < count; ++i) case_->expected.push_back(argument());
  }

  TestArgument argument() {
    TestArgument a;
    a.is_array = word() == "array";
    if (!a.is_array) {
      a.scalar = value();
      return a;
    }
    const int ndim = number();
    for (int i = 0; i < ndim; ++i) a.array.shape.push_back(number());
    for (int i = 0; i < ndim; ++i) a.array.strides.push_back(number());
    for (int n = number(); n > 0; --n) a.array.elements.push_back(word());
    return a;
  }

  // --- nodes ---

  Node* node() {
    if (peek() == '-') {
      word();
      return nullptr;
    }
    if (peek() != '@') return plain_node();
    word();
    Binding b = binding();
    Node* n = plain_node();
    function_->bindings.emplace(n, std::move(b));
    return n;
  }

  Node* plain_node() {
    symbol('(');
    const std::string name = word();
    const Span place = span();
    Node* n = nullptr;
    if (name == "Unsupported") {
      auto* u = case_->program.make<syntax::Unsupported>(place);
      u->what = text();
      std::istringstream names(text());
      for (std::string bound; names >> bound;) u->binds.push_back(bound);
      n = u;
    }
#define NODE(kind, fields)                                 \
  if (name == #kind) {                                     \
    auto* made = case_->program.make<syntax::kind>(place); \
    fields n = made;                                       \
  }
#define CHILD(f) made->f = node();
#define OPT(f) made->f = node();
#define CHILDREN(f) made->f = nodes();
#define TEXT(f) made->f = text();
#define TEXT_AS(f, p) made->f = text();
#define OPER(f) made->f = text();
#define OPERS(f) made->f = texts();
#define TEXTS(f) made->f = texts();
#define VALUE(f) made->f = value();
#include "syntax/node.def"
    if (!n) throw std::runtime_error("unknown node " + name);
    symbol(')');
    return n;
  }

  std::vector<Node*> nodes() {
    return list<Node*>([this] { return node(); });
  }
  std::vector<std::string> texts() {
    return list<std::string>([this] { return text(); });
  }
  std::vector<Binding> bindings() {
    return list<Binding>([this] { return binding(); });
  }

  template <class T>
  std::vector<T> list(const std::function<T()>& read) {
    std::vector<T> out;
    symbol('[');
    while (peek() != ']') out.push_back(read());
    symbol(']');
    return out;
  }

  Binding binding() {
    Binding b;
    const std::string kind = word();
    if (kind == "Constant") {
      b.kind = Binding::Kind::Constant;
      b.value = value();
    } else if (kind == "Function") {
      b.kind = Binding::Kind::Function;
      b.function = static_cast<uint32_t>(number());
    } else if (kind != "Undefined") {
      b.kind = kind == "Entity"   ? Binding::Kind::Entity
               : kind == "Module" ? Binding::Kind::Module
                                  : Binding::Kind::Object;
      b.name = text();
    }
    return b;
  }

  Value value() {
    using Kind = Value::Kind;
    static const std::unordered_map<std::string, Kind> kinds = {
        {"None", Kind::None},     {"Bool", Kind::Bool},         {"Int", Kind::Int},
        {"BigInt", Kind::BigInt}, {"Float", Kind::Float},       {"Complex", Kind::Complex},
        {"String", Kind::String}, {"Ellipsis", Kind::Ellipsis}, {"Tuple", Kind::Tuple},
        {"Other", Kind::Other}};
    Value v;
    const std::string kind = word();
    if (kind == "Typed") {
      const std::string format = word();
      v = value();
      v.typed = true;
      v.format = *scalar_named(format);
      return v;
    }
    v.kind = kinds.at(kind);
    if (v.kind == Kind::Bool) v.boolean = number() != 0;
    if (v.kind == Kind::Int) v.integer = wide(word());
    if (v.kind == Kind::BigInt) v.text = word();
    if (v.kind == Kind::Float) v.real = std::strtod(word().c_str(), nullptr);
    if (v.kind == Kind::String || v.kind == Kind::Other) v.text = text();
    if (v.kind == Kind::Tuple)
      for (int n = number(); n > 0; --n) v.elements.push_back(value());
    return v;
  }

  static __int128 wide(const std::string& digits) {
    __int128 v = 0;
    for (char c : digits)
      if (c != '-') v = v * 10 + (c - '0');
    return digits[0] == '-' ? -v : v;
  }

  Span span() {
    Span s;
    s.line = static_cast<uint32_t>(number());
    s.column = static_cast<uint32_t>(number());
    s.end_line = static_cast<uint32_t>(number());
    s.end_column = static_cast<uint32_t>(number());
    return s;
  }

  // --- tokens ---

  char peek() {
    in_ >> std::ws;
    return static_cast<char>(in_.peek());
  }
  void symbol(char c) {
    if (peek() != c)
      throw std::runtime_error(case_->name + ": expected " + c + ", found " + word());
    in_.get();
  }
  void expect(const std::string& what) {
    if (const std::string found = word(); found != what)
      throw std::runtime_error("expected " + what + ", found " + found);
  }
  // Up to a blank or a closing bracket.
  std::string word() {
    in_ >> std::ws;
    std::string out;
    while (!in_.eof() && !std::isspace(in_.peek()) && in_.peek() != ')' && in_.peek() != EOF)
      out += static_cast<char>(in_.get());
    return out;
  }
  int number() { return std::stoi(word()); }
  std::string text() {
    symbol('"');
    std::string out;
    for (char c; in_.get(c) && c != '"';) {
      if (c != '\\') {
        out += c;
        continue;
      }
      in_.get(c);
      out += c == 'n' ? '\n' : c;
    }
    return out;
  }

  std::istream& in_;
  Case* case_ = nullptr;
  syntax::Function* function_ = nullptr;
};

}  // namespace

Request Case::request() const {
  Request r;
  r.program = &program;
  r.arguments = types;
  r.dialect = dialect;
  return r;
}

std::deque<Case> read_cases(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  Reader reader(in);
  std::deque<Case> cases;
  while (!reader.at_end()) cases.push_back(reader.read_case());
  return cases;
}

ArgumentType parse_type(const std::string& text) {
  ArgumentType t;
  if (text.starts_with("read_only ")) {
    t = parse_type(text.substr(10));
    t.facts.read_only = true;
  } else if (text == "None") {
    t.kind = ArgumentType::Kind::None;
  } else if (text == "int" || text == "float") {
    t.kind = text == "int" ? ArgumentType::Kind::WeakInt : ArgumentType::Kind::WeakFloat;
  } else if (text.starts_with("array[")) {
    t.kind = ArgumentType::Kind::Array;
    const size_t comma = text.find(',');
    t.dtype = *scalar_named(text.substr(6, comma - 6));
    t.ndim = static_cast<uint8_t>(std::stoi(text.substr(comma + 1)));
  } else if (text.starts_with("(")) {
    t.kind = ArgumentType::Kind::Tuple;
    std::stringstream parts(text.substr(1, text.size() - 2));
    for (std::string part; std::getline(parts >> std::ws, part, ';');)
      t.elements.push_back(parse_type(part));
  } else {
    t.kind = ArgumentType::Kind::Scalar;
    t.dtype = *scalar_named(text);
  }
  return t;
}

int64_t element_bits(ScalarKind kind, const std::string& text) {
  if (!is_float(kind))
    return static_cast<int64_t>(text[0] == '-' ? std::stoll(text)
                                               : static_cast<int64_t>(std::stoull(text)));
  return float_bits(kind, std::strtod(text.c_str(), nullptr));
}

}  // namespace cuda_device::frontend::testing
