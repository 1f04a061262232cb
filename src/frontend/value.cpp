#include "frontend/value.h"

#include <algorithm>
#include <cmath>

#include "frontend/language_names.h"
#include "support/check.h"
#include "syntax/tree.h"

namespace cuda_device::frontend {
namespace {

using V = Value;

// The type itself must not read like a number of that type.
std::string entity_text(const std::string& entity) {
  if (entity.starts_with("device.TargetDescription ")) return "target description";
  const bool number =
      entity == "builtins.int" || entity == "builtins.float" || entity == "builtins.bool";
  return (number ? "type " : "") + public_name(entity);
}

std::string tuple_text(const std::vector<Value>& elements) {
  std::string text = "(";
  for (size_t i = 0; i < elements.size(); ++i) text += (i ? ", " : "") + type_text(elements[i]);
  return text + (elements.size() == 1 ? ",)" : ")");
}

std::string array_text(const V::Array& a) {
  if (a.is_struct_ref()) return type_text(a.element);
  if (a.reference) return "AtomicRef[" + type_text(a.element) + "]";
  return "array[" + type_text(a.element) + ", " + std::to_string(a.type.ndim) + "]";
}

std::string closure_text(const V::Closure& closure) {
  auto* function = syntax::as<syntax::FunctionDef>(closure.node);
  return function ? "function " + function->name : "a lambda";
}

// What inference knows of two values of one alternative, without their parts.
struct SameItself {
  bool operator()(const V::Scalar& a, const V::Scalar& b) const {
    return a.code == b.code && a.intact == b.intact && a.enumeration == b.enumeration;
  }
  bool operator()(const V::Constant& a, const V::Constant& b) const {
    const bool alike = a.shown == b.shown || (a.shown && b.shown && *a.shown == *b.shown);
    return a.code == b.code && identical(a.code, a.exact, b.exact) && alike &&
           a.enumeration == b.enumeration;
  }
  bool operator()(const V::Array& a, const V::Array& b) const {
    return a.name == b.name && a.element == b.element && a.type == b.type && a.base == b.base &&
           a.form == b.form && a.reference == b.reference;
  }
  bool operator()(const V::Tuple& a, const V::Tuple& b) const {
    return a.type == b.type && (a.names == b.names || (a.names && b.names && *a.names == *b.names));
  }
  bool operator()(const V::Record& a, const V::Record& b) const { return a.type == b.type; }
  bool operator()(const V::Complex& a, const V::Complex& b) const { return a.code == b.code; }
  bool operator()(const V::MemberFunction& a, const V::MemberFunction& b) const {
    return a.index == b.index;
  }
  bool operator()(const V::Closure& a, const V::Closure& b) const {
    return a.node == b.node && a.instance == b.instance && a.copy == b.copy;
  }
  bool operator()(const V::Partial& a, const V::Partial& b) const { return a.names == b.names; }
  bool operator()(const V::Keywords& a, const V::Keywords& b) const { return a.names == b.names; }
  bool operator()(const V::Enum& a, const V::Enum& b) const { return a.type == b.type; }
  bool operator()(const V::Iterator& a, const V::Iterator& b) const { return a.kind == b.kind; }
  bool operator()(const V::BoundMethod& a, const V::BoundMethod& b) const {
    return a.method == b.method;
  }
  bool operator()(const V::Text& a, const V::Text& b) const { return a.text == b.text; }
  template <class T>
    requires std::same_as<T, V::Range> || std::same_as<T, V::Slice> || std::same_as<T, V::Choice>
  bool operator()(const T&, const T&) const {
    return true;
  }
  template <std::equality_comparable T>
  bool operator()(const T& a, const T& b) const {
    return a == b;
  }
  template <class T, class U>
  bool operator()(const T&, const U&) const {
    return false;
  }
};

// f of every part.
template <class F>
Value mapped(const Value& value, F&& f) {
  std::vector<Value> parts;
  parts.reserve(value.parts().size());
  for (const Value& part : value.parts()) parts.push_back(f(part));
  return value.with_parts(std::move(parts));
}

}  // namespace

const uint32_t* Value::Array::allocation() const {
  auto* own = std::get_if<Allocation>(&base);
  return own ? &own->index : nullptr;
}

const Value::Choice* Value::choice_of_arrays() const {
  auto* choice = as<Choice>();
  return choice && choice->parts[1].is_array() ? choice : nullptr;
}

const Value::Choice* Value::choice_of_functions() const {
  auto* choice = as<Choice>();
  return choice && !choice->parts[1].is_array() ? choice : nullptr;
}

const std::string* Value::string() const {
  auto* text = as<Text>();
  return text && text->values.empty() ? &text->text : nullptr;
}

TypeCode Value::code() const {
  if (auto* scalar = as<Scalar>()) return scalar->code;
  if (auto* complex = as<Complex>()) return complex->code;
  return std::get<Constant>(is_).code;
}

std::span<const Value> Value::parts() const {
  using Parts = std::span<const Value>;
  return std::visit(Visitor{[](const Tuple& v) -> Parts { return v.elements; },
                            [](const Record& v) -> Parts { return v.fields; },
                            [](const Complex& v) -> Parts { return v.components; },
                            [](const Range& v) -> Parts { return v.bounds; },
                            [](const Slice& v) -> Parts { return v.bounds; },
                            [](const Iterator& v) -> Parts { return v.parts; },
                            [](const Array& v) -> Parts { return v.view; },
                            [](const Choice& v) -> Parts { return v.parts; },
                            [](const Text& v) -> Parts { return v.values; },
                            [](const Enum& v) -> Parts { return v.number; },
                            [](const Closure& v) -> Parts { return v.defaults; },
                            [](const Partial& v) -> Parts { return v.values; },
                            [](const Keywords& v) -> Parts { return v.values; },
                            [](const BoundMethod& v) -> Parts { return {v.self.get(), 1}; },
                            [](const MemberFunction& v) -> Parts { return {v.self.get(), 1}; },
                            [](const auto&) -> Parts { return {}; }},
                    is_);
}

Value Value::with_parts(std::vector<Value> parts) const {
  if (auto* tuple = as<Tuple>()) return Tuple{std::move(parts), tuple->names, tuple->type};
  if (is_record()) return Record{record().type, std::move(parts)};
  if (is_complex()) return Complex{code(), std::move(parts)};
  if (auto* range = as<Range>()) return Range{std::move(parts), range->code};
  if (auto* v = as<Enum>()) return Enum{v->type, v->flag, std::move(parts)};
  if (is<Choice>()) return Choice{std::move(parts)};
  if (auto* v = as<Closure>()) return Closure{v->node, v->instance, v->copy, std::move(parts)};
  if (auto* v = as<Partial>()) return Partial{std::move(parts), v->names};
  if (auto* v = as<Keywords>()) return Keywords{v->names, std::move(parts)};
  if (auto* v = as<Text>()) return Text{v->text, std::move(parts)};
  if (auto* v = as<BoundMethod>())
    return BoundMethod{v->method, std::make_shared<const Value>(std::move(parts[0]))};
  if (auto* v = as<MemberFunction>())
    return MemberFunction{v->index, v->name, std::make_shared<const Value>(std::move(parts[0]))};
  Array same = array();
  same.view = std::move(parts);
  return same;
}

bool Value::is_composite() const {
  return is_aggregate() || is_array() || is<Choice>() || is<Range>() || is<Closure>() ||
         is<Partial>() || is<Keywords>() || is<Text>() || is<BoundMethod>() || is<MemberFunction>();
}

bool Value::is_constant_expression() const {
  if (is<Scalar>() || is<Generator>()) return false;
  // Constant tables are the only arrays that are: nobody can have a writable view of them.
  if (is_array() && !(array().read_only && array().allocation())) return false;
  return std::ranges::all_of(parts(), &Value::is_constant_expression);
}

bool Value::contains_unknown() const {
  return is_unknown() || std::ranges::any_of(parts(), &Value::contains_unknown);
}

bool Value::is_storable() const {
  if (is<Slice>() || is<Iterator>() || is<Generator>()) return false;
  return std::ranges::all_of(parts(), &Value::is_storable);
}

std::string public_name(const std::string& entity) {
  for (const std::string_view prefix : kUnwrittenPrefixes)
    if (entity.starts_with(prefix)) return entity.substr(prefix.size());
  return entity;
}

std::string_view name_of(Method method) {
  switch (method) {
    case Method::View:
      return "view";
    case Method::AsType:
      return "astype";
    case Method::Reshape:
      return "reshape";
    case Method::Conjugate:
      return "conjugate";
    case Method::IsInteger:
      return "is_integer";
    case Method::BitCount:
      return "bit_count";
    case Method::BitLength:
      return "bit_length";
    case Method::WithLane:
      return "with_lane";
    case Method::Index:
      return "index";
    case Method::Count:
      return "count";
    case Method::Load:
      return "load";
    case Method::Store:
      return "store";
    case Method::Exch:
      return "exch";
    case Method::Cas:
      return "cas";
    case Method::Add:
      return "add";
    case Method::Sub:
      return "sub";
    case Method::And:
      return "and_";
    case Method::Or:
      return "or_";
    case Method::Xor:
      return "xor";
    case Method::Max:
      return "max";
    case Method::Min:
      return "min";
    case Method::NanMax:
      return "nanmax";
    case Method::NanMin:
      return "nanmin";
    case Method::Wait:
      return "wait";
    case Method::NotifyOne:
      return "notify_one";
    case Method::NotifyAll:
      return "notify_all";
  }
  CD_UNREACHABLE("unknown method");
}

std::string_view name_of(V::Iterator::Kind kind) {
  switch (kind) {
    case V::Iterator::Kind::Zip:
      return "zip";
    case V::Iterator::Kind::Enumerate:
      return "enumerate";
    case V::Iterator::Kind::Reversed:
      return "reversed";
    case V::Iterator::Kind::Map:
      return "map";
  }
  CD_UNREACHABLE("unknown iterator");
}

// "uint32" is pronounced with a consonant at its beginning.
std::string with_article(const std::string& noun) {
  if (noun.starts_with("a ") || noun.starts_with("an ")) return noun;
  const bool vowel = noun.starts_with("Atomic") ||
                     (!noun.empty() && std::string_view("aeio").find(noun[0]) != std::string::npos);
  return (vowel ? "an " : "a ") + noun;
}

std::string read_it_hint(const Value& value, std::string otherwise) {
  auto* array = value.as<Value::Array>();
  if (!array || array->type.ndim != 0) return otherwise;
  if (array->is_struct_ref()) return "name an attribute of it";
  if (array->reference) return "its value is what load() gives: ref.load()";
  return "an array without dimensions has one element: " +
         (array->name.empty() ? "a" : array->name) + "[()]";
}

std::string type_text(const Value& value) {
  return std::visit(
      Visitor{[](const V::Unknown&) -> std::string { return "unknown"; },
              [](const V::None&) -> std::string { return "None"; },
              [](const V::Scalar& v) { return std::string(name_of(v.code)); },
              [](const V::Constant& v) { return std::string(name_of(v.code)); },
              [](const V::Tuple& v) { return v.type ? v.type->name : tuple_text(v.elements); },
              [](const V::Record& v) { return v.type->name; },
              [](const V::Complex& v) { return std::string(name_of(v.code)); },
              [](const V::Range&) -> std::string { return "range"; },
              [](const V::Slice&) -> std::string { return "slice"; },
              [](const V::Iterator& v) { return std::string(name_of(v.kind)); },
              [](const V::Generator&) -> std::string { return "a generator expression"; },
              [](const V::Array& v) { return array_text(v); },
              [](const V::Choice& v) { return type_text(v.parts[1]); },
              [](const V::Entity& v) { return entity_text(v.name); },
              [](const V::Function& v) { return "function " + v.name; },
              [](const V::Class& v) { return "class " + v.type->name; },
              [](const V::MemberFunction& v) { return "method " + v.name; },
              [](const V::Closure& v) { return closure_text(v); },
              [](const V::Partial& v) { return "partial of " + type_text(v.values[0]); },
              [](const V::Keywords&) -> std::string { return "keywords"; },
              [](const V::BoundMethod& v) { return "method " + std::string(name_of(v.method)); },
              [](const V::Module& v) {
                return v.name.starts_with("class ") ? v.name : "module " + v.name;
              },
              [](const V::Text& v) -> std::string {
                return v.values.empty() ? "str" : "str of values of run time";
              },
              [](const V::Enum& v) { return v.type->name; },
              [](const V::Object& v) { return v.class_name; }},
      value.alternatives());
}

bool is_python_object(const Value& value) {
  return value.is_none() || value.is_record() || value.is<V::Class>() || value.is<V::Enum>() ||
         value.is<V::Text>() || value.is<V::Object>() || value.is<V::Range>();
}

Limits limits_of(const Value& whole) {
  if (const Exact* exact = whole.exact()) return {exact->integer, exact->integer};
  return limits_of(whole.code());
}

Value abstract_of(const Value& value) {
  if (value.is<V::Scalar>()) return value.computed_by(nullptr);
  if (value.is_composite()) return mapped(value, abstract_of);
  return value;
}

Value without_constants(const Value& abstract) {
  if (abstract.is_constant()) return abstract.computed_by(nullptr);
  if (abstract.is_composite()) return mapped(abstract, without_constants);
  return abstract;
}

bool Value::is_intact() const {
  if (auto* scalar = as<Scalar>()) return scalar->intact;
  auto* constant = as<Constant>();
  if (!constant || !is_weak(constant->code)) return false;
  const Exact &exact = constant->exact,
              kept = converted(exact, constant->code, cuda_device::frontend::fixed(constant->code));
  return is_int(constant->code) ? kept.integer == exact.integer
                                : kept.real == exact.real || std::isnan(exact.real);
}

RecordRef Value::enumeration() const {
  if (auto* scalar = as<Scalar>()) return scalar->enumeration;
  auto* constant = as<Constant>();
  return constant ? constant->enumeration : nullptr;
}

bool same_form(const Value& a, const Value& b) {
  return std::visit(SameItself{}, a.alternatives(), b.alternatives()) &&
         a.parts().size() == b.parts().size();
}

bool same_abstract(const Value& a, const Value& b) {
  return std::visit(SameItself{}, a.alternatives(), b.alternatives()) &&
         std::ranges::equal(a.parts(), b.parts(), same_abstract);
}

std::optional<ArrayPair> different_arrays(const Value& a, const Value& b) {
  if (a.is_array() && b.is_array() && a.array().base != b.array().base &&
      type_text(a) == type_text(b))
    return ArrayPair{&a.array(), &b.array()};
  if (!a.is_tuple() || !b.is_tuple()) return std::nullopt;
  for (size_t i = 0; i < std::min(a.elements().size(), b.elements().size()); ++i)
    if (auto found = different_arrays(a.elements()[i], b.elements()[i])) return found;
  return std::nullopt;
}

}  // namespace cuda_device::frontend
