// Attributes: a.b of arrays, numbers, modules, positions and objects from outside.
#include "frontend/expressions.h"

#include <algorithm>

#include "frontend/arrays/arrays.h"
#include "frontend/arrays/choices.h"
#include "frontend/calls/calls.h"
#include "frontend/calls/handlers.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/choices.h"
#include "frontend/complex/complex.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/diagnosis/suggest.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/tuples.h"
#include "frontend/parameters.h"
#include "frontend/records/enumerations.h"
#include "frontend/records/records.h"
#include "frontend/warps/warps.h"

namespace cuda_device::frontend {

static const std::vector<std::string> kNoNames;

static bool is_device_module(const Value& value) {
  auto* module = value.as<Value::Module>();
  return module && module->name == "cuda.device";
}

// The prefix of the names of a module's entities.
static std::string names_prefix(const Value& module) {
  return is_device_module(module) ? "device." : module.as<Value::Module>()->name + ".";
}

static std::string without_attributes(const std::string& entity) {
  const Intrinsic* i = find_intrinsic(entity);
  if (!i || i->role != Intrinsic::Role::Call) return "use it without '.'";
  const bool of_dimensions = i->op == ir::Op::Tid || i->op == ir::Op::GridSize;
  return "call it: " + public_name(entity) + (of_dimensions ? "(1)" : "(...)");
}

static std::string attributes_of_entity(const Value& entity) {
  return is_position(entity) ? "it has x, y and z"
                             : without_attributes(entity.as<Value::Entity>()->name);
}

// What there is in place of an attribute that there is not.
static std::string attributes_there_are(const Context& ctx, const Value& base,
                                        const std::string& name) {
  if (base.is_array() && !ctx.policy.has_views)
    return "arrays of this dialect have shape, strides, size and ndim, and nothing else";
  if (base.is_array())
    return "arrays in kernels have shape, strides, size, ndim, dtype, T, view, reshape and astype; "
           "sum(a), min(a) and max(a) work; other methods are called before or after the launch";
  if (is_member(base))
    return "members of enumerations have value and name; other attributes are read of members that "
           "the kernel names, as in Color.RED.weight: pass the attribute itself as an argument, or "
           "index a constant tuple by the member's value";
  if (base.is_number())
    return "numbers have shape, strides, size, ndim, dtype, real, imag, view, reshape, astype and "
           "conjugate";
  if (base.is_complex())
    return "complex numbers have real, imag, T, shape, strides, size, ndim, dtype, view, reshape, "
           "astype and conjugate";
  if (base.is_none())
    return "a value must be assigned first; None can only be tested with 'is None'";
  if (base.is<Value::Entity>()) return attributes_of_entity(base);
  if (base.is<Value::Module>()) {
    const std::string ours = name_in_module(ctx.policy, name);
    return ours.empty() ? "dir() of it, outside of the kernel, lists what it has" : "write " + ours;
  }
  if (base.is_tuple()) {
    const char* methods = ctx.policy.has_sequences ? "tuples have index and count; " : "";
    return std::string(methods) +
           "elements are read by index, such as p[0], and by the names of a named tuple";
  }
  if (base.is<Value::Range>() && ctx.policy.has_sequences)
    return "ranges have start, stop, step, index and count";
  if (base.is<Value::Text>())
    return "a number is written into a text by an f-string, such as f\"x = {x}\"";
  return "arrays, numbers and modules have attributes";
}

// Some part of a.b.c before the last is a module of Numba, or a `cuda` that was not imported.
static bool is_of_numba(const Context& ctx, const Node* node) {
  while (auto* attribute = syntax::as<syntax::Attribute>(node)) {
    node = attribute->value;
    const auto bound = ctx.instance->function->bindings.find(node);
    if (bound == ctx.instance->function->bindings.end()) continue;
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
static std::optional<Value> numba_attribute(Context& ctx, const syntax::Attribute* node) {
  if (!is_of_numba(ctx, node)) return std::nullopt;
  auto* owner = syntax::as<syntax::Attribute>(node->value);
  std::string ours = owner ? foreign_name_hint(ctx.policy, owner->attr + "." + node->attr) : "";
  if (ours.empty() && owner)
    if (std::optional<Value> inner = numba_attribute(ctx, owner)) return inner;
  if (ours.empty()) ours = foreign_name_hint(ctx.policy, node->attr);
  if (ours.empty()) ours = name_in_module(ctx.policy, node->attr);
  if (ours.empty()) return std::nullopt;
  return error(ctx, DiagCode::foreign_use, node, {written(node, node->attr), ours});
}

// What numbers have where they are no arrays of no dimension.
static bool is_of_numbers(std::string_view name) {
  return name == "real" || name == "imag" || name == "conjugate";
}

// Numbers are arrays of no dimension.
static Value number_attribute(Context& ctx, const syntax::Attribute* node, const Value& base) {
  const std::string& name = node->attr;
  const bool has_all = ctx.policy.has_views || ctx.instance->function->of_language;
  if (!has_all && name != "real" && name != "imag")
    return no_attribute(ctx, node, base, {"real", "imag"});
  if (name == "dtype") return Value(Value::Entity{entity_of_type(fixed(base.code()))});
  if (name == "shape" || name == "strides") return Value::tuple({});
  if (name == "ndim" || name == "ndims") return Value::constant_int(ctx.policy.int_literal(0), 0);
  if (name == "size") return Value::constant_int(ctx.policy.int_literal(1), 1);
  if (name == "real" || name == "T") return base;
  if (name == "imag")
    return convert(ctx, Value::constant_int(TypeCode::weak_int, 0), base.code(), node);
  for (const Method method : {Method::View, Method::AsType, Method::Reshape, Method::Conjugate,
                              Method::IsInteger, Method::BitCount, Method::BitLength})
    if (name == name_of(method)) return Value::BoundMethod{method, std::make_shared<Value>(base)};
  return no_attribute(ctx, node, base, kNoNames);
}

// The attribute of a module that is a value.
static const syntax::Binding* attribute_of_module(const Context& ctx, const Value& base,
                                                  const std::string& name) {
  auto* module = base.as<Value::Module>();
  const auto known = ctx.program.modules.find(module ? module->name : "");
  if (known == ctx.program.modules.end()) return nullptr;
  const auto found = known->second.find(name);
  const bool defined = ctx.policy.has_objects && found != known->second.end() &&
                       found->second.kind != syntax::Binding::Kind::Undefined;
  return defined ? &found->second : nullptr;
}

static Value foreign_attribute(Context& ctx, const syntax::Attribute* node, const Value& base,
                               const syntax::Binding* bound) {
  if (auto* name = syntax::as<syntax::Name>(node->value))  // `from numba.cuda import threadIdx`
    if (const std::string ours = foreign_name_hint(ctx.policy, name->id); !ours.empty())
      return error(ctx, DiagCode::foreign_use, name, {name->id, ours});
  if (bound && bound->kind == syntax::Binding::Kind::Object)
    return Value::Object{bound->name, bound->is_hint};
  if (auto* object = base.as<Value::Object>()) {
    return error(ctx, DiagCode::foreign_attribute, node->value, {object->class_name, node->attr});
  }
  const std::string prefix = names_prefix(base);
  const Intrinsic* planned = find_intrinsic(prefix + node->attr);
  if (is_device_module(base) && planned && planned->role == Intrinsic::Role::Later)
    return not_implemented(ctx, node, planned->name);
  return no_attribute(ctx, node, base, names_of(prefix));
}

// The field of a named tuple.
static std::optional<Value> named_element(const Value& base, const std::string& name) {
  auto* tuple = base.as<Value::Tuple>();
  if (!tuple || !tuple->names) return std::nullopt;
  const auto at = std::ranges::find(*tuple->names, name);
  if (at == tuple->names->end()) return std::nullopt;
  return tuple->elements[static_cast<size_t>(at - tuple->names->begin())];
}

// What its class has. p._replace(x=1) is device.replace(p, x=1).
static Value named_tuple_attribute(Context& ctx, const syntax::Attribute* node,
                                   const RecordType& cls, const Value& base) {
  if (node->attr == "_replace" && cls.decl->is_tuple)
    return Value::Partial{{Value::Entity{"device.replace"}, base}, {}};
  return member_attribute(ctx, node, cls, base);
}

// thread_idx.x and the like.
static std::optional<int> axis_named(const Value& base, const std::string& name) {
  const size_t axis = std::string_view("xyz").find(name);
  if (!is_position(base) || name.size() != 1 || axis > 2) return std::nullopt;
  return static_cast<int>(axis);
}

static Value position(Context& ctx, const Intrinsic& intrinsic, int axis) {
  Inst* component = ctx.builder.op(intrinsic.op, {}, axis);
  return convert(ctx, Value::number(TypeCode::u4, component), ctx.policy.thread_index, nullptr);
}

// What the language means by an attribute that the module does not have; empty: nothing.
static std::string_view own_name_in_module(const Context& ctx, const syntax::Attribute* node) {
  const auto& bindings = ctx.instance->function->bindings;
  const auto owner = bindings.find(node->value);
  if (owner == bindings.end() || owner->second.kind != syntax::Binding::Kind::Module) return {};
  return ctx.policy.own_name(owner->second.name + "." + node->attr);
}

// The methods of tuples and ranges, and the bounds of ranges.
static std::optional<Value> sequence_attribute(const Context& ctx, const std::string& name,
                                               const Value& base) {
  const bool tuple = base.is_tuple() && !is_plain_object(base);
  auto* range = base.as<Value::Range>();
  if (!ctx.policy.has_sequences || !(tuple || range)) return std::nullopt;
  if (const RecordRef cls = class_of(base);
      cls && cls->decl && cls->decl->attributes.contains(name))
    return std::nullopt;
  for (const Method method : {Method::Index, Method::Count})
    if (name == name_of(method)) return Value::BoundMethod{method, std::make_shared<Value>(base)};
  constexpr std::string_view kBounds[] = {"start", "stop", "step"};
  const auto at = std::ranges::find(kBounds, name);
  if (!range || at == std::end(kBounds)) return std::nullopt;
  return range->bounds[static_cast<size_t>(at - kBounds)];
}

// f.__name__
static std::optional<Value> name_of_callable(Context& ctx, const syntax::Attribute* node,
                                             const Value& base) {
  if (node->attr != "__name__" || !ctx.policy.has_objects) return std::nullopt;
  if (auto* choice = base.choice_of_functions()) {
    std::vector<Value> names;
    for (const Value& one : alternatives_of(base))
      names.push_back(name_of_callable(ctx, node, one).value_or(Value::unknown()));
    if (std::ranges::any_of(names, &Value::is_unknown)) return std::nullopt;
    return element_at(ctx, std::move(names), choice->parts[0], node, "");
  }
  if (auto* function = base.as<Value::Function>()) return Value(Value::Text{function->name});
  if (auto* method = base.as<Value::MemberFunction>()) return Value(Value::Text{method->name});
  if (auto* cls = base.as<Value::Class>()) return Value(Value::Text{cls->type->name});
  auto* closure = base.as<Value::Closure>();
  if (!closure) return std::nullopt;
  auto* def = syntax::as<syntax::FunctionDef>(closure->node);
  return Value(Value::Text{def ? def->name : "<lambda>"});
}

// `bound`: what the name means within a module.
static Value attribute_of(Context& ctx, const syntax::Attribute* node, const Value& base,
                          const syntax::Binding* bound) {
  if (base.is_unknown()) return base;
  if (auto* array = base.as<Value::Array>()) return array_attribute(ctx, node, *array);
  if (auto* choice = base.choice_of_arrays()) return choice_attribute(ctx, node, *choice);
  if (const std::optional<Value> element = named_element(base, node->attr)) return *element;
  if (const std::optional<Value> own = name_of_callable(ctx, node, base)) return *own;
  if (is_mask(base)) {
    if (std::optional<Value> own = mask_attribute(base, node->attr)) return *own;
    return number_attribute(ctx, node, number_of_mask(ctx, base, node));
  }
  if (base.is_record()) return record_attribute(ctx, node, base);
  if (const std::optional<Value> of_sequence = sequence_attribute(ctx, node->attr, base))
    return *of_sequence;
  if (is_member(base)) {
    if (const std::optional<Value> own = member_attribute(ctx, node, base)) return *own;
    if (!base.is_number()) return no_attribute(ctx, node, base, {"value", "name"});
    return number_attribute(ctx, node, base);
  }
  if (const RecordRef cls = class_of(base)) return named_tuple_attribute(ctx, node, *cls, base);
  if (is_enumeration(base))
    if (const auto member = member_named(ctx, *base.as<Value::Class>()->type, node->attr, node))
      return *member;
  if (node->attr == "numpy_dtype" && ctx.policy.has_objects && data_type_of(base)) return base;
  if (auto* cls = base.as<Value::Class>()) return attribute_of_class(ctx, node, *cls);
  if (base.is_number()) return number_attribute(ctx, node, base);
  if (base.is_complex() && (ctx.policy.has_views || is_of_numbers(node->attr)))
    if (std::optional<Value> found_here = complex_attribute(ctx, node->attr, base))
      return *found_here;
  if (const syntax::Binding* known = attribute_of_module(ctx, base, node->attr))
    return binding_value(ctx, *known, node, node->attr);
  if (base.is<Value::Module>() || base.is<Value::Object>())
    return foreign_attribute(ctx, node, base, bound);
  if (const std::optional<int> axis = axis_named(base, node->attr)) {
    ctx.at(node);
    return position(ctx, *find_intrinsic(base.as<Value::Entity>()->name), *axis);
  }
  return no_attribute(ctx, node, base, kNoNames);
}

// super().area, whose receiver capturing has put in; nothing: it is something else.
static std::optional<Value> attribute_of_super(Context& ctx, const syntax::Attribute* node) {
  auto* call = syntax::as<syntax::Call>(node->value);
  auto* name = call && call->args.size() == 1 ? syntax::as<syntax::Name>(call->func) : nullptr;
  if (!name || name->id != "super" || !expr(ctx, name).is_entity("builtins.super"))
    return std::nullopt;
  const Value self = expr(ctx, call->args[0]);
  if (self.is_unknown()) return self;
  auto* made = self.as<Value::Class>();
  const RecordRef cls = made ? made->type : class_of_instance(self);
  const std::string of_super = syntax::name_of_super(ctx.instance->index, node->attr);
  if (!cls || !cls->decl || !cls->decl->attributes.contains(of_super))
    return error(ctx, DiagCode::no_attribute, node,
                 {"super() of " + type_text(self), node->attr,
                  "it has the methods, properties and constants that base classes define"});
  return attribute_named(ctx, of_super, self, node, call->args[0]);
}

Value attribute(Context& ctx, const syntax::Attribute* node) {
  if (const std::optional<Value> of_super = attribute_of_super(ctx, node)) return *of_super;
  const auto bound = ctx.instance->function->bindings.find(node);
  const bool found = bound != ctx.instance->function->bindings.end();
  using BindingKind = syntax::Binding::Kind;
  if (std::optional<Value> of_numba = numba_attribute(ctx, node)) return *of_numba;
  if (found && bound->second.kind != BindingKind::Undefined &&
      bound->second.kind != BindingKind::Object)
    return binding_value(ctx, bound->second, node, node->attr);
  const bool undefined = found && bound->second.kind == BindingKind::Undefined;
  if (undefined)
    if (const std::string_view own = own_name_in_module(ctx, node); !own.empty())
      return Value(Value::Entity{std::string(own)});
  if (const std::string ours = undefined ? foreign_name_hint(ctx.policy, node->attr) : "";
      !ours.empty())
    return error(ctx, DiagCode::foreign_name, node, {node->attr, ours});
  const Value base = expr(ctx, node->value);
  return attribute_of(ctx, node, base, found ? &bound->second : nullptr);
}

Value attribute_named(Context& ctx, const std::string& name, const Value& value, const Node* node,
                      const Node* source) {
  auto& made = ctx.session.named_attributes[{node, name}];
  if (!made) {
    made = std::make_unique<syntax::Attribute>();
    made->span = node->span;
    made->value = const_cast<Node*>(source);  // the tree is read only
    made->attr = name;
  }
  return attribute_of(ctx, made.get(), value, nullptr);
}

Value call_getattr(Context& ctx, const Arguments& a, const Intrinsic&) {
  const std::string* name = a.positional[1].string();
  if (!name)
    return error(ctx, DiagCode::attribute_name, argument_node(a, 1), {type_text(a.positional[1])});
  Value value = a.positional[0];
  for (size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
    to = name->find('.', from);  // operator.attrgetter takes several at once
    value = attribute_named(ctx, name->substr(from, to - from), value, a.node, argument_node(a, 0));
  }
  return value;
}

Value no_attribute(Context& ctx, const syntax::Attribute* node, const Value& base,
                   const std::vector<std::string>& names) {
  const std::string close = closest(node->attr, names);
  if (close.empty())
    return wrong_kind(ctx, DiagCode::no_attribute, node, base,
                      {type_text(base), node->attr, attributes_there_are(ctx, base, node->attr)});
  const std::string meant = is_device_module(base)
                                ? with_status("'" + close + "'", "device." + close)
                                : "'" + close + "'";
  return wrong_kind(ctx, DiagCode::no_attribute_close, node, base,
                    {type_text(base), node->attr, meant});
}

// The characters of a string in UTF-8.
static std::vector<Value> characters_of(const std::string& text) {
  const auto continues = [&](size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
  };
  std::vector<Value> out;
  for (size_t i = 0, end = 0; i < text.size(); i = end) {
    for (end = i + 1; continues(end);) ++end;
    out.push_back(Value::Text{text.substr(i, end - i)});
  }
  return out;
}

std::optional<std::vector<Value>> elements_of(Context& ctx, const Value& value) {
  if (is_plain_object(value)) return std::nullopt;
  if (value.is_tuple()) return value.elements();
  if (is_enumeration(value)) return members_of(ctx, *value.as<Value::Class>()->type, nullptr);
  if (const std::string* text = value.string()) return characters_of(*text);
  if (value.is_record() && value.record().type->kind == RecordType::Kind::SubArray)
    return rows_of(ctx, value);
  if (value.is_record() && value.record().type->is_sequence()) return value.record().fields;
  if (!is_position(value)) return std::nullopt;
  const Intrinsic* intrinsic = find_intrinsic(value.as<Value::Entity>()->name);
  std::vector<Value> components;
  components.reserve(3);
  for (int axis = 0; axis < 3; ++axis) components.push_back(position(ctx, *intrinsic, axis));
  return components;
}

}  // namespace cuda_device::frontend
