#include "frontend/value.h"

#include <algorithm>

namespace cuda_device::frontend {

Value Value::of_kind(Kind kind) {
  Value v;
  v.kind = kind;
  return v;
}

Value Value::number(TypeCode code, ir::Inst* inst) {
  Value v = of_kind(Kind::Number);
  v.code = code;
  v.inst = inst;
  return v;
}

Value Value::constant(TypeCode code, Exact exact) {
  Value v = of_kind(Kind::Number);
  v.code = code;
  v.exact = exact;
  return v;
}

Value Value::tuple(std::vector<Value> elements) {
  Value v = of_kind(Kind::Tuple);
  v.elements = std::move(elements);
  return v;
}

Value Value::named(Kind kind, std::string name) {
  Value v = of_kind(kind);
  v.name = std::move(name);
  return v;
}

bool Value::contains_unknown() const {
  if (is_unknown()) return true;
  for (const Value& e : elements)
    if (e.contains_unknown()) return true;
  return false;
}

bool Value::is_storable() const {
  if (kind == Kind::Range || kind == Kind::Slice || kind == Kind::Method || kind == Kind::Lambda ||
      kind == Kind::FString)
    return false;
  for (const Value& e : elements)
    if (!e.is_storable()) return false;
  return true;
}

std::string public_name(const std::string& entity) {
  return entity.starts_with("builtins.") ? entity.substr(9) : entity;
}

// The type itself must not read like a number of that type.
static std::string entity_text(const std::string& entity) {
  const bool number =
      entity == "builtins.int" || entity == "builtins.float" || entity == "builtins.bool";
  return (number ? "type " : "") + public_name(entity);
}

std::string read_it_hint(const Value& value) {
  if (!value.is_array() || value.array.ndim != 0) return "";
  const bool named = !value.name.empty();
  return "an array without dimensions has one element: " + (named ? value.name : "a") + "[()]";
}

std::string type_text(const Value& value) {
  switch (value.kind) {
    case Value::Kind::Unknown:
      return "unknown";
    case Value::Kind::None:
      return "None";
    case Value::Kind::Number:
      return std::string(name_of(value.code));
    case Value::Kind::Tuple: {
      std::string text = "(";
      for (size_t i = 0; i < value.elements.size(); ++i) {
        if (i) text += ", ";
        text += type_text(value.elements[i]);
      }
      return text + (value.elements.size() == 1 ? ",)" : ")");
    }
    case Value::Kind::Range:
      return "range";
    case Value::Kind::Slice:
      return "slice";
    case Value::Kind::Array:
      return "array[" + std::string(name_of(value.array.scalar)) + ", " +
             std::to_string(value.array.ndim) + "]";
    case Value::Kind::Entity:
      return entity_text(value.name);
    case Value::Kind::Function:
      return "function " + value.name;
    case Value::Kind::Lambda:
      return "a lambda";
    case Value::Kind::Method:
      return "method " + value.name;
    case Value::Kind::Module:  // or a class, whose attributes are constants too
      return value.name.starts_with("class ") ? value.name : "module " + value.name;
    case Value::Kind::Text:
      return "str";
    case Value::Kind::FString:
      return "an f-string";
    case Value::Kind::Object:
      return value.name;
  }
  return "unknown";
}

Value abstract_of(const Value& value) {
  Value v = value;
  v.inst = nullptr;
  for (Value& e : v.elements) e = abstract_of(e);
  return v;
}

Value without_constants(Value abstract) {
  abstract.exact.reset();
  for (Value& e : abstract.elements) e = without_constants(std::move(e));
  return abstract;
}

bool same_abstract(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.elements.size() != b.elements.size()) return false;
  for (size_t i = 0; i < a.elements.size(); ++i)
    if (!same_abstract(a.elements[i], b.elements[i])) return false;
  if (a.kind != Value::Kind::Number)
    return a.name == b.name && a.index == b.index && a.array == b.array;
  if (a.code != b.code || a.exact.has_value() != b.exact.has_value()) return false;
  return !a.exact || identical(a.code, *a.exact, *b.exact);
}

std::optional<ArrayPair> different_arrays(const Value& a, const Value& b) {
  // Indices count parameters in global memory and allocations in the others.
  const bool differ = a.index != b.index || a.array.space != b.array.space;
  if (a.is_array() && b.is_array() && differ) return ArrayPair{&a, &b};
  if (!a.is_tuple() || !b.is_tuple()) return std::nullopt;
  for (size_t i = 0; i < std::min(a.elements.size(), b.elements.size()); ++i)
    if (auto found = different_arrays(a.elements[i], b.elements[i])) return found;
  return std::nullopt;
}

}  // namespace cuda_device::frontend
