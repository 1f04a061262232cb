// What an expression is while it is lowered: a number known now or computed by the IR, a tuple of
// values, or one of the things that exist at compile time only.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "frontend/data_type.h"
#include "frontend/operators/exact.h"
#include "ir/ir.h"

namespace cuda_device::syntax {
struct Node;
}

namespace cuda_device::frontend {

struct Instance;

// Methods of numbers and arrays.
enum class Method : uint8_t {
  View,
  AsType,
  Reshape,
  Conjugate,
  IsInteger,
  BitCount,
  BitLength,
  // of masks of a warp
  WithLane,
  // of tuples and ranges
  Index,
  Count,
  // of an element that is accessed atomically
  Load,
  Store,
  Exch,
  Cas,
  Add,
  Sub,
  And,
  Or,
  Xor,
  Max,
  Min,
  NanMax,
  NanMin,
  Wait,
  NotifyOne,
  NotifyAll
};

template <class T, class Variant>
inline constexpr bool is_one_of = false;
template <class T, class... Alternatives>
inline constexpr bool is_one_of<T, std::variant<Alternatives...>> =
    (std::same_as<T, Alternatives> || ...);

class Value {
 public:
  // Not inferred yet, or an error that was reported: passes through everything in silence.
  struct Unknown {
    friend bool operator==(const Unknown&, const Unknown&) = default;
  };
  struct None {
    friend bool operator==(const None&, const None&) = default;
  };
  // A number computed at run time. Abstract values have no instruction.
  struct Scalar {
    TypeCode code;
    ir::Inst* inst;  // valid in the pass that made it
    // Nothing of a builtin number was rounded or wrapped around on the way here.
    bool intact = false;
    RecordRef enumeration = nullptr;  // whose member it is
  };
  // How Python writes a member of an enumeration.
  struct Shown {
    std::string str, repr;
    friend bool operator==(const Shown&, const Shown&) = default;
  };
  struct Constant {
    TypeCode code;
    Exact exact;
    std::shared_ptr<const Shown> shown = nullptr;  // of a member of an IntEnum
    RecordRef enumeration = nullptr;               // whose member it is
  };
  using Names = std::shared_ptr<const std::vector<std::string>>;
  struct Tuple {
    std::vector<Value> elements;
    Names names = nullptr;     // of a named tuple
    RecordRef type = nullptr;  // its class, where the program has one
  };
  // A vector, struct or record of NumPy: a value for each of its fields.
  struct Record {
    RecordRef type;
    std::vector<Value> fields;
  };
  struct Complex {
    TypeCode code;
    std::vector<Value> components;  // real and imaginary part, numbers of component_of(code)
  };
  struct Range {
    std::vector<Value> bounds;  // start, stop, step, each of an integer type of its own
    TypeCode code;              // of its numbers
  };
  struct Slice {
    std::vector<Value> bounds;  // lower, upper, step; None where left out
  };
  // What zip, enumerate, reversed and map give. It is gone through where it stands.
  struct Iterator {
    enum class Kind : uint8_t { Zip, Enumerate, Reversed, Map };
    Kind kind;
    std::vector<Value> parts;  // of Enumerate the start is last; of Map the function is first
    const syntax::Node* node;  // the call
  };
  // A generator expression, in the instance and copy where it stands.
  struct Generator {
    const syntax::Node* node;
    Instance* instance;
    uint32_t copy;
    friend bool operator==(const Generator&, const Generator&) = default;
  };

  // Where the memory of an array comes from.
  struct Parameter {
    uint32_t index;  // of the IR
    friend bool operator==(const Parameter&, const Parameter&) = default;
  };
  struct Allocation {
    uint32_t index;  // of the session
    friend bool operator==(const Allocation&, const Allocation&) = default;
  };
  struct DynamicShared {
    friend bool operator==(const DynamicShared&, const DynamicShared&) = default;
  };
  using Base = std::variant<Parameter, Allocation, DynamicShared>;
  // How the axes of a view lie in the memory behind it. Its numbers stand in Array::view, in the
  // order of the members here; arrays/layout.h takes them apart.
  struct ViewForm {
    bool window = false;  // the memory is a part of the base's bytes; otherwise it is the base
    bool packed = false;  // the axes are as close to each other as their extents allow
    std::vector<std::vector<uint8_t>> moving;  // by axis of the memory: axes that move along it
    std::vector<int8_t> whole;  // by axis: that of the memory whose extent it has, or kOwnExtent
    friend bool operator==(const ViewForm&, const ViewForm&) = default;
  };
  static constexpr int8_t kOwnExtent = -1;
  struct Array {
    std::string name;
    DataType element;
    ir::Type type;  // with as many axes as the program sees
    Base base;
    bool read_only = false;
    std::optional<ViewForm> form = std::nullopt;  // nothing: the whole base
    std::vector<Value> view = {};                 // integers
    // It has no dimensions and stands for its one element: what is accessed atomically, or a struct
    // with members that are.
    bool reference = false;

    bool is_view() const { return form.has_value(); }
    bool is_atomic_ref() const { return reference && !holds_atomics(element); }
    bool is_struct_ref() const { return reference && holds_atomics(element); }
    bool is_argument() const { return std::holds_alternative<Parameter>(base); }
    bool is_dynamic_shared() const { return std::holds_alternative<DynamicShared>(base); }
    const uint32_t* allocation() const;  // null: of other memory
  };

  // One of several arrays of one type, or of several functions, chosen at run time.
  struct Choice {
    std::vector<Value> parts;  // the number of the chosen one, a uint32, and all of them
  };
  struct Entity {
    std::string name;  // "device.thread_idx", "math.exp", "builtins.range"
    friend bool operator==(const Entity&, const Entity&) = default;
  };
  struct Function {
    uint32_t index;  // into the program
    std::string name;
    friend bool operator==(const Function&, const Function&) = default;
  };
  // A class whose call makes a record, or a named tuple.
  struct Class {
    RecordRef type;
    friend bool operator==(const Class&, const Class&) = default;
  };
  // A method of a class of the program, with the instance or class that it is called on.
  struct MemberFunction {
    uint32_t index;  // into the program
    std::string name;
    std::shared_ptr<const Value> self;
  };
  // A lambda or a function that stands within another one, whose variables it reads as they are
  // when it is called.
  struct Closure {
    const syntax::Node* node;
    Instance* instance;           // where it stands
    uint32_t copy;                // of the unrolled loops around it there
    std::vector<Value> defaults;  // of positional parameters, then of those by name
  };
  // functools.partial
  struct Partial {
    std::vector<Value> values;       // the function, then its arguments
    std::vector<std::string> names;  // of the last of them
  };
  // What **kwargs collects.
  struct Keywords {
    std::vector<std::string> names;
    std::vector<Value> values;
  };
  struct BoundMethod {
    Method method;
    std::shared_ptr<const Value> self;
  };
  struct Module {
    std::string name;      // or "class C", whose attributes are constants too
    bool is_hint = false;  // as syntax::Binding says
    friend bool operator==(const Module&, const Module&) = default;
  };
  // A string. With values, numbers all, it is known at run time only, and put together where it is
  // told: `text` is then a format of support/print_format.h.
  struct Text {
    std::string text;
    std::vector<Value> values = {};
  };
  // A member of an enumeration that is no number itself, or several members of a Flag.
  struct Enum {
    RecordRef type;  // its class
    bool flag;
    std::vector<Value> number;  // its position among the members; of a Flag its bits
  };
  struct Object {
    std::string class_name;
    bool is_hint = false;  // as syntax::Binding says
    friend bool operator==(const Object&, const Object&) = default;
  };

  using Alternatives =
      std::variant<Unknown, None, Scalar, Constant, Tuple, Record, Complex, Range, Slice, Iterator,
                   Generator, Array, Choice, Entity, Function, Class, MemberFunction, Closure,
                   Partial, Keywords, BoundMethod, Module, Text, Enum, Object>;

  Value() = default;
  template <class T>
    requires(is_one_of<T, Alternatives>)
  Value(T alternative)
      : is_(std::in_place_type<T>, std::move(alternative)) {}  // NOLINT: a value is any of them

  static Value unknown() { return {}; }
  static Value none() { return None{}; }
  static Value number(TypeCode code, ir::Inst* inst, bool intact = false) {
    return Scalar{code, inst, intact && is_weak(code)};
  }
  static Value constant(TypeCode code, Exact exact) { return Constant{code, exact}; }
  static Value constant_int(TypeCode code, __int128 value) { return Constant{code, {value, 0}}; }
  static Value boolean(bool value) { return constant_int(TypeCode::b1, value); }
  static Value tuple(std::vector<Value> elements) { return Tuple{std::move(elements)}; }
  static Value named_tuple(std::vector<Value> elements, std::vector<std::string> names) {
    return Tuple{std::move(elements),
                 std::make_shared<const std::vector<std::string>>(std::move(names))};
  }

  const Alternatives& alternatives() const { return is_; }
  template <class T>
  bool is() const {
    return std::holds_alternative<T>(is_);
  }
  // Null: it is something else.
  template <class T>
  const T* as() const {
    return std::get_if<T>(&is_);
  }

  bool is_unknown() const { return is<Unknown>(); }
  bool is_none() const { return is<None>(); }
  bool is_constant() const { return is<Constant>(); }
  bool is_number() const { return is<Scalar>() || is<Constant>(); }
  bool is_tuple() const { return is<Tuple>(); }
  bool is_record() const { return is<Record>(); }
  bool is_complex() const { return is<Complex>(); }
  // Made of other values, each of which a variable of it has on its own.
  bool is_aggregate() const { return is_tuple() || is_record() || is_complex() || is<Enum>(); }
  // A variable of it has each of its parts on its own.
  bool is_composite() const;
  bool is_array() const { return is<Array>(); }
  bool is_view() const { return is_array() && array().is_view(); }
  bool is_entity(std::string_view name) const { return is<Entity>() && as<Entity>()->name == name; }

  // Defined for numbers, complex ones too.
  TypeCode code() const;
  const Exact* exact() const { return is_constant() ? &as<Constant>()->exact : nullptr; }
  // A string that is known when compiling; null: it is something else.
  const std::string* string() const;
  bool is_intact() const;  // whether Python has the same number here
  // The class of a number that is a member of an enumeration; null: it is none.
  RecordRef enumeration() const;
  // The number of this type that the instruction computes.
  Value computed_by(ir::Inst* inst) const {
    return Scalar{code(), inst, is_intact(), enumeration()};
  }
  ir::Inst* inst() const { return is<Scalar>() ? as<Scalar>()->inst : nullptr; }
  // Defined for tuples.
  const std::vector<Value>& elements() const { return std::get<Tuple>(is_).elements; }
  // Defined for records.
  const Record& record() const { return std::get<Record>(is_); }
  // Defined for arrays.
  const Array& array() const { return std::get<Array>(is_); }

  // The values that it is made of: elements, bounds, the numbers of a view, what a method belongs
  // to.
  std::span<const Value> parts() const;
  // The same made of other values. Only of composites.
  Value with_parts(std::vector<Value> parts) const;

  // Whether no part of it is known at run time only.
  bool is_constant_expression() const;
  // A Python function, with what it was given already, or one of several functions.
  bool is_function() const {
    return is<Function>() || is<Closure>() || is<Partial>() || is<MemberFunction>() ||
           choice_of_functions();
  }
  // Null: it is something else.
  const Choice* choice_of_arrays() const;
  const Choice* choice_of_functions() const;
  bool contains_unknown() const;  // itself or some part
  bool is_storable() const;       // no part of it exists only where it is made

 private:
  Alternatives is_;
};

// A visitor of alternatives put together from lambdas.
template <class... F>
struct Visitor : F... {
  using F::operator()...;
};

inline constexpr int kMaxTuple = 256;
inline constexpr int kMaxTupleDepth = 32;  // as in a launch and in constants

// As people read it: "int32", "int", "(float, int32)", "array[float32, 2]", "None", "function 'f'".
std::string type_text(const Value& value);
// None, strings, structs, classes and what else Python has that is no number, array, tuple or
// function.
bool is_python_object(const Value& value);
// "a uint32", "an int32", "an array[float32, 1]"; "a lambda" has one already.
std::string with_article(const std::string& noun);
std::string_view name_of(Method method);
std::string_view name_of(Value::Iterator::Kind kind);
// How to read the one element of an array without dimensions, or what a reference refers to, as a
// hint; empty for others.
std::string read_it_hint(const Value& value, std::string otherwise = "");
// The name of an entity as users write it: builtins without their module.
std::string public_name(const std::string& entity);

// Between which numbers an integer or bool lies, a constant on its own.
Limits limits_of(const Value& whole);

// The same without instructions: all that inference needs to know. Constants keep their value.
Value abstract_of(const Value& value);
// Constants become run-time numbers of their type.
Value without_constants(const Value& abstract);
// Whether two abstract values differ in nothing.
bool same_abstract(const Value& a, const Value& b);
// The same but for their parts.
bool same_form(const Value& a, const Value& b);

// The first place where the two are different arrays, within tuples too.
struct ArrayPair {
  const Value::Array* first = nullptr;
  const Value::Array* second = nullptr;
};
std::optional<ArrayPair> different_arrays(const Value& a, const Value& b);

// Calls f on the code of every number that is computed at run time, depth first.
template <class F>
void for_each_leaf(const Value& value, F&& f) {
  if (auto* scalar = value.as<Value::Scalar>()) f(scalar->code);
  if (!value.is_composite()) return;
  for (const Value& part : value.parts()) for_each_leaf(part, f);
}

}  // namespace cuda_device::frontend
