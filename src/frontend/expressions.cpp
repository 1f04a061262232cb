// Expressions by kind, literals and names.
#include <algorithm>

#include "frontend/intrinsics.h"
#include "frontend/lowerer.h"
#include "frontend/operator_names.h"

namespace cuda_device::frontend {

using syntax::NodeKind;

Value Lowerer::expr(const Node* node) {
  const Level level(levels_);
  if (too_deep(node)) return Value::unknown();
  Value v = expr_by_kind(node);
  met_unknown_ |= v.contains_unknown();
  return v;
}

Value Lowerer::expr_by_kind(const Node* node) {
  switch (node->kind) {
    case NodeKind::Constant:
      return literal(syntax::as<syntax::Constant>(node)->value, node);
    case NodeKind::Name:
      return read_name(syntax::as<syntax::Name>(node));
    case NodeKind::Attribute:
      return attribute(syntax::as<syntax::Attribute>(node));
    case NodeKind::Subscript:
      return subscript(syntax::as<syntax::Subscript>(node));
    case NodeKind::Call:
      return call(syntax::as<syntax::Call>(node));
    case NodeKind::BinOp: {
      auto* e = syntax::as<syntax::BinOp>(node);
      const Value left = expr(e->left);
      const Value right = expr(e->right);
      return binary(*binary_named(e->op), left, right, node, e->left, e->right);
    }
    case NodeKind::UnaryOp:
      return unary(syntax::as<syntax::UnaryOp>(node));
    case NodeKind::BoolOp:
      return bool_op(syntax::as<syntax::BoolOp>(node));
    case NodeKind::Compare:
      return compare(syntax::as<syntax::Compare>(node));
    case NodeKind::IfExp:
      return if_exp(syntax::as<syntax::IfExp>(node));
    case NodeKind::Tuple:
      return tuple_display(syntax::as<syntax::Tuple>(node));
    case NodeKind::NamedExpr: {
      auto* e = syntax::as<syntax::NamedExpr>(node);
      Value v = expr(e->value);
      assign(e->target, v, e->value);
      return v;
    }
    default:
      return unsupported(node);
  }
}

// Tuples within tuples count with all that they hold, or a few lines would double it without end.
static size_t leaf_count(const Value& value) {
  if (!value.is_tuple()) return 1;
  size_t count = 0;
  for (const Value& element : value.elements) count += leaf_count(element);
  return count;
}

// Of tuples within tuples.
static int tuple_depth(const Value& value) {
  int deepest = 0;
  for (const Value& element : value.elements) deepest = std::max(deepest, tuple_depth(element));
  return value.is_tuple() ? deepest + 1 : 0;
}

Value Lowerer::tuple_display(const syntax::Tuple* node) {
  std::vector<Value> elements;
  elements.reserve(node->elts.size());
  for (const Node* element : node->elts) elements.push_back(expr(element));
  size_t numbers = 0;
  for (const Value& element : elements) numbers += leaf_count(element);
  if (numbers > kMaxTuple)
    return error(DiagCode::tuple_too_long, node, {std::to_string(kMaxTuple)});
  Value tuple = Value::tuple(std::move(elements));
  if (tuple_depth(tuple) > kMaxTupleDepth)
    return error(DiagCode::tuple_too_deep, node, {std::to_string(kMaxTupleDepth)});
  return tuple;
}

Value Lowerer::literal(const syntax::Value& v, const Node* node) {
  using Kind = syntax::Value::Kind;
  switch (v.kind) {
    case Kind::None:
      return Value::none();
    case Kind::Bool:
      return Value::boolean(v.boolean);
    case Kind::Int:
      return Value::constant_int(v.typed ? code_of(v.format) : policy_.int_literal(v.integer),
                                 v.integer);
    case Kind::BigInt:
      return error(DiagCode::constant_too_large, node, {v.text});
    case Kind::Float:
      return Value::constant(v.typed ? code_of(v.format) : policy_.float_literal, {0, v.real});
    case Kind::Complex:
      return not_implemented(node, "complex arithmetic");
    case Kind::String:
      return Value::named(Value::Kind::Text, v.text);
    case Kind::BrokenString:
      return error(DiagCode::broken_string, node, {v.text});
    case Kind::Ellipsis:
      return Value::named(Value::Kind::Entity, "builtins.Ellipsis");
    case Kind::Tuple: {
      std::vector<Value> elements;
      elements.reserve(v.elements.size());
      for (const syntax::Value& e : v.elements) elements.push_back(literal(e, node));
      return Value::tuple(std::move(elements));
    }
    case Kind::Type:
      return entity_value(v.text, node);
    case Kind::Other:
      return Value::named(Value::Kind::Object, v.text);
  }
  return Value::unknown();
}

Value Lowerer::binding_value(const syntax::Binding& b, const Node* node, const std::string& name) {
  using Kind = syntax::Binding::Kind;
  switch (b.kind) {
    case Kind::Undefined:
      return unknown_name(node, name);
    case Kind::Constant:
      return literal(b.value, node);
    case Kind::Entity:
      return entity_value(b.name, node);
    case Kind::Function: {
      Value v = Value::named(Value::Kind::Function, program_.functions.at(b.function).name);
      v.index = b.function;
      return v;
    }
    case Kind::Module:
      return Value::named(Value::Kind::Module, b.name);
    case Kind::Object:
      return Value::named(Value::Kind::Object, b.name);
  }
  return Value::unknown();
}

// Entities that are numbers become them; the others keep their name until something is done with
// them.
Value Lowerer::entity_value(const std::string& name, const Node* node) {
  const Intrinsic* intrinsic = find_intrinsic(name);
  if (!intrinsic) return Value::named(Value::Kind::Entity, name);
  if (intrinsic->device_only && in_func())
    return error(DiagCode::device_only_in_func, node, {public_name(name)});
  switch (intrinsic->role) {
    case Intrinsic::Role::Constant:
      return Value::constant(intrinsic->code, intrinsic->constant);
    case Intrinsic::Role::Number:
      at(node);
      return Value::number(intrinsic->code, builder_.op(intrinsic->op, {}));
    case Intrinsic::Role::Later:
      return not_implemented(node, public_name(name));
    default:
      return Value::named(Value::Kind::Entity, name);
  }
}

}  // namespace cuda_device::frontend
