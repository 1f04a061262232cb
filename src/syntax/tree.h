// The syntax tree and the Program handed to the frontend: plain data, complete, with no way back to
// Python.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "support/execution.h"
#include "support/fast_math.h"
#include "support/inlining.h"
#include "support/launch_bounds.h"
#include "support/scalar.h"
#include "support/span.h"

namespace cuda_device {
struct Diagnostic;
}

namespace cuda_device::syntax {

// What a field of a class, or an element of an array, is made of.
struct FieldType {
  enum class Kind : uint8_t { None, Named, Class, Array };
  Kind kind = Kind::Named;
  std::string name;   // Named: a number or vector, "float32", "int", "float32x4"
                      // Array: the number that its elements are; empty: any elements
  uint32_t type = 0;  // Class: index into Program::types
  int ndim = -1;      // Array; negative: any
  friend bool operator==(const FieldType&, const FieldType&) = default;
};

// A Python constant. Integers are exact up to 128 bits; beyond that only their text is kept.
struct Value {
  enum class Kind : uint8_t {
    None,
    Bool,
    Int,
    BigInt,
    Float,
    Complex,
    String,
    BrokenString,  // with half of a surrogate pair: no Unicode text
    Ellipsis,
    Tuple,
    Type,
    Array,   // elements in C order, their bytes in `text`; `shape`, `element`
    Enum,    // a member of an enumeration: its value in `elements`
    Vector,  // of the type `text`, "float32x4": its components in `elements`
    Record,  // an instance of a class of Program::types: `record`, its fields in `elements`
    Other
  };
  Kind kind = Kind::None;
  bool boolean = false;
  __int128 integer = 0;
  double real = 0, imag = 0;
  // String; BrokenString, escaped; decimal digits of BigInt; name of the class of Other and Vector;
  // name of an Enum
  std::string text;
  std::string owner;           // Enum: its class; Array: "bytes" where that is what it was
  std::string str, repr;       // Enum, and an Int that is a member of one: by Python's functions
  std::vector<int64_t> shape;  // Array
  // Array, of complex numbers, vectors or records; otherwise its elements are of `format`.
  std::optional<FieldType> element;
  bool flag = false;            // of a Flag, whose members have bits in common
  std::vector<Value> elements;  // Tuple, Enum, Vector, Record
  uint32_t record = 0;          // Record, Enum: index into Program::types
  // A Tuple that is a named tuple, or a frozen dataclass, or an Int that is a member of an
  // enumeration: it is of the class `record`.
  bool named = false;
  // A NumPy scalar such as np.float32(0.5) or np.int64(3): a constant with a fixed format.
  bool typed = false;
  ScalarKind format = ScalarKind::Bool;
};

enum class NodeKind : uint8_t {
  Unsupported,
#define NODE(name, fields) name,
#include "syntax/node.def"
};

// Python's name of the class.
constexpr std::string_view class_name(NodeKind kind) {
  constexpr std::string_view kNames[] = {
      "Unsupported",
#define NODE(name, fields) #name,
#include "syntax/node.def"
  };
  return kNames[static_cast<size_t>(kind)];
}

struct Node {
  NodeKind kind;
  Span span;
  explicit Node(NodeKind k) : kind(k) {}
  virtual ~Node() = default;
};

struct Unsupported : Node {
  static constexpr NodeKind kKind = NodeKind::Unsupported;
  Unsupported() : Node(kKind) {}
  std::string what;                // Python's class name, "With"
  std::vector<std::string> binds;  // the variables of the function that are assigned in there
};

#define NODE(name, fields)                            \
  struct name : Node {                                \
    static constexpr NodeKind kKind = NodeKind::name; \
    name() : Node(kKind) {}                           \
    fields                                            \
  };
#define CHILD(f) Node* f = nullptr;
#define OPT(f) Node* f = nullptr;
#define CHILDREN(f) std::vector<Node*> f;
#define TEXT(f) std::string f;
#define TEXT_AS(f, p) std::string f;
#define OPER(f) std::string f;
#define OPERS(f) std::vector<std::string> f;
#define TEXTS(f) std::vector<std::string> f;
#define VALUE(f) Value f;
#include "syntax/node.def"

template <class T>
const T* as(const Node* n) {
  return n && n->kind == T::kKind ? static_cast<const T*>(n) : nullptr;
}

// What a name that is free in a function means: read by bindings when the program is captured.
struct Binding {
  enum class Kind : uint8_t {
    Undefined,  // no such global, closure variable, builtin or attribute
    Constant,   // value
    Entity,     // a thing the frontend knows by name: "device.thread_idx", "math.exp",
                // "builtins.range", "device.float32"
    Function,   // index into Program::functions
    Class,      // a class that values of a kernel may have; index into Program::types
    Module,     // a module or object only useful for its attributes; name, "class C" of a class
    Tuple,      // that holds functions or classes; parts
    Partial,    // functools.partial: the function, then its arguments, in parts; names of the last
    Object,     // anything else; name = class name
  };
  Kind kind = Kind::Undefined;
  Value value;
  std::string name;
  uint32_t function = 0;
  uint32_t type = 0;
  std::vector<Binding> parts;
  std::vector<std::string> names;
  // A hint ConstExpr[T]: the rest says what T is.
  bool of_constant = false;
  // A Module or Object that is a hint of Python's typing: it declares nothing as an annotation.
  bool is_hint = false;
};

struct Field {
  std::string name;
  FieldType type;
  uint32_t offset = 0;  // bytes
  bool has_default = false;
  Binding default_value;
  // What a dataclass says of the field, by field().
  bool is_given = true;       // a call gives it; otherwise it has its default
  bool is_positional = true;  // a call may give it by position
  bool in_equality = true;    // == compares it
  bool in_order = true;       // < compares it
  bool in_repr = true;        // repr() writes it
};

// A class of values that kernels take apart, as it was when the program was captured.
struct TypeDecl {
  enum class Kind : uint8_t {
    Struct,      // @device.struct, or a frozen dataclass
    Tuple,       // the hint tuple[...]
    NamedTuple,  // of Python's, or a frozen dataclass: fields of any type
    Fields,      // a structured dtype of NumPy
    SubArray,    // its one field, as often as `shape` says
    Atomic,      // device.Atomic(T): its one field is accessed atomically
    Alias,       // device.align(T, n), or the hint of an array: its one field
    Enumeration  // its members: of an IntEnum, numbers
  };
  Kind kind = Kind::Struct;
  std::string name;
  std::vector<Field> fields;
  std::vector<int64_t> shape;
  // The members of an Enumeration as it goes through them, and all names that it has, other names
  // of one member among them.
  std::vector<Value> members;
  std::map<std::string, Value> members_by_name;
  std::string boundary;          // of a Flag: "strict", "keep", ...
  uint32_t size = 0, align = 1;  // bytes
  // Methods, properties and constants of the class, by name; in the order of names. What super()
  // finds of them from a method, by name_of_super.
  std::map<std::string, Binding> attributes;
  std::set<std::string> properties;      // those that are called where they are read
  std::set<std::string> static_methods;  // those that do not get the record
  std::set<std::string> class_methods;   // those that get the class
  // What repr() writes in front of the fields' names and values. Empty: not these.
  std::string repr_name;
  // The fields that a pattern takes by position: __match_args__.
  std::vector<std::string> match_args;
  // What a NamedTuple says of its class.
  bool is_tuple = false;        // of Python's: it has a length and is gone through
  bool is_ordered = false;      // its instances have an order: by their fields
  bool has_equality = true;     // they are compared by their fields, not by identity
  bool has_own_iter = false;    // going through one is what a method of its own does
  std::string made_by;          // the method of its own that makes an instance: "__post_init__"
  std::vector<uint32_t> bases;  // those of its base classes that are NamedTuples too
};

// "super 3.area": what `super().area` means in the function of that index.
inline std::string name_of_super(uint32_t function, const std::string& name) {
  return "super " + std::to_string(function) + "." + name;
}

enum class FunctionKind : uint8_t { Kernel, Func, Plain };

struct FunctionOptions {
  bool fmad = true;
  FastMath fast_math = {};
  LaunchBounds bounds = {};
  Execution execution = Execution::Automatic;
  // What the decorator declares: the result's type, then the parameters', as "float32", "None" or
  // "array[float32, 2]". Empty: nothing.
  std::vector<std::string> signature = {};
  Inlining inlining = Inlining::Automatic;
  bool wide_builtins = false;  // the decorator says builtins=64
};

// One Python function: its tree and the meaning of its free names.
struct Function {
  std::string name;
  FunctionKind kind = FunctionKind::Plain;
  FunctionOptions options;
  Span span;                 // of the `def` line
  bool of_language = false;  // this package's: what goes wrong in it goes wrong where it is called
  std::string in_library;    // "statistics.mean" of Python's standard library; empty: not of it
  // Why it cannot be compiled, if it cannot: it may stand where no call of it is compiled. It has a
  // name then, and nothing else.
  std::shared_ptr<const Diagnostic> refusal;
  arguments* args = nullptr;
  std::vector<Node*> body;  // a lambda's body is one Return
  Node* returns = nullptr;
  // Names and attribute chains with a free root. `a.b.c` with `a` a module has entries for the Name
  // and each Attribute. A name that the function assigns is local and has none.
  std::unordered_map<const Node*, Binding> bindings;
  // Values of default arguments, evaluated by Python at definition: parallel to args->defaults and
  // args->kw_defaults.
  std::vector<Binding> defaults, kw_defaults;
  // What a launch of a kernel gives to parameters whose hint is ConstExpr, by their number.
  std::map<uint32_t, Binding> constant_arguments;
};

// How deep expressions and statements may lie in one another, calls of other functions included:
// the compiler's own stack is made for it (compile/compiler_thread.h).
inline constexpr uint32_t kMaxNesting = 5000;

struct Program {
  uint32_t depth = 0;  // nodes that lie in one another at the deepest place
  SourceMap files;
  std::deque<Function> functions;  // [0] is the kernel (or the function asked about)
  std::deque<TypeDecl> types;      // that names of the functions and arguments of launches mean
  // Modules that are values, as variables and elements of tuples are, by name: what those of their
  // attributes mean that are read of some value.
  std::map<std::string, std::map<std::string, Binding>> modules;
  std::vector<std::unique_ptr<Node>> nodes;

  template <class T>
  T* make(Span span) {
    auto owned = std::make_unique<T>();
    T* node = owned.get();
    node->span = span;
    nodes.push_back(std::move(owned));
    return node;
  }
};

std::string print(const Function& f);  // printer.cpp: what inspect(what="syntax") shows

}  // namespace cuda_device::syntax
