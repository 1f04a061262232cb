// What an expression is while it is lowered: a number known now or computed by the IR, a tuple of
// values, or one of the things that exist at compile time only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/exact.h"
#include "ir/ir.h"

namespace cuda_device::syntax {
struct Node;
}

namespace cuda_device::frontend {

struct Instance;

struct Value {
  enum class Kind : uint8_t {
    Unknown,  // not inferred yet, or an error that was reported: passes through everything in
              // silence
    None,
    Number,    // `exact` or `inst`
    Tuple,     // `elements`
    Range,     // `elements`: start, stop, step of one integer type
    Slice,     // `elements`: lower, upper, step; None where left out
    Array,     // `index` of its base; `elements`, of a view: offset, extents, strides, all int64
    Entity,    // `name`: "device.thread_idx", "math.exp", "builtins.range"
    Function,  // `index` into the program
    Lambda,    // `node`, in `instance`
    Method,    // `name` of `elements[0]`
    Module,    // `name`
    Text,      // `name`: a string constant
    FString,   // `elements`: its values; `node`
    Object,    // `name` of its class
  };
  Kind kind = Kind::Unknown;
  TypeCode code = TypeCode::b1;
  std::optional<Exact> exact;
  ir::Inst* inst = nullptr;  // valid in the pass that made it
  std::vector<Value> elements;
  std::string name;
  uint32_t index = 0;
  ir::Type array;  // of Array; in global memory its base is an IR parameter, else an allocation
  bool read_only = false;
  const syntax::Node* node = nullptr;
  Instance* instance = nullptr;

  static Value unknown() { return {}; }
  static Value none() { return of_kind(Kind::None); }
  static Value number(TypeCode code, ir::Inst* inst);
  static Value constant(TypeCode code, Exact exact);
  static Value constant_int(TypeCode code, __int128 value) { return constant(code, {value, 0}); }
  static Value boolean(bool value) { return constant_int(TypeCode::b1, value); }
  static Value tuple(std::vector<Value> elements);
  static Value named(Kind kind, std::string name);

  bool is_unknown() const { return kind == Kind::Unknown; }
  bool is_number() const { return kind == Kind::Number; }
  bool is_none() const { return kind == Kind::None; }
  bool is_tuple() const { return kind == Kind::Tuple; }
  bool is_array() const { return kind == Kind::Array; }
  bool is_view() const { return is_array() && !elements.empty(); }
  bool is_dynamic_shared() const { return is_array() && index == kDynamicShared; }
  bool is_entity(std::string_view text) const { return kind == Kind::Entity && name == text; }
  bool is_constant() const { return is_number() && exact.has_value(); }
  bool contains_unknown() const;  // itself or some element
  bool is_storable() const;       // no part of it exists only where it is made

  // The base that is no allocation.
  static constexpr uint32_t kDynamicShared = ~0u;

 private:
  static Value of_kind(Kind kind);
};

inline constexpr int kMaxTuple = 256;
inline constexpr int kMaxTupleDepth = 32;  // as in a launch and in constants

// As people read it: "int32", "int", "(float, int32)", "array[float32, 2]", "None", "function 'f'".
std::string type_text(const Value& value);
// How to read the one element of an array without dimensions, as a hint; empty for others.
std::string read_it_hint(const Value& value);
// Of an entity: builtins without their module.
std::string public_name(const std::string& entity);

// The same without instructions: all that inference needs to know. Constants keep their value.
Value abstract_of(const Value& value);
// Constants become run-time numbers of their type.
Value without_constants(Value abstract);
// Of abstract values: nothing in them differs.
bool same_abstract(const Value& a, const Value& b);

// The first place where the two are different arrays, within tuples too.
struct ArrayPair {
  const Value* first = nullptr;
  const Value* second = nullptr;
};
std::optional<ArrayPair> different_arrays(const Value& a, const Value& b);

// Calls f on every number that is computed at run time, depth first.
template <class V, class F>
void for_each_leaf(V& value, F&& f) {
  if (value.kind == Value::Kind::Number && !value.exact) f(value);
  if (value.kind != Value::Kind::Tuple && value.kind != Value::Kind::Array) return;
  for (auto& element : value.elements) for_each_leaf(element, f);
}

}  // namespace cuda_device::frontend
