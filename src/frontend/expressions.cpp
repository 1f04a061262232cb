// Expressions by kind, literals and names.
#include "frontend/expressions.h"

#include <algorithm>

#include "frontend/arrays/tables.h"
#include "frontend/calls/calls.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/complex/complex.h"
#include "frontend/control/assign.h"
#include "frontend/control/control.h"
#include "frontend/control/iteration.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/counterparts.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/diagnosis/operator_names.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/parameters.h"
#include "frontend/records/enumerations.h"
#include "frontend/records/records.h"

namespace cuda_device::frontend {

using syntax::NodeKind;

// What to do with a name of devices in a function that the host calls too.
static std::string on_devices_alone(const Context& ctx) {
  const syntax::Function& f = *ctx.instance->function;
  const std::string condition = "`if device.target(device.is_device):`";
  if (f.kind != syntax::FunctionKind::Func)
    return "put it, or the call of this function, under " + condition;
  if (f.options.inlining != Inlining::Automatic || !f.options.fmad ||
      f.options.fast_math != FastMath{} || f.options.wide_builtins)
    return "put it, or the whole body, under " + condition;
  return "leave out the decorator: a plain function may be called from kernels too";
}

// Entities that are numbers become them; the others keep their name until something is done with
// them.
static Value entity_value(Context& ctx, const std::string& name, const Node* node) {
  if (const char* hint = refused_name(ctx.policy, name))
    return error(ctx, DiagCode::foreign_call, node, {public_name(name), hint});
  const Intrinsic* intrinsic = find_intrinsic(name);
  if (!intrinsic) return Value(Value::Entity{name});
  if (is_of_another_language(ctx.policy, *intrinsic))
    return another_language(ctx, *intrinsic, node);
  if (intrinsic->device_only && in_func(ctx))
    return error(ctx, DiagCode::device_only_in_func, node,
                 {public_name(name), on_devices_alone(ctx)});
  switch (intrinsic->role) {
    case Intrinsic::Role::Constant:
      return Value::constant(ctx.policy.constructed(intrinsic->code), intrinsic->constant);
    case Intrinsic::Role::Number:
      ctx.at(node);
      return Value::number(intrinsic->code, ctx.builder.op(intrinsic->op, {}));
    case Intrinsic::Role::Later:
      return not_implemented(ctx, node, public_name(name));
    default:
      return Value(Value::Entity{name});
  }
}

// A NumPy number has the format of its parts.
static Value complex_literal(const Context& ctx, const syntax::Value& v) {
  TypeCode code = ctx.policy.complex_literal;
  if (v.typed) code = v.format == ScalarKind::F64 ? TypeCode::c16 : TypeCode::c8;
  return complex_constant(code, v.real, v.imag);
}

// A constant that a language without objects does not have; empty: it has it.
static std::string object_text(const syntax::Value& v) {
  using Kind = syntax::Value::Kind;
  switch (v.kind) {
    case Kind::String:
    case Kind::BrokenString:
      return "the string '" + v.text + "'";
    case Kind::Enum:
      return "the member '" + v.text + "' of an enumeration";
    case Kind::Vector:
      return "a " + v.text;
    case Kind::Record:
      return "an instance of a class";
    case Kind::Tuple:
      return v.named ? "a named tuple" : "";
    case Kind::Array:
      if (v.element && v.element->name != "complex64" && v.element->name != "complex128")
        return "an array of vectors or records";
      return v.owner.empty() ? "" : "an object of class '" + v.owner + "'";
    case Kind::Other:
      return "an object of class '" + v.text + "'";
    default:
      return "";
  }
}

static Value int_literal(Context& ctx, const syntax::Value& v, const Node* node) {
  const TypeCode code = v.typed ? code_of(v.format) : ctx.policy.int_literal(v.integer);
  if (!v.typed && !is_weak(code) && !fits(v.integer, code))
    return error(ctx, DiagCode::literal_range, node,
                 {to_text(v.integer), std::string(name_of(code)), "integers have up to 64 bits"});
  Value::Constant number{code, {v.integer, 0}};
  if (!v.repr.empty()) number.shown = std::make_shared<const Value::Shown>(v.str, v.repr);
  if (v.named && ctx.policy.has_objects) number.enumeration = record_type(ctx.session, v.record);
  return number;
}

// The minus sign belongs to a literal whose format has no sign: the least int64 is written with a
// number that int64 lacks. Nothing: it is an operator.
static std::optional<Value> negative_literal(Context& ctx, const syntax::UnaryOp* node) {
  auto* operand = syntax::as<syntax::Constant>(node->operand);
  if (!operand || node->op != "USub") return std::nullopt;
  syntax::Value v = operand->value;
  if (v.kind != syntax::Value::Kind::Int || v.typed ||
      !is_unsigned(ctx.policy.int_literal(v.integer)))
    return std::nullopt;
  v.integer = -v.integer;
  return int_literal(ctx, v, node);
}

// One without dimensions is its element. What is atomic is no constant.
static Value array_constant(Context& ctx, const syntax::Value& v, const Node* node) {
  const DataType element =
      v.element ? type_of_field(ctx.session, *v.element) : DataType::number(code_of(v.format));
  if (holds_atomics(element)) return Value::Object{"numpy.ndarray"};
  if (v.shape.empty()) return constant_at(element, v.text.data());
  return constant_table(ctx, written(node, "constant"), element, v.shape, v.text);
}

static Value literal(Context& ctx, const syntax::Value& v, const Node* node) {
  if (!ctx.policy.has_objects)
    if (const std::string what = object_text(v); !what.empty())
      return error(ctx, DiagCode::no_objects, node, {what});
  using Kind = syntax::Value::Kind;
  switch (v.kind) {
    case Kind::None:
      return Value::none();
    case Kind::Bool:
      return Value::boolean(v.boolean);
    case Kind::Int:
      return int_literal(ctx, v, node);
    case Kind::BigInt:
      return error(ctx, DiagCode::constant_too_large, node, {v.text});
    case Kind::Float:
      return Value::constant(v.typed ? code_of(v.format) : ctx.policy.float_literal, {0, v.real});
    case Kind::Complex:
      return complex_literal(ctx, v);
    case Kind::String:
      return Value(Value::Text{v.text});
    case Kind::BrokenString:
      return error(ctx, DiagCode::broken_string, node, {v.text});
    case Kind::Ellipsis:
      return Value(Value::Entity{"builtins.Ellipsis"});
    case Kind::Tuple: {
      std::vector<Value> elements;
      elements.reserve(v.elements.size());
      for (const syntax::Value& e : v.elements) elements.push_back(literal(ctx, e, node));
      if (v.named) return named_tuple(record_type(ctx.session, v.record), std::move(elements));
      return Value::tuple(std::move(elements));
    }
    case Kind::Type:
      return entity_value(ctx, v.text, node);
    case Kind::Vector: {
      Value::Record vector{v.text == "WarpMask" ? mask_type() : vector_named(v.text), {}};
      for (const syntax::Value& e : v.elements) vector.fields.push_back(literal(ctx, e, node));
      return vector;
    }
    case Kind::Array:
      return array_constant(ctx, v, node);
    case Kind::Enum:
      return member_constant(ctx, v, node);
    case Kind::Record:
      return record_constant(ctx, v, node);
    case Kind::Other:
      return Value(Value::Object{v.text});
  }
  return Value::unknown();
}

// Tuples within tuples count with all that they hold, or a few lines would double it without end.
static size_t leaf_count(const Value& value) {
  if (!value.is_tuple()) return 1;
  size_t count = 0;
  for (const Value& element : value.elements()) count += leaf_count(element);
  return count;
}

// How deeply tuples are nested.
static int tuple_depth(const Value& value) {
  if (!value.is_tuple()) return 0;
  int deepest = 0;
  for (const Value& element : value.elements()) deepest = std::max(deepest, tuple_depth(element));
  return deepest + 1;
}

bool spread(Context& ctx, const syntax::Starred* starred, std::vector<Value>& into) {
  if (lacks(ctx, starred)) return false;
  const Value sequence = expr(ctx, starred->value);
  const auto elements = all_elements(ctx, sequence, starred->value);
  if (elements) into.insert(into.end(), elements->begin(), elements->end());
  return elements.has_value();
}

static Value tuple_display(Context& ctx, const syntax::Tuple* node) {
  std::vector<Value> elements;
  elements.reserve(node->elts.size());
  bool fine = true;
  for (const Node* element : node->elts) {
    if (auto* starred = syntax::as<syntax::Starred>(element))
      fine &= spread(ctx, starred, elements);
    else
      elements.push_back(expr(ctx, element));
  }
  return fine ? tuple_of(ctx, std::move(elements), node) : Value::unknown();
}

Value tuple_of(Context& ctx, std::vector<Value> elements, const Node* node) {
  size_t numbers = 0;
  for (const Value& element : elements) numbers += leaf_count(element);
  if (numbers > kMaxTuple)
    return error(ctx, DiagCode::tuple_too_long, node, {std::to_string(kMaxTuple)});
  Value tuple = Value::tuple(std::move(elements));
  if (tuple_depth(tuple) > kMaxTupleDepth)
    return error(ctx, DiagCode::tuple_too_deep, node, {std::to_string(kMaxTupleDepth)});
  return tuple;
}

static Value expr_by_kind(Context& ctx, const Node* node) {
  switch (node->kind) {
    case NodeKind::Constant:
      return literal(ctx, syntax::as<syntax::Constant>(node)->value, node);
    case NodeKind::Name:
      return read_name(ctx, syntax::as<syntax::Name>(node));
    case NodeKind::Attribute:
      return attribute(ctx, syntax::as<syntax::Attribute>(node));
    case NodeKind::Subscript:
      return subscript(ctx, syntax::as<syntax::Subscript>(node));
    case NodeKind::Call:
      return call(ctx, syntax::as<syntax::Call>(node));
    case NodeKind::BinOp: {
      auto* e = syntax::as<syntax::BinOp>(node);
      const Value left = expr(ctx, e->left);
      const Value right = expr(ctx, e->right);
      return binary(ctx, *binary_named(e->op), left, right, node, e->left, e->right);
    }
    case NodeKind::UnaryOp: {
      auto* e = syntax::as<syntax::UnaryOp>(node);
      const std::optional<Value> whole = negative_literal(ctx, e);
      return whole ? *whole : unary(ctx, e);
    }
    case NodeKind::BoolOp:
      return bool_op(ctx, syntax::as<syntax::BoolOp>(node));
    case NodeKind::Compare:
      return compare(ctx, syntax::as<syntax::Compare>(node));
    case NodeKind::IfExp:
      return if_exp(ctx, syntax::as<syntax::IfExp>(node));
    case NodeKind::Tuple:
      return tuple_display(ctx, syntax::as<syntax::Tuple>(node));
    case NodeKind::JoinedStr:
      if (!ctx.policy.has_objects) return unsupported(ctx, node);
      return f_string(ctx, syntax::as<syntax::JoinedStr>(node));
    case NodeKind::Lambda:
      return closure_of(ctx, node);
    case NodeKind::GeneratorExp:
      return Value::Generator{node, ctx.instance, ctx.copy};
    case NodeKind::NamedExpr: {
      auto* e = syntax::as<syntax::NamedExpr>(node);
      Value v = expr(ctx, e->value);
      assign(ctx, e->target, v, e->value);
      return v;
    }
    default:
      return unsupported(ctx, node);
  }
}

Value expr(Context& ctx, const Node* node) {
  const Level level(ctx.levels);
  if (too_deep(ctx, node) || lacks(ctx, node)) return Value::unknown();
  Value v = expr_by_kind(ctx, node);
  ctx.inference.met_unknown |= v.contains_unknown();
  return v;
}

Value binding_value(Context& ctx, const syntax::Binding& b, const Node* node,
                    const std::string& name) {
  using Kind = syntax::Binding::Kind;
  switch (b.kind) {
    case Kind::Undefined:
      if (const std::string_view own = ctx.policy.own_name(name); !own.empty())
        return entity_value(ctx, std::string(own), node);
      return unknown_name(ctx, node, name);
    case Kind::Constant:
      return literal(ctx, b.value, node);
    case Kind::Entity:
      return entity_value(ctx, b.name, node);
    case Kind::Function:
      return Value::Function{b.function, ctx.program.functions.at(b.function).name};
    case Kind::Class:
      if (!ctx.policy.has_objects)
        return error(ctx, DiagCode::no_objects, node, {"the class '" + name + "'"});
      return Value::Class{record_type(ctx.session, b.type)};
    case Kind::Module:
      return Value(Value::Module{b.name, b.is_hint});
    case Kind::Tuple: {
      std::vector<Value> elements;
      elements.reserve(b.parts.size());
      for (const syntax::Binding& part : b.parts)
        elements.push_back(binding_value(ctx, part, node, name));
      return tuple_of(ctx, std::move(elements), node);
    }
    case Kind::Partial: {
      if (!ctx.policy.has_objects)
        return error(ctx, DiagCode::no_objects, node, {"the partial function '" + name + "'"});
      Value::Partial partial{{}, b.names};
      for (const syntax::Binding& part : b.parts)
        partial.values.push_back(binding_value(ctx, part, node, name));
      return partial;
    }
    case Kind::Object:
      return Value(Value::Object{b.name, b.is_hint});
  }
  return Value::unknown();
}

}  // namespace cuda_device::frontend
