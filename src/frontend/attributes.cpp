// a.b, and what a[b] means for everything but arrays.
#include <algorithm>

#include "frontend/intrinsics.h"
#include "frontend/parameters.h"
#include "frontend/suggest.h"

namespace cuda_device::frontend {

static const std::vector<std::string> kNoNames;

static std::string without_attributes(const Value& entity) {
  const Intrinsic* i = find_intrinsic(entity.name);
  if (!i || i->role != Intrinsic::Role::Call) return "use it without '.'";
  const bool of_dimensions = i->op == ir::Op::Tid || i->op == ir::Op::GridSize;
  return "call it: " + public_name(entity.name) + (of_dimensions ? "(1)" : "(...)");
}

// What there is in place of an attribute that there is not.
static std::string attributes_there_are(const Value& base, const std::string& name) {
  switch (base.kind) {
    case Value::Kind::Array:
      return "arrays in kernels have shape, strides, size, ndim and dtype; what works on whole "
             "arrays is called before or after the launch";
    case Value::Kind::Number:
      return "numbers have shape, strides, size, ndim, dtype, view and astype";
    case Value::Kind::None:
      return "a value must be assigned first; None can only be tested with 'is None'";
    case Value::Kind::Entity:
      return is_position(base) ? "it has x, y and z" : without_attributes(base);
    case Value::Kind::Module: {
      const std::string ours = name_in_module(name);
      return ours.empty() ? "dir() of it, outside of the kernel, lists what it has"
                          : "write " + ours;
    }
    case Value::Kind::Tuple:
      return "elements are read by index, such as p[0]; a named tuple is a plain one in kernels";
    case Value::Kind::Text:
      return "print() takes an f-string, such as print(f\"x = {x}\")";
    default:
      return "arrays, numbers and modules have attributes";
  }
}

Value Lowerer::attribute(const syntax::Attribute* node) {
  const auto bound = instance_->function->bindings.find(node);
  const bool found = bound != instance_->function->bindings.end();
  using BindingKind = syntax::Binding::Kind;
  if (std::optional<Value> of_numba = numba_attribute(node)) return *of_numba;
  if (found && bound->second.kind != BindingKind::Undefined &&
      bound->second.kind != BindingKind::Object)
    return binding_value(bound->second, node, node->attr);
  const bool undefined = found && bound->second.kind == BindingKind::Undefined;
  if (const std::string ours = undefined ? habit_of(node->attr) : ""; !ours.empty())
    return error(DiagCode::foreign_name, node, {node->attr, ours});
  const Value base = expr(node->value);
  switch (base.kind) {
    case Value::Kind::Unknown:
      return base;
    case Value::Kind::Array:
      return array_attribute(node, base);
    case Value::Kind::Number:
      return number_attribute(node, base);
    case Value::Kind::Entity:
      if (Value v = position_attribute(node, base); !v.is_unknown()) return v;
      break;
    case Value::Kind::Module:
    case Value::Kind::Object:
      return foreign_attribute(node, base, found ? &bound->second : nullptr);
    default:
      break;
  }
  return no_attribute(node, base, kNoNames);
}

// Some part of a.b.c before the last is a module of Numba, or a `cuda` that was not imported.
bool Lowerer::is_of_numba(const Node* node) const {
  while (auto* attribute = syntax::as<syntax::Attribute>(node)) {
    node = attribute->value;
    const auto bound = instance_->function->bindings.find(node);
    if (bound == instance_->function->bindings.end()) continue;
    const syntax::Binding& b = bound->second;
    if (b.kind == syntax::Binding::Kind::Module && (b.name + ".").starts_with("numba."))
      return true;
    auto* name = syntax::as<syntax::Name>(node);
    if (name && name->id == "cuda" && b.kind == syntax::Binding::Kind::Undefined)
      return attribute->attr != "device";
  }
  return false;
}

// What has a counterpart here, at the innermost part that says so: `cuda.threadIdx` of
// `cuda.threadIdx.x`; or at two parts, such as `cuda.shared.array`.
std::optional<Value> Lowerer::numba_attribute(const syntax::Attribute* node) {
  if (!is_of_numba(node)) return std::nullopt;
  auto* owner = syntax::as<syntax::Attribute>(node->value);
  std::string ours = owner ? habit_of(owner->attr + "." + node->attr) : "";
  if (ours.empty() && owner)
    if (std::optional<Value> inner = numba_attribute(owner)) return inner;
  if (ours.empty()) ours = habit_of(node->attr);
  if (ours.empty()) ours = name_in_module(node->attr);
  if (ours.empty()) return std::nullopt;
  return error(DiagCode::foreign_use, node, {written(node, node->attr), ours});
}

Value Lowerer::foreign_attribute(const syntax::Attribute* node, const Value& base,
                                 const syntax::Binding* bound) {
  if (auto* name = syntax::as<syntax::Name>(node->value))  // `from numba.cuda import threadIdx`
    if (const std::string ours = habit_of(name->id); !ours.empty())
      return error(DiagCode::foreign_use, name, {name->id, ours});
  if (bound && bound->kind == syntax::Binding::Kind::Object)
    return Value::named(Value::Kind::Object, bound->name);
  if (base.kind == Value::Kind::Object)
    return error(DiagCode::foreign_attribute, node->value, {base.name, node->attr});
  const Intrinsic* planned =
      base.name == "cuda.device" ? find_intrinsic("device." + node->attr) : nullptr;
  if (planned && planned->role == Intrinsic::Role::Later)
    return not_implemented(node, planned->name);
  const std::string prefix = base.name == "cuda.device" ? "device." : base.name + ".";
  return no_attribute(node, base, base.kind == Value::Kind::Module ? names_of(prefix) : kNoNames);
}

// The nearest of the names that it has, if one is near.
Value Lowerer::no_attribute(const syntax::Attribute* node, const Value& base,
                            const std::vector<std::string>& names) {
  const std::string close = closest(node->attr, names);
  if (close.empty())
    return wrong_kind(DiagCode::no_attribute, node, base,
                      {type_text(base), node->attr, attributes_there_are(base, node->attr)});
  const std::string meant = base.name == "cuda.device"
                                ? with_status("'" + close + "'", "device." + close)
                                : "'" + close + "'";
  return wrong_kind(DiagCode::no_attribute_close, node, base, {type_text(base), node->attr, meant});
}

Value Lowerer::position_attribute(const syntax::Attribute* node, const Value& base) {
  if (!is_position(base)) return Value::unknown();
  const Intrinsic* intrinsic = find_intrinsic(base.name);
  const size_t axis = std::string_view("xyz").find(node->attr);
  if (node->attr.size() != 1 || axis > 2) return Value::unknown();
  at(node);
  return position(*intrinsic, static_cast<int>(axis));
}

Value Lowerer::position(const Intrinsic& intrinsic, int axis) {
  Inst* component = builder_.op(intrinsic.op, {}, axis);
  return convert(Value::number(TypeCode::u4, component), policy_.thread_index, nullptr);
}

// A tuple, or what can be taken for one.
std::optional<std::vector<Value>> Lowerer::elements_of(const Value& value) {
  if (value.is_tuple()) return value.elements;
  if (!is_position(value)) return std::nullopt;
  const Intrinsic* intrinsic = find_intrinsic(value.name);
  std::vector<Value> components;
  components.reserve(3);
  for (int axis = 0; axis < 3; ++axis) components.push_back(position(*intrinsic, axis));
  return components;
}

// Numbers are arrays of no dimension.
Value Lowerer::number_attribute(const syntax::Attribute* node, const Value& base) {
  const std::string& name = node->attr;
  if (name == "dtype") return Value::named(Value::Kind::Entity, entity_of_type(fixed(base.code)));
  if (name == "shape" || name == "strides") return Value::tuple({});
  if (name == "ndim" || name == "ndims") return Value::constant_int(policy_.int_literal(0), 0);
  if (name == "size") return Value::constant_int(policy_.int_literal(1), 1);
  if (name == "view" || name == "astype") {
    Value method = Value::named(Value::Kind::Method, name);
    method.elements = {base};
    return method;
  }
  return no_attribute(node, base, kNoNames);
}

static bool has_slice(const Value& index) {
  return index.kind == Value::Kind::Slice ||
         std::any_of(index.elements.begin(), index.elements.end(),
                     [](const Value& e) { return e.kind == Value::Kind::Slice; });
}

// The first slice among the indices.
static const syntax::Node* slice_node(const syntax::Subscript* node) {
  auto* tuple = syntax::as<syntax::Tuple>(node->slice);
  if (!tuple) return node->slice;
  return *std::find_if(tuple->elts.begin(), tuple->elts.end(),
                       [](const syntax::Node* e) { return e->kind == syntax::NodeKind::Slice; });
}

Value Lowerer::subscript(const syntax::Subscript* node) {
  const Value base = expr(node->value);
  const Value index = expr_or_slice(node->slice);
  if (base.is_unknown() || index.is_unknown()) return Value::unknown();
  at(node);
  if (base.is_array()) {
    if (makes_view(base, index)) return sliced(base, index, node);
    auto operands = element_operands(base, index, node);
    return operands ? load_element(base, std::move(*operands)) : Value::unknown();
  }
  if (has_slice(index)) return not_implemented(slice_node(node), "slicing");
  if (base.is_number()) return whole_number(base, index, node);
  if (std::optional<std::vector<Value>> elements = elements_of(base))
    return element_of_tuple(*elements, index, node);
  return wrong_kind(DiagCode::not_subscriptable, node, base, {type_text(base)});
}

// Slices are not values; they only come as indices.
Value Lowerer::expr_or_slice(const Node* node) {
  if (auto* slice = syntax::as<syntax::Slice>(node)) {
    Value v = Value::named(Value::Kind::Slice, "");
    for (const Node* bound : {slice->lower, slice->upper, slice->step})
      v.elements.push_back(bound ? expr(bound) : Value::none());
    return v.contains_unknown() ? Value::unknown() : v;
  }
  auto* tuple = syntax::as<syntax::Tuple>(node);
  const auto is_slice = [](const Node* e) { return e->kind == syntax::NodeKind::Slice; };
  if (!tuple || std::none_of(tuple->elts.begin(), tuple->elts.end(), is_slice)) return expr(node);
  std::vector<Value> elements;
  elements.reserve(tuple->elts.size());
  for (const Node* element : tuple->elts) elements.push_back(expr_or_slice(element));
  return Value::tuple(std::move(elements));
}

// x[()] and x[...] of a number are the number.
Value Lowerer::whole_number(const Value& base, const Value& index, const syntax::Subscript* node) {
  const bool empty = index.is_tuple() && index.elements.empty();
  if (empty || index.is_entity("builtins.Ellipsis")) return base;
  return error(DiagCode::not_subscriptable, node, {type_text(base)});
}

Value Lowerer::element_of_tuple(const std::vector<Value>& elements, const Value& index,
                                const syntax::Subscript* node) {
  if (!index.is_number() || !is_int(index.code))
    return wrong_kind(
        DiagCode::index_type, node->slice, index,
        {type_text(index), index.is_number() ? "convert it with int()" : "give one integer"});
  if (!index.exact) return error(DiagCode::tuple_index_not_constant, node->slice);
  const auto size = static_cast<__int128>(elements.size());
  __int128 i = index.exact->integer;
  if (i < 0) i += size;
  if (i < 0 || i >= size) {
    return error(DiagCode::tuple_index_range, node->slice,
                 {to_text(index.exact->integer), std::to_string(elements.size())});
  }
  return elements[static_cast<size_t>(i)];
}

}  // namespace cuda_device::frontend
