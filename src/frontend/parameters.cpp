// Launch arguments become IR parameters.
#include "frontend/parameters.h"

#include <algorithm>
#include <span>

#include "frontend/control/assign.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/records/enumerations.h"
#include "frontend/records/records.h"
#include "frontend/warps/warps.h"

namespace cuda_device::frontend {

static bool is_double(const ArgumentType& type) { return type.item == ScalarKind::F64; }

static std::string element_text(const ArgumentType& array, const syntax::Program& program) {
  if (array.element == ArgumentType::Kind::Scalar)
    return std::string(name_of(array.dtype.scalar()));
  ArgumentType element = array;
  element.kind = array.element;
  return to_string(element, program);
}

std::string to_string(const ArgumentType& t, const syntax::Program& program) {
  switch (t.kind) {
    case ArgumentType::Kind::None:
      return "None";
    case ArgumentType::Kind::Scalar:
      return std::string(name_of(t.dtype.scalar()));
    case ArgumentType::Kind::WeakInt:
      return "int";
    case ArgumentType::Kind::WeakFloat:
      return "float";
    case ArgumentType::Kind::Array:
      return "array[" + element_text(t, program) + ", " + std::to_string(t.ndim) + "]";
    case ArgumentType::Kind::Complex:
      return is_double(t) ? "complex128" : "complex64";
    case ArgumentType::Kind::WeakComplex:
      return "complex";
    case ArgumentType::Kind::Mask:
      return "WarpMask";
    case ArgumentType::Kind::Vector:
      return vector_type(code_of(t.item), t.lanes)->name;
    case ArgumentType::Kind::Record:
    case ArgumentType::Kind::Member:
      return program.types.at(t.type).name;
    case ArgumentType::Kind::Constant:
      return "constant";
    case ArgumentType::Kind::Tuple: {
      if (t.named) return program.types.at(t.type).name;
      std::string text = "(";
      for (size_t i = 0; i < t.elements.size(); ++i)
        text += (i ? ", " : "") + to_string(t.elements[i], program);
      return text + (t.elements.size() == 1 ? ",)" : ")");
    }
  }
  return "unknown";
}

std::string to_string(const ArgumentType& t, const Request& request) {
  const auto constructed = [&](TypeCode code) {
    return std::string(name_of(policy_of(request.dialect).constructed(code)));
  };
  switch (t.kind) {
    case ArgumentType::Kind::WeakInt:
      return constructed(TypeCode::weak_int);
    case ArgumentType::Kind::WeakFloat:
      return constructed(TypeCode::weak_float);
    case ArgumentType::Kind::WeakComplex:
      return constructed(TypeCode::weak_complex);
    default:
      return to_string(t, *request.program);
  }
}

static uint32_t add_parameter(Context& ctx, const std::string& name, ir::Type type,
                              const ArrayFacts& facts, Span span) {
  const auto index = static_cast<uint32_t>(ctx.function->params.size());
  ctx.function->params.push_back({name, type, facts, span});
  ctx.builder.set_span(span);
  ctx.parameters.push_back(ctx.builder.op(Op::Param, {}, index));
  return index;
}

static Value number_argument(Context& ctx, TypeCode code, const std::string& name,
                             const Node* parameter) {
  const uint32_t index =
      add_parameter(ctx, name, ir::Type::of(*scalar_of(code)), {}, parameter->span);
  // A launch takes no int beyond its format; a float may be rounded.
  return Value::number(code, ctx.parameters[index], code == TypeCode::weak_int);
}

static Value scalar_argument(Context& ctx, const ArgumentType& type, const std::string& name,
                             const Node* parameter) {
  const TypeCode code =
      type.kind == ArgumentType::Kind::WeakInt     ? ctx.policy.constructed(TypeCode::weak_int)
      : type.kind == ArgumentType::Kind::WeakFloat ? ctx.policy.constructed(TypeCode::weak_float)
                                                   : code_of(type.dtype.scalar());
  return number_argument(ctx, code, name, parameter);
}

static DataType element_type(Context& ctx, const ArgumentType& array) {
  switch (array.element) {
    case ArgumentType::Kind::Complex:
      return DataType::number(is_double(array) ? TypeCode::c16 : TypeCode::c8);
    case ArgumentType::Kind::Vector:
      return DataType::of(vector_type(code_of(array.item), array.lanes));
    case ArgumentType::Kind::Record:
      return DataType::of(record_type(ctx.session, array.type));
    default:
      return DataType::number(code_of(array.dtype.scalar()));
  }
}

static Value complex_argument(Context& ctx, TypeCode code, const std::string& name,
                              const Node* parameter) {
  const TypeCode part = component_of(code);
  const Value real = number_argument(ctx, part, name + ".real", parameter);
  return Value::Complex{code, {real, number_argument(ctx, part, name + ".imag", parameter)}};
}

static Value vector_argument(Context& ctx, const ArgumentType& type, const std::string& name,
                             const Node* parameter) {
  Value::Record vector{vector_type(code_of(type.item), type.lanes), {}};
  for (const RecordField& field : vector.type->fields)
    vector.fields.push_back(
        number_argument(ctx, field.type.code, name + "." + field.name, parameter));
  return vector;
}

static Value argument_value(Context& ctx, const ArgumentType& type, const std::string& name,
                            const Node* parameter);

// What lies in a record: of its declared type, a builtin number what its format makes of it.
// Records within an element of an array of NumPy come as tuples.
static Value field_argument(Context& ctx, const ArgumentType& given, const DataType& type,
                            const std::string& name, const Node* parameter) {
  const bool parts = given.kind == ArgumentType::Kind::Tuple && type.is_record() &&
                     given.elements.size() == type.record->fields.size();
  if (!parts)
    return as_data(ctx, argument_value(ctx, given, name, parameter), type, Conversion::Lossless,
                   parameter, "'" + name + "'");
  Value::Record value{type.record, {}};
  for (size_t i = 0; i < given.elements.size(); ++i)
    value.fields.push_back(field_argument(ctx, given.elements[i], type.record->fields[i].type,
                                          name + "." + std::to_string(i), parameter));
  return value;
}

static Value record_argument(Context& ctx, const ArgumentType& type, const std::string& name,
                             const Node* parameter) {
  const RecordRef record = record_type(ctx.session, type.type);
  Value::Record value{record, {}};
  for (size_t i = 0; i < record->fields.size(); ++i) {
    const std::string field = name + "." + record->fields[i].name;
    value.fields.push_back(
        field_argument(ctx, type.elements.at(i), record->fields[i].type, field, parameter));
  }
  return value;
}

// A number of its class: its position among the members, where it is no number itself.
static Value member_argument(Context& ctx, const ArgumentType& type, const std::string& name,
                             const Node* parameter) {
  const RecordRef cls = record_type(ctx.session, type.type);
  const Value number = argument_value(ctx, type.elements.at(0), name, parameter);
  const syntax::Value& first = cls->decl->members[0];
  if (first.kind == syntax::Value::Kind::Int)
    return ctx.policy.has_objects ? member_of(cls, number) : number;
  return Value::Enum{cls, first.flag, {number}};
}

static Value argument_value(Context& ctx, const ArgumentType& type, const std::string& name,
                            const Node* parameter) {
  switch (type.kind) {
    case ArgumentType::Kind::None:
      return Value::none();
    case ArgumentType::Kind::Scalar:
    case ArgumentType::Kind::WeakInt:
    case ArgumentType::Kind::WeakFloat:
      return scalar_argument(ctx, type, name, parameter);
    case ArgumentType::Kind::Array: {
      const DataType element = element_type(ctx, type);
      const ir::Type array = array_type(element, type.ndim, ir::AddressSpace::Global);
      const uint32_t index = add_parameter(ctx, name, array, type.facts, parameter->span);
      return Value::Array{name, element, array, Value::Parameter{index}, type.facts.read_only};
    }
    case ArgumentType::Kind::Complex:
      return complex_argument(ctx, is_double(type) ? TypeCode::c16 : TypeCode::c8, name, parameter);
    case ArgumentType::Kind::Mask:
      return mask_of_bits(number_argument(ctx, TypeCode::u4, name, parameter));
    case ArgumentType::Kind::WeakComplex:
      return complex_argument(ctx, ctx.policy.constructed(TypeCode::weak_complex), name, parameter);
    case ArgumentType::Kind::Vector:
      return vector_argument(ctx, type, name, parameter);
    case ArgumentType::Kind::Record:
      return record_argument(ctx, type, name, parameter);
    case ArgumentType::Kind::Member:
      return member_argument(ctx, type, name, parameter);
    case ArgumentType::Kind::Constant:
      break;
    case ArgumentType::Kind::Tuple: {
      std::vector<Value> elements;
      elements.reserve(type.elements.size());
      for (size_t i = 0; i < type.elements.size(); ++i)
        elements.push_back(
            argument_value(ctx, type.elements[i], name + "." + std::to_string(i), parameter));
      if (type.named) return named_tuple(record_type(ctx.session, type.type), std::move(elements));
      return Value::tuple(std::move(elements));
    }
  }
  return Value::unknown();
}

// What a launch gives to *args.
static void bind_rest(Context& ctx, const syntax::arg* p, std::span<const ArgumentType> given) {
  std::vector<Value> elements;
  elements.reserve(given.size());
  for (size_t i = 0; i < given.size(); ++i)
    elements.push_back(argument_value(ctx, given[i], p->name + "." + std::to_string(i), p));
  define(ctx, p, tuple_of(ctx, std::move(elements), p), p);
}

// `type`: null where the launch gives nothing.
static Value launch_argument(Context& ctx, const syntax::Function& f, size_t parameter,
                             const ArgumentType* type) {
  const syntax::arg* p = parameters_of(f)[parameter];
  if (type && type->kind != ArgumentType::Kind::Constant)
    return argument_value(ctx, *type, p->name, p);
  const auto constant = f.constant_arguments.find(static_cast<uint32_t>(parameter));
  if (constant != f.constant_arguments.end())
    return binding_value(ctx, constant->second, p, p->name);
  if (const syntax::Binding* binding = default_of(f, parameter))
    return binding_value(ctx, *binding, p, p->name);
  return error(ctx, DiagCode::missing_argument, p, {f.name, p->name, parameters_hint(f)});
}

// Those of *args stand between the ones by position and the ones by name.
void bind_kernel_arguments(Context& ctx) {
  const syntax::Function& f = *ctx.instance->function;
  const std::vector<const syntax::arg*> parameters = parameters_of(f);
  const std::span<const ArgumentType> given = ctx.session.request.arguments;
  const size_t extra = given.size() - std::min(given.size(), parameters.size());
  const size_t positional = f.args ? f.args->posonlyargs.size() + f.args->args.size() : 0;
  const Node* rest = f.args ? f.args->vararg : nullptr;
  if (rest) lacks(ctx, "vararg", rest);
  if (f.args && f.args->kwarg) lacks(ctx, "kwarg", f.args->kwarg);
  if (extra > 0 && !rest) {
    error_at(ctx, DiagCode::too_many_arguments, f.span,
             {f.name, count_text(parameters.size(), "argument"), were_given(given.size()),
              parameters_hint(f)});
  }
  const auto bind = [&](size_t i, size_t at) {
    const syntax::arg* p = parameters[i];
    Value value = launch_argument(ctx, f, i, at < given.size() ? &given[at] : nullptr);
    const bool of_objects = value.is_array() && !value.array().element.is_number();
    if (at < given.size() && !ctx.policy.has_objects && (of_objects || is_python_object(value)))
      value = error(ctx, DiagCode::no_objects, p,
                    {"the argument '" + p->name + "', " + with_article(type_text(value)) + ","});
    define(ctx, p,
           annotated(ctx, p->annotation, std::move(value), p, "parameter '" + p->name + "'"), p);
  };
  for (size_t i = 0; i < positional; ++i) bind(i, i);
  if (rest)
    bind_rest(ctx, syntax::as<syntax::arg>(rest),
              given.subspan(std::min(positional, given.size()), extra));
  for (size_t i = positional; i < parameters.size(); ++i) bind(i, i + (rest ? extra : 0));
  if (f.args && f.args->kwarg) define(ctx, f.args->kwarg, Value::Keywords{}, f.args->kwarg);
}

void check_kernel_annotation(Context& ctx, const syntax::Function& f) {
  if (!f.returns) return;
  const Value declared = expr(ctx, f.returns);
  if (declared.is_none() || declared.is_unknown()) return;
  auto* entity = declared.as<Value::Entity>();
  error(ctx, DiagCode::kernel_returns_value, f.returns,
        {f.name, entity ? public_name(entity->name) : type_text(declared)});
}

std::string count_text(size_t n, const char* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string parameters_hint(const syntax::Function& f) {
  std::string names;
  for (const syntax::arg* p : parameters_of(f)) names += (names.empty() ? "" : ", ") + p->name;
  return names.empty() ? "it has no parameters" : "its parameters are " + names;
}

std::string written(const Node* node, const std::string& otherwise) {
  if (auto* name = syntax::as<syntax::Name>(node)) return name->id;
  auto* attribute = syntax::as<syntax::Attribute>(node);
  const std::string owner = attribute ? written(attribute->value, "") : "";
  return owner.empty() ? otherwise : owner + "." + attribute->attr;
}

std::string were_given(size_t n) { return std::to_string(n) + (n == 1 ? " is" : " are"); }

std::vector<const syntax::arg*> parameters_of(const syntax::Function& f) {
  std::vector<const syntax::arg*> out;
  if (!f.args) return out;
  for (auto* list : {&f.args->posonlyargs, &f.args->args, &f.args->kwonlyargs})
    for (const Node* p : *list) out.push_back(syntax::as<syntax::arg>(p));
  return out;
}

std::vector<const syntax::arg*> all_parameters_of(const syntax::Function& f) {
  std::vector<const syntax::arg*> out = parameters_of(f);
  if (!f.args) return out;
  for (const Node* extra : {f.args->vararg, f.args->kwarg})
    if (extra) out.push_back(syntax::as<syntax::arg>(extra));
  return out;
}

const syntax::Binding* default_of(const syntax::Function& f, size_t parameter) {
  if (!f.args) return nullptr;
  const size_t positional = f.args->posonlyargs.size() + f.args->args.size();
  if (parameter >= positional) {
    const size_t i = parameter - positional;
    const bool given = i < f.args->kw_defaults.size() && f.args->kw_defaults[i];
    return given && i < f.kw_defaults.size() ? &f.kw_defaults[i] : nullptr;
  }
  // The last positional parameters have the defaults.
  const size_t without = positional - std::min(positional, f.defaults.size());
  return parameter >= without ? &f.defaults[parameter - without] : nullptr;
}

}  // namespace cuda_device::frontend
