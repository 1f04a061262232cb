// Values of every type in memory, and how a value becomes one of a type.
#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/parameters.h"
#include "frontend/records/enumerations.h"
#include "frontend/records/records.h"
#include "frontend/warps/warps.h"

namespace cuda_device::frontend {
namespace {

DataType number_type(TypeCode code) { return DataType::number(code); }

// The components of a complex number lie side by side.
uint32_t imaginary_offset(TypeCode complex) { return bytes_of(number_type(component_of(complex))); }

}  // namespace

Value load_data(Context& ctx, const DataType& type, const std::vector<Inst*>& operands,
                uint32_t offset) {
  if (type.is_record()) {
    Value::Record record{type.record, {}};
    for (const RecordField& field : type.record->fields)
      record.fields.push_back(load_data(ctx, field.type, operands, offset + field.offset));
    return record;
  }
  if (!type.is_number()) return Value::none();
  if (is_complex(type.code)) {
    const DataType part = number_type(component_of(type.code));
    return Value::Complex{type.code,
                          {load_data(ctx, part, operands, offset),
                           load_data(ctx, part, operands, offset + imaginary_offset(type.code))}};
  }
  const ir::Type scalar = ir::Type::of(*scalar_of(type.code));
  return Value::number(type.code, ctx.builder.typed(Op::Load, scalar, operands, offset));
}

void store_data(Context& ctx, const DataType& type, const std::vector<Inst*>& operands,
                uint32_t offset, const Value& value, const Node* source) {
  if (type.is_record()) {
    const std::vector<RecordField>& fields = type.record->fields;
    for (size_t i = 0; i < fields.size(); ++i)
      store_data(ctx, fields[i].type, operands, offset + fields[i].offset, value.parts()[i],
                 source);
    return;
  }
  if (!type.is_number()) return;
  if (is_complex(type.code)) {
    const DataType part = number_type(component_of(type.code));
    store_data(ctx, part, operands, offset, value.parts()[0], source);
    store_data(ctx, part, operands, offset + imaginary_offset(type.code), value.parts()[1], source);
    return;
  }
  std::vector<Inst*> all = operands;
  all.push_back(inst_of(ctx, value, source));
  ctx.builder.typed(Op::Store, ir::Type::none(), std::move(all), offset);
}

// ------------------------------------------------------------------------------------------------

// What to write for a value of the type.
static std::string conversion_hint(const DataType& type) {
  if (type.is_array()) return "give such an array";
  if (type.kind == DataType::Kind::None) return "give None";
  const std::string name = type_text(type);
  if (type.is_number())
    return "write " + std::string(is_weak(type.code) || is_bool(type.code) ? "" : "device.") +
           name + "(...)";
  switch (type.record->kind) {
    case RecordType::Kind::Vector:
    case RecordType::Kind::Mask:
      return "write device." + name + "(...)";
    case RecordType::Kind::Struct:
      return "write " + name + "(...)";
    default:
      return "give a tuple of its " + count_text(type.record->fields.size(), "element");
  }
}

static Value mismatch(Context& ctx, const Value& value, const DataType& type, const Node* node,
                      const std::string& what) {
  if (value.contains_unknown()) return Value::unknown();
  return wrong_kind(
      ctx, DiagCode::field_type, node, value,
      {what, type_text(type), type_text(value), read_it_hint(value, conversion_hint(type))});
}

static Value as_number(Context& ctx, const Value& value, TypeCode code, Conversion conversion,
                       const Node* node, const std::string& what) {
  const DataType type = number_type(code);
  if (is_complex(code)) {
    if (!value.is_number() && !value.is_complex()) return mismatch(ctx, value, type, node, what);
    return implicitly_converted(ctx, value, code, node);
  }
  if (!value.is_number()) return mismatch(ctx, value, type, node, what);
  const bool loses = value.code() != code && !converts_silently(code, value.code());
  if (conversion == Conversion::Lossless && loses) return mismatch(ctx, value, type, node, what);
  return implicitly_converted(ctx, value, code, node);
}

// What a part of a value is, for messages.
static std::string part_of(const RecordType& type, size_t i, const std::string& what) {
  const std::string& name = type.fields[i].name;
  const bool named = type.kind == RecordType::Kind::Struct || type.kind == RecordType::Kind::Fields;
  if (named) return "field '" + name + "' of " + what;
  return (type.is_vector() ? "component " + name : "element " + std::to_string(i)) + " of " + what;
}

// The values of the fields, of a record of the same type or of a tuple of as many.
static Value as_record(Context& ctx, const Value& value, const RecordRef& type,
                       Conversion conversion, const Node* node, const std::string& what) {
  if (value.is_record() && value.record().type == type) return value;
  if (type == mask_type()) {
    const bool loses = value.is<Value::Scalar>() && is_int(value.code()) &&
                       !is_weak(value.code()) && bits_of(value.code()) > kLanes;
    if (conversion == Conversion::Lossless && loses)
      return mismatch(ctx, value, DataType::of(type), node, what);
    return as_mask(ctx, value, node, what);
  }
  const bool alike = value.is_record() ? value.record().type->fields.size() == type->fields.size()
                                       : value.is_tuple() && !type->is_vector();
  const bool tuple = value.is_tuple() && type->kind == RecordType::Kind::Tuple;
  // An array's element takes a record of NumPy, or a tuple, with as many fields, as NumPy's do; not
  // a struct of another class.
  const bool structs = type->kind == RecordType::Kind::Struct && value.is_record() &&
                       value.record().type->kind == RecordType::Kind::Struct;
  const bool allowed = conversion == Conversion::Stored ? alike && !structs : tuple;
  if (!allowed || value.parts().size() != type->fields.size())
    return mismatch(ctx, value, DataType::of(type), node, what);
  Value::Record record{type, {}};
  for (size_t i = 0; i < type->fields.size(); ++i) {
    record.fields.push_back(as_data(ctx, value.parts()[i], type->fields[i].type, conversion, node,
                                    part_of(*type, i, what)));
    if (record.fields.back().is_unknown()) return Value::unknown();
  }
  return record;
}

// An array, or one of several that are chosen at run time, as the hint says.
static Value as_array(Context& ctx, const Value& value, const DataType& type, const Node* node,
                      const std::string& what) {
  auto* choice = value.choice_of_arrays();
  const Value& one = choice ? choice->parts[1] : value;
  auto* array = one.as<Value::Array>();
  const bool fine = array && !array->reference &&
                    (type.any_element || array->element == number_type(type.code)) &&
                    (type.ndim == DataType::kAnyNdim || type.ndim == array->type.ndim);
  return fine ? value : mismatch(ctx, value, type, node, what);
}

Value as_data(Context& ctx, const Value& value, const DataType& type, Conversion conversion,
              const Node* node, const std::string& what) {
  if (value.is_unknown()) return value;
  switch (type.kind) {
    case DataType::Kind::None:
      return value.is_none() ? value : mismatch(ctx, value, type, node, what);
    case DataType::Kind::Number:
      return as_number(ctx, number_of_mask(ctx, value, node), type.code, conversion, node, what);
    case DataType::Kind::Record:
      return as_record(ctx, value, type.record, conversion, node, what);
    case DataType::Kind::Array:
      return as_array(ctx, value, type, node, what);
  }
  return Value::unknown();
}

bool is_alias(const Value& type) {
  auto* cls = type.as<Value::Class>();
  return cls && cls->type->kind == RecordType::Kind::Alias;
}

Value behind_alias(const Value& type) {
  if (!is_alias(type)) return type;
  const DataType of = type.as<Value::Class>()->type->fields[0].type;
  if (of.is_array()) return type;
  if (of.kind == DataType::Kind::None) return Value::none();
  if (of.is_number()) return Value::Entity{entity_of_type(of.code)};
  if (of.record->is_vector() || of.record == mask_type())
    return Value::Entity{"device." + of.record->name};
  return Value::Class{of.record};
}

uint32_t least_align(const Value& type) {
  return is_alias(type) ? type.as<Value::Class>()->type->align : 1;
}

std::optional<DataType> data_type_of(const Value& named) {
  if (is_alias(named)) return named.as<Value::Class>()->type->fields[0].type;
  if (auto* cls = named.as<Value::Class>();
      cls && (cls->type->kind == RecordType::Kind::NamedTuple || is_enumeration(named)))
    return std::nullopt;
  if (auto* cls = named.as<Value::Class>()) return DataType::of(cls->type);
  if (named.is_none()) return DataType{};
  auto* entity = named.as<Value::Entity>();
  if (!entity) return std::nullopt;
  if (const std::optional<TypeCode> code = type_entity(entity->name)) return number_type(*code);
  const std::string prefix = "device.";
  if (!entity->name.starts_with(prefix)) return std::nullopt;
  const std::string name = entity->name.substr(prefix.size());
  if (name == "WarpMask") return DataType::of(mask_type());
  const RecordRef vector = name == "Dim3" ? vector_type(TypeCode::u4, 3) : vector_named(name);
  return vector ? std::optional(DataType::of(vector)) : std::nullopt;
}

}  // namespace cuda_device::frontend
