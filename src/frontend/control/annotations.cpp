// What annotations of parameters, results and variables declare.
#include "frontend/arrays/arrays.h"
#include "frontend/calls/calls.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/calls/targets.h"
#include "frontend/control/assign.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/parameters.h"
#include "frontend/records/enumerations.h"
#include "frontend/records/records.h"
#include "frontend/warps/warps.h"

namespace cuda_device::frontend {
namespace {

constexpr const char* kConstExpr = "device.ConstExpr";
constexpr const char* kFinal = "typing.Final";

// What an annotation says.
struct Declared {
  Value type;                // Unknown: nothing, or an error that was reported
  bool of_constant = false;  // ConstExpr: the value is a constant expression
  // tuple[...]: what stands in the brackets
  const Node* elements = nullptr;
};

// The value that is declared, for messages.
struct Subject {
  const Node* annotation;
  const Node* node;
  const std::string& what;
};

// A format that holds a constant which its builtin does not.
std::string wide_format(const Value& constant) {
  if (is_float(constant.code())) return "device.float64";
  for (TypeCode code : {TypeCode::i8, TypeCode::u8})
    if (fits(constant.exact()->integer, code)) return "device." + std::string(name_of(code));
  return "device.float64";
}

// An annotation of constants alone, which kernels have no formats for.
std::optional<bool> is_constant_of(Context& ctx, const Value& value, const Value& type) {
  if (type.is_entity("device.TargetDescription")) return target_set(value).has_value();
  if (type.is_entity("device.SMSelector"))
    return value.is<Value::Entity>() && value.as<Value::Entity>()->name.starts_with("device.sm");
  if (type.is_entity("builtins.str") || type.is_entity("builtins.tuple"))
    return is_instance(ctx, value, type);
  if (is_enumeration(type)) return class_of(value) == type.as<Value::Class>()->type;
  return std::nullopt;
}

// A reference to what is atomic, where a declaration says so.
bool is_declared_reference(const Value& value, const Value& declared) {
  if (!value.is_array() || !value.array().reference) return false;
  if (declared.is_entity("device.AtomicInterface") || declared.is_entity("device.AtomicRef"))
    return value.array().is_atomic_ref();
  auto* cls = declared.as<Value::Class>();
  if (!cls) return false;
  const DataType& element = value.array().element;
  if (cls->type->kind == RecordType::Kind::Atomic) return cls->type->fields[0].type == element;
  return element == DataType::of(cls->type);
}

bool is_ellipsis(const Node* node) {
  auto* constant = syntax::as<syntax::Constant>(node);
  return constant && constant->value.kind == syntax::Value::Kind::Ellipsis;
}

}  // namespace

// NDArray[T] of a local variable or in quotes, and numpy.ndarray[shape, numpy.dtype[T]]: an array
// of Ts, of as many dimensions as the shape tuple[int, int] has. Nothing: it is something else.
static std::optional<Value> array_hint(Context& ctx, const Value& base, const Node* arguments) {
  DataType array{.kind = DataType::Kind::Array};
  auto* both = syntax::as<syntax::Tuple>(arguments);
  const Node* element = arguments;
  if (type_text(base) == "class ndarray" && both && both->elts.size() == 2) {
    auto* dtype = syntax::as<syntax::Subscript>(both->elts[1]);
    auto* shape = syntax::as<syntax::Subscript>(both->elts[0]);
    auto* axes = shape ? syntax::as<syntax::Tuple>(shape->slice) : nullptr;
    if (!dtype) return std::nullopt;
    element = dtype->slice;
    const bool any = !shape || (axes && axes->elts.size() == 2 && is_ellipsis(axes->elts[1]));
    if (!any) array.ndim = axes ? static_cast<int>(axes->elts.size()) : 1;
  } else if (const auto of = data_type_of(base); !of || !of->is_array()) {
    return std::nullopt;
  }
  const std::optional<DataType> type = data_type_of(expr(ctx, element));
  if (!type || !type->is_number()) return Value::unknown();
  array.code = type->code;
  return Value::Class{alias_of(ctx.session, array, 1)};
}

static Value no_type(Context& ctx, const Node* annotation, const Value& type) {
  const std::string* quoted = type.string();
  const std::string text = quoted             ? "the text '" + *quoted + "'"
                           : type.is_number() ? "a number"
                                              : "'" + type_text(type) + "'";
  return error(
      ctx, DiagCode::annotation_type, annotation,
      {text, "numbers are declared with int, float, bool or a format such as device.float32"});
}

// Any, a TypeVar, Sequence[float], ...: a hint for people and their tools.
static bool is_hint(const Value& type) {
  auto* object = type.as<Value::Object>();
  auto* cls = type.as<Value::Module>();
  return (object && object->is_hint) || (cls && cls->is_hint) || type.is_entity(kFinal);
}

// A | B as it is written: which of them a value is, it does not say.
static Declared declared_by(Context& ctx, const Node* annotation);
static Declared one_of(Context& ctx, const syntax::BinOp* either) {
  for (const Node* side : {either->left, either->right}) {
    const Value type = declared_by(ctx, side).type;
    if (type.string() || type.is_number()) no_type(ctx, side, type);
  }
  return {};
}

// A name with arguments in brackets, such as ConstExpr[int].
static Declared declared_by_generic(Context& ctx, const syntax::Subscript* generic) {
  const Value base = expr(ctx, generic->value);
  if (base.is_entity(kConstExpr)) {
    Declared constant = declared_by(ctx, generic->slice);
    constant.of_constant = true;
    return constant;
  }
  if (base.is_entity(kFinal)) return declared_by(ctx, generic->slice);
  if (is_hint(base)) return {};
  if (base.is_entity("builtins.tuple")) {
    Declared tuple;
    tuple.elements = generic->slice;
    return tuple;
  }
  if (std::optional<Value> array = array_hint(ctx, base, generic->slice)) return {*array};
  if (!base.is_unknown())
    not_implemented(ctx, generic, "the annotation '" + type_text(base) + "[...]'");
  return {};
}

// Python evaluated it when the function was defined; text and those of locals it did not.
static Declared declared_by(Context& ctx, const Node* annotation) {
  const auto& bindings = ctx.instance->function->bindings;
  const auto bound = bindings.find(annotation);
  using BindingKind = syntax::Binding::Kind;
  const bool known = bound != bindings.end() && bound->second.kind != BindingKind::Undefined;
  const bool is_read =
      known && (bound->second.is_hint || bound->second.kind != BindingKind::Object);
  auto* generic = syntax::as<syntax::Subscript>(annotation);
  if (generic && !is_read) return declared_by_generic(ctx, generic);
  auto* either = syntax::as<syntax::BinOp>(annotation);
  if (either && either->op == "BitOr" && !known) return one_of(ctx, either);
  Value type = known ? binding_value(ctx, bound->second, annotation, "") : expr(ctx, annotation);
  if (type.is_entity(kConstExpr)) return {Value::unknown(), true};
  return {std::move(type), known && bound->second.of_constant};
}

static Value mismatch(Context& ctx, const Subject& subject, const std::string& type,
                      const Value& value) {
  return error(ctx, DiagCode::annotation_mismatch, subject.node,
               {subject.what, type, type_text(value),
                read_it_hint(value, "convert it explicitly, or change the annotation")});
}

static Value as_number(Context& ctx, const Subject& subject, TypeCode code, const Value& given) {
  const Value value = number_of_mask(ctx, given, subject.node);
  const bool number = value.is_number() || (value.is_complex() && is_complex(code));
  const auto is_fine = [&] {
    return value.code() == code ||
           (converts_silently(code, value.code()) && !may_be_cut(value, code));
  };
  if (!number || !is_fine()) return mismatch(ctx, subject, std::string(name_of(code)), value);
  ctx.at(subject.node);
  Value converted = implicitly_converted(ctx, value, code, subject.node);
  if (fits_builtin(converted)) return converted;
  return error(ctx, DiagCode::weak_range, subject.node,
               {to_text(code, *converted.exact()), std::string(name_of(code)),
                "declare it " + wide_format(converted), std::to_string(bits_of(code))});
}

// Declarations that are no type: hints for people and their tools.
static Value as_hinted(Context& ctx, const Subject& subject, const Value& type, Value value) {
  // Some class of arrays or of callables says no more than that it is one.
  const bool is_class = type.is<Value::Object>() || type.is<Value::Module>();
  if (type.is_entity("device.Array") && value.is_array()) return value;
  if (is_class && (value.is_array() || value.is_function())) return value;
  if (is_class)
    return not_implemented(ctx, subject.annotation, "the annotation '" + type_text(type) + "'");
  return no_type(ctx, subject.annotation, type);
}

static bool is_atomic_class(const Value& type) {
  auto* named = type.as<Value::Class>();
  return type.is_entity("device.Atomic") || type.is_entity("device.AtomicInterface") ||
         type.is_entity("device.AtomicRef") ||
         (named && named->type->kind == RecordType::Kind::Atomic);
}

// The annotation is a class of atomics that the value is not of.
static Value wrong_reference(Context& ctx, const Subject& subject, const Value& type,
                             const Value& value) {
  const bool refers = value.is_array() && value.array().is_atomic_ref();
  const std::string any = "device.AtomicInterface, which references to all types are";
  if (type.is_entity("device.Atomic"))
    return error(ctx, DiagCode::annotation_type, subject.annotation,
                 {"'device.Atomic' without the type of its value",
                  "write device.Atomic(device.int32), for example, or " + any});
  const std::string hint =
      refers ? "write device.Atomic(" + type_text(value.array().element) + "), or " + any
             : "pass a reference, such as device.atomic_ref(array, index)";
  return error(
      ctx, DiagCode::annotation_mismatch, subject.node,
      {subject.what,
       public_name(type.is<Value::Class>() ? type.as<Value::Class>()->type->name : type_text(type)),
       type_text(value), hint});
}

static Value as_declared(Context& ctx, const Subject& subject, const Value& type, Value value) {
  if (is_declared_reference(value, type)) return value;
  if (is_atomic_class(type)) return wrong_reference(ctx, subject, type, value);
  if (type.is_entity("device.WarpMask"))
    return as_data(ctx, value, DataType::of(mask_type()), Conversion::Lossless, subject.node,
                   subject.what);
  if (type.is_none()) return value.is_none() ? value : mismatch(ctx, subject, "None", value);
  auto* entity = type.as<Value::Entity>();
  if (const auto code = entity ? type_entity(entity->name) : std::nullopt)
    return as_number(ctx, subject, ctx.policy.constructed(*code), value);
  if (const std::optional<bool> fine = is_constant_of(ctx, value, type))
    return *fine ? value : mismatch(ctx, subject, public_name(type_text(type)), value);
  auto* named = type.as<Value::Class>();
  if (named && named->type->kind == RecordType::Kind::NamedTuple)
    return is_of_class(ctx.session, value, named->type)
               ? value
               : mismatch(ctx, subject, named->type->name, value);
  const bool is_class = named || (entity && !find_intrinsic(entity->name));
  if (const auto data = is_class ? data_type_of(type) : std::nullopt;
      data && (data->is_record() || data->is_array()))
    return as_data(ctx, value, *data, Conversion::Lossless, subject.node, subject.what);
  return as_hinted(ctx, subject, type, std::move(value));
}

// tuple[A, B], tuple[A, ...] and tuple[()]; of a named tuple the fields stay what they are.
static Value as_tuple(Context& ctx, const Subject& subject, const Node* slice, const Value& value) {
  const auto* several = syntax::as<syntax::Tuple>(slice);
  const auto declared = several
                            ? std::vector<const Node*>(several->elts.begin(), several->elts.end())
                            : std::vector<const Node*>{slice};
  const bool repeats = declared.size() == 2 && is_ellipsis(declared[1]);
  const auto* tuple = value.as<Value::Tuple>();
  if (!tuple || !(repeats || tuple->elements.size() == declared.size()))
    return mismatch(ctx, subject,
                    repeats ? "a tuple" : "a tuple of " + count_text(declared.size(), "element"),
                    value);
  Value::Tuple converted = *tuple;
  for (size_t i = 0; i < converted.elements.size(); ++i)
    converted.elements[i] =
        annotated(ctx, declared[repeats ? 0 : i], tuple->elements[i], subject.node,
                  "element " + std::to_string(i) + " of " + subject.what);
  return converted;
}

Value annotated(Context& ctx, const Node* annotation, Value value, const Node* node,
                const std::string& what) {
  if (!annotation) return value;
  Declared declared = declared_by(ctx, annotation);
  declared.type = behind_alias(declared.type);
  if (value.contains_unknown()) return value;
  if (declared.of_constant && !value.is_constant_expression())
    return wrong_kind(ctx, DiagCode::constant_expected, node, value, {what, type_text(value)});
  if (declared.elements) return as_tuple(ctx, {annotation, node, what}, declared.elements, value);
  if (declared.type.is_unknown() || is_hint(declared.type)) return value;
  return as_declared(ctx, {annotation, node, what}, declared.type, std::move(value));
}

}  // namespace cuda_device::frontend
