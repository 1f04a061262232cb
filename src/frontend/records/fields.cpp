// Fields of records by name and by index.
#include <algorithm>

#include "frontend/arrays/arrays.h"
#include "frontend/arrays/layout.h"
#include "frontend/arrays/slices.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/diagnosis/suggest.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/operators/tuples.h"
#include "frontend/parameters.h"
#include "frontend/records/records.h"
#include "frontend/warps/warps.h"

namespace cuda_device::frontend {

std::optional<size_t> field_named(const RecordType& type, const std::string& name) {
  const auto at = std::ranges::find(type.fields, name, &RecordField::name);
  if (at == type.fields.end()) return std::nullopt;
  return static_cast<size_t>(at - type.fields.begin());
}

// A field that is a tuple is like any other tuple.
static Value field_value(Context& ctx, const Value::Record& record, size_t i, const Node* node) {
  const Value& value = record.fields[i];
  if (!value.is_record() || value.record().type->kind != RecordType::Kind::Tuple)
    return in_builtins(ctx, value, node);
  std::vector<Value> elements = value.record().fields;
  for (Value& element : elements) element = in_builtins(ctx, element, node);
  return Value::tuple(std::move(elements));
}

static std::vector<std::string> names_of(const RecordType& type) {
  std::vector<std::string> names;
  names.reserve(type.fields.size());
  for (const RecordField& field : type.fields) names.push_back(field.name);
  if (type.is_vector()) names.insert(names.end(), {"size", "dtype"});
  if (type.kind == RecordType::Kind::SubArray) return {"size", "shape", "ndim", "dtype", "T"};
  if (type.decl)
    for (const auto& [name, binding] : type.decl->attributes)
      if (!name.starts_with("__") && !name.starts_with("super ")) names.push_back(name);
  return names;
}

static std::optional<Value> vector_attribute(Context& ctx, const RecordType& type,
                                             const std::string& name) {
  const auto size = static_cast<int64_t>(type.fields.size());
  if (name == "size") return Value::constant_int(ctx.policy.int_literal(size), size);
  if (name == "dtype") return Value(Value::Entity{entity_of_type(type.fields[0].type.code)});
  return std::nullopt;
}

static Value extents_of(Context& ctx, const std::vector<int64_t>& shape) {
  std::vector<Value> extents;
  extents.reserve(shape.size());
  for (const int64_t extent : shape)
    extents.push_back(Value::constant_int(ctx.policy.int_literal(extent), extent));
  return Value::tuple(std::move(extents));
}

// What arrays have, of a field that is one.
static std::optional<Value> sub_array_attribute(Context& ctx, const Value::Record& sub_array,
                                                const std::string& name) {
  const RecordType& type = *sub_array.type;
  const auto whole = [&](size_t number) {
    const auto value = static_cast<int64_t>(number);
    return Value::constant_int(ctx.policy.int_literal(value), value);
  };
  if (name == "size") return whole(type.fields.size());
  if (name == "ndim") return whole(type.shape.size());
  if (name == "shape") return extents_of(ctx, type.shape);
  if (name == "dtype") return dtype_value(type.element);
  if (name == "T") return transposed_sub_array(ctx, sub_array);
  return std::nullopt;
}

RecordRef class_of_instance(const Value& self) {
  const RecordRef cls = class_of(self);
  return cls || !self.is_array() ? cls : self.array().element.record;
}

// Methods, properties and constants of the class.
static std::optional<Value> class_attribute(Context& ctx, const syntax::Attribute* node,
                                            const RecordType& type, const Value& self) {
  const syntax::TypeDecl* decl = type.decl;
  if (!decl) return std::nullopt;
  const auto at = decl->attributes.find(node->attr);
  if (at == decl->attributes.end()) return std::nullopt;
  const syntax::Binding& binding = at->second;
  if (binding.kind != syntax::Binding::Kind::Function || decl->static_methods.contains(node->attr))
    return binding_value(ctx, binding, node, node->attr);
  const bool of_class = decl->class_methods.contains(node->attr);
  const Value receiver = of_class ? Value(Value::Class{class_of_instance(self)}) : self;
  const Value::MemberFunction method{binding.function, binding.name,
                                     std::make_shared<const Value>(receiver)};
  if (!decl->properties.contains(node->attr)) return Value(method);
  Arguments none;
  none.node = ctx.session.call_of(node);
  return call_member(ctx, method, none);
}

std::optional<Value::MemberFunction> method_named(const Value& value, const std::string& name) {
  const RecordRef cls = class_of(value);
  const syntax::TypeDecl* decl = cls ? cls->decl : nullptr;
  if (!decl || decl->properties.contains(name) || decl->static_methods.contains(name) ||
      decl->class_methods.contains(name))
    return std::nullopt;
  const auto at = decl->attributes.find(name);
  if (at == decl->attributes.end() || at->second.kind != syntax::Binding::Kind::Function)
    return std::nullopt;
  return Value::MemberFunction{at->second.function, name, std::make_shared<const Value>(value)};
}

Value record_attribute(Context& ctx, const syntax::Attribute* node, const Value& record) {
  const RecordType& type = *record.record().type;
  if (const auto i = field_named(type, node->attr); i && !node->attr.empty())
    return field_value(ctx, record.record(), *i, node);
  if (type.is_vector())
    if (const auto known = vector_attribute(ctx, type, node->attr)) return *known;
  if (type.kind == RecordType::Kind::SubArray)
    if (const auto known = sub_array_attribute(ctx, record.record(), node->attr)) return *known;
  return member_attribute(ctx, node, type, record);
}

Value member_attribute(Context& ctx, const syntax::Attribute* node, const RecordType& type,
                       const Value& self) {
  if (const auto member = class_attribute(ctx, node, type, self)) return *member;
  const std::vector<std::string> names = names_of(type);
  const std::string close = closest(node->attr, names);
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  if (close.empty())
    return error(
        ctx, DiagCode::no_attribute, node,
        {with_article(type.name), node->attr, all.empty() ? "it has none" : "it has " + all});
  return error(ctx, DiagCode::no_attribute_close, node,
               {with_article(type.name), node->attr, "'" + close + "'"});
}

Value attribute_of_class(Context& ctx, const syntax::Attribute* node, const Value::Class& cls) {
  if (cls.type->kind == RecordType::Kind::Atomic)
    return attribute_of_atomic_type(ctx, node, cls.type);
  const syntax::TypeDecl* decl = cls.type->decl;
  if (decl) {
    const auto at = decl->attributes.find(node->attr);
    const bool of_class = decl->class_methods.contains(node->attr);
    if (of_class)
      return Value::MemberFunction{at->second.function, at->second.name,
                                   std::make_shared<const Value>(cls)};
    if (at != decl->attributes.end() && !decl->properties.contains(node->attr))
      return binding_value(ctx, at->second, node, node->attr);
  }
  return error(ctx, DiagCode::no_attribute, node,
               {"class " + cls.type->name, node->attr,
                "methods and constants are read of it, fields of its instances"});
}

// ------------------------------------------------------------------------------------------------
// by index

std::optional<size_t> constant_index(Context& ctx, const Value& index, const RecordType& type,
                                     const Node* node) {
  const auto size = static_cast<__int128>(type.fields.size());
  const __int128 given = index.exact()->integer;
  const __int128 i = given < 0 ? given + size : given;
  if (i >= 0 && i < size) return static_cast<size_t>(i);
  error(ctx, DiagCode::vector_index_range, node,
        {to_text(given), with_article(type.name), count_text(type.fields.size(), "element")});
  return std::nullopt;
}

// Python's negative index of a vector, as an int32.
static Inst* wrapped(Context& ctx, const Value& index, size_t size) {
  Inst* i = ctx.builder.typed(Op::Convert, ir::kI32, {index.inst()});
  if (is_unsigned(index.code())) return i;
  Inst* zero = ctx.builder.const_int(ir::kI32, 0);
  Inst* moved =
      ctx.builder.op(Op::Add, {i, ctx.builder.const_int(ir::kI32, static_cast<int64_t>(size))});
  return ctx.builder.op(Op::Select, {ctx.builder.op(Op::Lt, {i, zero}), moved, i});
}

static Inst* is_at(Context& ctx, Inst* index, size_t k) {
  return ctx.builder.op(Op::Eq, {index, ctx.builder.const_int(ir::kI32, static_cast<int64_t>(k))});
}

// The component whose number is the index, where all are in registers, which have no addresses.
static Value chosen_component(Context& ctx, const Value& vector, const Value& index,
                              const Node* node) {
  const std::vector<Value>& fields = vector.record().fields;
  Inst* at = wrapped(ctx, index, fields.size());
  Inst* found = inst_of(ctx, fields.back(), node);
  for (size_t k = fields.size() - 1; k-- > 0;)
    found = ctx.builder.op(Op::Select, {is_at(ctx, at, k), inst_of(ctx, fields[k], node), found});
  return Value::number(fields[0].code(), found);
}

Value record_element(Context& ctx, const Value& record, const Value& index,
                     const syntax::Subscript* node) {
  const Value::Record& r = record.record();
  if (is_mask(record)) return mask_lane(ctx, record, index, node->slice);
  if (const std::string* name = index.string()) {
    if (const auto i = field_named(*r.type, *name)) return field_value(ctx, r, *i, node);
    return error(ctx, DiagCode::no_attribute, node->slice,
                 {with_article(r.type->name), *name, "its fields are named in its dtype"});
  }
  if (!r.type->is_sequence())
    return wrong_kind(ctx, DiagCode::not_subscriptable, node, record, {type_text(record)});
  const bool is_one = index.is_number() && is_int(index.code());
  const bool is_listed = r.type->shape.size() == 1 && is_one && !r.fields.empty();
  if (r.type->kind == RecordType::Kind::SubArray && !is_listed)
    return part_of_sub_array(ctx, record, index, node);
  if (!is_one)
    return wrong_kind(
        ctx, DiagCode::index_type, node->slice, index,
        {type_text(index), index.is_number() ? "convert it with int()" : "give one integer"});
  if (index.exact()) {
    const auto i = constant_index(ctx, index, *r.type, node->slice);
    return i ? r.fields[*i] : Value::unknown();
  }
  const bool numbers = std::ranges::all_of(
      r.fields, [&](const Value& v) { return v.is_number() && v.code() == r.fields[0].code(); });
  if (!numbers) return element_at(ctx, r.fields, index, node, written(node->value, "r"));
  ctx.at(node);
  return chosen_component(ctx, record, index, node);
}

// ------------------------------------------------------------------------------------------------
// v[i] = x

static std::vector<Value> with_component(Context& ctx, const Value::Record& vector,
                                         const Value& index, const Value& value, const Node* node) {
  std::vector<Value> changed = vector.fields;
  if (index.exact()) {
    changed[static_cast<size_t>(index.exact()->integer)] = value;
    return changed;
  }
  Inst* at = wrapped(ctx, index, changed.size());
  Inst* stored = inst_of(ctx, value, node);
  for (size_t k = 0; k < changed.size(); ++k)
    changed[k] = Value::number(
        value.code(),
        ctx.builder.op(Op::Select, {is_at(ctx, at, k), stored, inst_of(ctx, changed[k], node)}));
  return changed;
}

bool assign_component(Context& ctx, const syntax::Subscript* target, const Value& base,
                      const Value& index, const Value& value, const Node* source) {
  auto* name = syntax::as<syntax::Name>(target->value);
  if (is_mask(base) && name) {
    const Value changed = with_lane(ctx, base, index, value, target->slice, source);
    if (!changed.is_unknown()) change_variable(ctx, name, changed, target);
    return true;
  }
  if (!base.is_record() || !base.record().type->is_vector() || !name) return false;
  const RecordType& type = *base.record().type;
  if (!index.is_number() || !is_int(index.code())) {
    wrong_kind(ctx, DiagCode::index_type, target->slice, index,
               {type_text(index), "give one integer"});
    return true;
  }
  Value at = index;
  if (index.exact()) {
    const auto i = constant_index(ctx, index, type, target->slice);
    if (!i) return true;
    at = Value::constant_int(index.code(), static_cast<__int128>(*i));
  }
  const std::string what = "a component of " + type.name;
  const Value stored = as_data(ctx, value, type.fields[0].type, Conversion::Stored, source, what);
  if (stored.is_unknown()) return true;
  ctx.at(target);
  change_variable(
      ctx, name,
      Value::Record{base.record().type, with_component(ctx, base.record(), at, stored, source)},
      target);
  return true;
}

}  // namespace cuda_device::frontend
