// Classes of the program: their types, construction, constants, device.replace.
#include <algorithm>
#include <bit>

#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/parameters.h"
#include "frontend/records/records.h"
#include "support/check.h"
#include "support/record_layout.h"

namespace cuda_device::frontend {
namespace {

RecordType::Kind kind_of(syntax::TypeDecl::Kind kind) {
  switch (kind) {
    case syntax::TypeDecl::Kind::Struct:
      return RecordType::Kind::Struct;
    case syntax::TypeDecl::Kind::Tuple:
      return RecordType::Kind::Tuple;
    case syntax::TypeDecl::Kind::NamedTuple:
      return RecordType::Kind::NamedTuple;
    case syntax::TypeDecl::Kind::Fields:
      return RecordType::Kind::Fields;
    case syntax::TypeDecl::Kind::SubArray:
      return RecordType::Kind::SubArray;
    case syntax::TypeDecl::Kind::Atomic:
      return RecordType::Kind::Atomic;
    case syntax::TypeDecl::Kind::Alias:
      return RecordType::Kind::Alias;
    case syntax::TypeDecl::Kind::Enumeration:
      return RecordType::Kind::Enumeration;
  }
  CD_UNREACHABLE("unknown kind of class");
}

DataType array_of_hint(const syntax::FieldType& hint) {
  DataType array{.kind = DataType::Kind::Array, .any_element = hint.name.empty()};
  array.ndim = hint.ndim < 0 ? DataType::kAnyNdim : hint.ndim;
  if (array.any_element) return array;
  const std::optional<TypeCode> code = numeric_named(hint.name);
  CD_CHECK(code, "an array of the unknown type " + hint.name);
  array.code = *code;
  return array;
}

}  // namespace

DataType type_of_field(Session& session, const syntax::FieldType& type) {
  switch (type.kind) {
    case syntax::FieldType::Kind::None:
      return {};
    case syntax::FieldType::Kind::Class:
      return DataType::of(record_type(session, type.type));
    case syntax::FieldType::Kind::Array:
      return array_of_hint(type);
    case syntax::FieldType::Kind::Named:
      break;
  }
  if (type.name == "WarpMask") return DataType::of(mask_type());
  if (const RecordRef vector = vector_named(type.name)) return DataType::of(vector);
  const std::optional<TypeCode> code = numeric_named(type.name);
  CD_CHECK(code, "a field of the unknown type " + type.name);
  return DataType::number(*code);
}

RecordRef atomic_type(Session& session, const DataType& value, uint32_t align) {
  const uint32_t bytes = std::bit_ceil(bytes_of(value));
  align = std::max(align, bytes);
  const auto known = std::ranges::find_if(session.atomics, [&](const RecordRef& atomic) {
    return atomic->fields[0].type == value && atomic->align == align;
  });
  if (known != session.atomics.end()) return *known;
  auto type = std::make_shared<RecordType>();
  type->kind = RecordType::Kind::Atomic;
  const std::string aligned = align > bytes ? ", align=" + std::to_string(align) : "";
  type->name = "Atomic(" + type_text(value) + aligned + ")";
  type->fields = {{"", value, 0}};
  type->size = static_cast<uint32_t>(round_up(bytes, align));
  type->align = align;
  return session.atomics.emplace_back(std::move(type));
}

RecordRef alias_of(Session& session, const DataType& of, uint32_t align) {
  const auto known = std::ranges::find_if(session.aliases, [&](const RecordRef& alias) {
    return alias->fields[0].type == of && alias->align == align;
  });
  if (known != session.aliases.end()) return *known;
  auto type = std::make_shared<RecordType>();
  type->kind = RecordType::Kind::Alias;
  type->name =
      of.is_array() ? type_text(of) : "align(" + type_text(of) + ", " + std::to_string(align) + ")";
  type->fields = {{"", of, 0}};
  type->size = bytes_of(of);
  type->align = align;
  return session.aliases.emplace_back(std::move(type));
}

RecordRef record_type(Session& session, uint32_t index) {
  RecordRef& known = session.records[index];
  if (known) return known;
  const syntax::TypeDecl& decl = session.request.program->types.at(index);
  if (decl.kind == syntax::TypeDecl::Kind::Atomic)
    return known = atomic_type(session, type_of_field(session, decl.fields[0].type), decl.align);
  if (decl.kind == syntax::TypeDecl::Kind::Alias)
    return known = alias_of(session, type_of_field(session, decl.fields[0].type), decl.align);
  if (decl.kind == syntax::TypeDecl::Kind::SubArray)
    return known = sub_array_type(session, type_of_field(session, decl.fields[0].type), decl.shape);
  auto type = std::make_shared<RecordType>();
  type->kind = kind_of(decl.kind);
  type->name = decl.name;
  type->size = decl.size;
  type->align = decl.align;
  type->decl = &decl;
  for (const syntax::Field& field : decl.fields)
    type->fields.push_back({field.name, type_of_field(session, field.type), field.offset});
  return known = type;
}

std::string fields_text(const RecordType& type) {
  std::string names;
  for (const RecordField& field : type.fields) names += (names.empty() ? "" : ", ") + field.name;
  return names;
}

static std::string fields_hint(const RecordType& type) {
  const std::string names = fields_text(type);
  return names.empty() ? "it has no fields" : "its fields are " + names;
}

static bool place_named(Context& ctx, const RecordType& type, const Arguments& a, bool may_repeat,
                        std::vector<Given>& fields) {
  for (size_t k = 0; k < a.named.size(); ++k) {
    const auto& [name, value] = a.named[k];
    auto i = field_named(type, name);
    if (i && type.decl && !type.decl->fields[*i].is_given) i.reset();
    if (!i || (fields[*i].value && !may_repeat)) {
      error(ctx, i ? DiagCode::argument_twice : DiagCode::unexpected_keyword, a.node,
            {type.name, name, fields_hint(type)});
      return false;
    }
    fields[*i] = {&value, a.named_sources[k]};
  }
  return true;
}

static Value field_value(Context& ctx, const RecordType& type, size_t i, const Value& given,
                         const Node* node) {
  const RecordField& field = type.fields[i];
  const std::string what = "field '" + field.name + "' of " + type.name;
  return as_data(ctx, given, field.type, Conversion::Lossless, node, what);
}

Value named_tuple(const RecordRef& type, std::vector<Value> fields) {
  std::vector<std::string> names;
  for (const RecordField& field : type->fields) names.push_back(field.name);
  return Value::Tuple{std::move(fields),
                      std::make_shared<const std::vector<std::string>>(std::move(names)), type};
}

RecordRef class_of(const Value& value) {
  if (value.is_record()) return value.record().type;
  if (value.is_number()) return value.enumeration();
  if (auto* member = value.as<Value::Enum>()) return member->type;
  auto* tuple = value.as<Value::Tuple>();
  return tuple ? tuple->type : nullptr;
}

bool is_of_class(Session& session, const Value& value, const RecordRef& cls) {
  const RecordRef own = class_of(value);
  if (!own || own == cls || !own->decl) return own == cls;
  return std::ranges::any_of(own->decl->bases,
                             [&](uint32_t base) { return record_type(session, base) == cls; });
}

bool is_plain_object(const Value& value) {
  auto* tuple = value.as<Value::Tuple>();
  return tuple && tuple->type && !tuple->type->decl->is_tuple;
}

static Value made_by_method(Context& ctx, const RecordType& type, const Node* node) {
  return not_implemented(ctx, node,
                         "making " + with_article(type.name + " by " + type.decl->made_by),
                         "make it outside of the kernel, or leave that method out");
}

// Those that a call gives by position.
static std::vector<size_t> positional_fields(const RecordType& type) {
  std::vector<size_t> found;
  for (size_t i = 0; i < type.fields.size(); ++i)
    if (!type.decl || type.decl->fields[i].is_positional) found.push_back(i);
  return found;
}

Value construct_record(Context& ctx, const RecordRef& type, const Arguments& a) {
  if (a.has_unknown()) return Value::unknown();
  if (holds_atomics(DataType::of(type)))
    return error(ctx, DiagCode::atomic_copied, a.node, {with_article(type->name)});
  if (type->decl && !type->decl->made_by.empty()) return made_by_method(ctx, *type, a.node);
  const std::vector<size_t> positional = positional_fields(*type);
  if (a.positional.size() > positional.size())
    return error(ctx, DiagCode::too_many_arguments, a.node,
                 {type->name, count_text(positional.size(), "argument"),
                  were_given(a.positional.size()), fields_hint(*type)});
  std::vector<Given> fields(type->fields.size());
  for (size_t i = 0; i < a.positional.size(); ++i)
    fields[positional[i]] = {&a.positional[i], argument_node(a, i)};
  if (!place_named(ctx, *type, a, /*may_repeat=*/false, fields)) return Value::unknown();
  Value::Record record{type, {}};
  for (size_t i = 0; i < fields.size(); ++i) {
    const syntax::Field& declared = type->decl->fields[i];
    Value value;
    if (fields[i].value)
      value = *fields[i].value;
    else if (declared.has_default)
      value = binding_value(ctx, declared.default_value, a.node, declared.name);
    else
      return error(ctx, DiagCode::missing_argument, a.node,
                   {type->name, declared.name, fields_hint(*type)});
    const Node* node = fields[i].node ? fields[i].node : a.node;
    const bool any = type->kind == RecordType::Kind::NamedTuple;
    record.fields.push_back(any ? value : field_value(ctx, *type, i, value, node));
  }
  if (type->kind == RecordType::Kind::NamedTuple)
    return named_tuple(type, std::move(record.fields));
  const Value made = std::move(record);
  return made.contains_unknown() ? Value::unknown() : made;
}

Value record_constant(Context& ctx, const syntax::Value& constant, const Node* node) {
  const RecordRef type = record_type(ctx.session, constant.record);
  Value::Record record{type, {}};
  for (size_t i = 0; i < type->fields.size(); ++i) {
    syntax::Binding element;
    element.kind = syntax::Binding::Kind::Constant;
    element.value = constant.elements.at(i);
    record.fields.push_back(
        field_value(ctx, *type, i, binding_value(ctx, element, node, ""), node));
  }
  return record;
}

Value replaced(Context& ctx, const Value& record, const Arguments& a) {
  const RecordRef type = class_of(record);
  if (type->decl && !type->decl->is_tuple && !type->decl->made_by.empty())
    return made_by_method(ctx, *type, a.node);
  std::vector<Given> fields(type->fields.size());
  if (!place_named(ctx, *type, a, /*may_repeat=*/true, fields)) return Value::unknown();
  std::vector<Value> changed(record.parts().begin(), record.parts().end());
  for (size_t i = 0; i < fields.size(); ++i) {
    const syntax::Field* declared = type->decl ? &type->decl->fields[i] : nullptr;
    if (declared && !declared->is_given)  // as dataclasses.replace makes it anew
      changed[i] = binding_value(ctx, declared->default_value, a.node, declared->name);
    if (!fields[i].value) continue;
    changed[i] = record.is_record() ? field_value(ctx, *type, i, *fields[i].value, fields[i].node)
                                    : *fields[i].value;
    if (changed[i].is_unknown()) return Value::unknown();
  }
  return record.with_parts(std::move(changed));
}

}  // namespace cuda_device::frontend
