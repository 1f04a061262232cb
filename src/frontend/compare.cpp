// Comparisons. Integers of different signedness are compared as the numbers they are.
#include "frontend/lowerer.h"
#include "frontend/operator_names.h"

namespace cuda_device::frontend {
namespace {

using ir::Op;

Op ir_op(CompareOp op) {
  switch (op) {
    case CompareOp::NotEq:
      return Op::Ne;
    case CompareOp::Lt:
      return Op::Lt;
    case CompareOp::LtE:
      return Op::Le;
    case CompareOp::Gt:
      return Op::Gt;
    case CompareOp::GtE:
      return Op::Ge;
    default:
      return Op::Eq;
  }
}

// The same comparison with its operands exchanged.
CompareOp mirrored(CompareOp op) {
  switch (op) {
    case CompareOp::Lt:
      return CompareOp::Gt;
    case CompareOp::LtE:
      return CompareOp::GtE;
    case CompareOp::Gt:
      return CompareOp::Lt;
    case CompareOp::GtE:
      return CompareOp::LtE;
    default:
      return op;
  }
}

bool is_equality(CompareOp op) { return op == CompareOp::Eq || op == CompareOp::NotEq; }
bool is_identity(CompareOp op) { return op == CompareOp::Is || op == CompareOp::IsNot; }
bool is_negative(CompareOp op) {
  return op == CompareOp::NotEq || op == CompareOp::IsNot || op == CompareOp::NotIn;
}
bool is_whole(TypeCode c) { return is_int(c) || is_bool(c); }

}  // namespace

Value Lowerer::compare(const syntax::Compare* node) {
  const Value left = expr(node->left);
  return compare_rest(node, 0, left, node->left);
}

// left op[i] c[i] op[i+1] c[i+1] ...; each operand is evaluated once, and only if all before it
// held.
Value Lowerer::compare_rest(const syntax::Compare* node, size_t i, const Value& left,
                            const Node* left_node) {
  const Level level(levels_);
  if (too_deep(node)) return Value::unknown();
  const Node* right_node = node->comparators[i];
  const Value right = expr(right_node);
  const Value result =
      compare_values(*compare_named(node->ops[i]), left, right, node, left_node, right_node);
  if (i + 1 == node->comparators.size()) return result;
  if (result.exact && !result.exact->integer) return result;
  if (result.exact) return compare_rest(node, i + 1, right, right_node);
  Captured rest = capture([&] { return compare_rest(node, i + 1, right, right_node); });
  if (result.is_unknown() || rest.value.is_unknown()) return Value::unknown();
  return combine(result, result, true, std::move(rest), node);
}

Value Lowerer::compare_values(CompareOp op, const Value& a, const Value& b, const Node* node,
                              const Node* left, const Node* right) {
  if (a.contains_unknown() || b.contains_unknown()) return Value::unknown();
  at(node);
  if (op == CompareOp::In || op == CompareOp::NotIn) return contains(op, a, b, node, left, right);
  if (a.is_number() && b.is_number() && !is_identity(op))
    return compare_numbers(op, a, b, node, left, right);
  if (a.is_tuple() && b.is_tuple() && is_equality(op))
    return compare_tuples(op, a, b, node, left, right);
  const bool by_name = !a.is_array() && !a.is_number() && !a.is_tuple();
  const bool same_kind = by_name && a.kind == b.kind;
  const bool with_none = a.is_none() || b.is_none();
  if ((is_equality(op) || is_identity(op)) && (same_kind || with_none))
    return Value::boolean(same_abstract(a, b) != is_negative(op));
  const DiagCode code = is_identity(op) ? DiagCode::cannot_identify : DiagCode::cannot_compare;
  return operator_error(code, node, left, right, sign_of(op),
                        {std::string(sign_of(op)), type_text(a), type_text(b)});
}

Value Lowerer::compare_numbers(CompareOp op, Value a, Value b, const Node* node, const Node* left,
                               const Node* right) {
  if (is_whole(a.code) && is_whole(b.code)) return compare_integers(op, a, b, node);
  const std::optional<TypeCode> common = policy_.promote(a.code, b.code);
  if (!common) {
    return operator_error(DiagCode::cannot_compare, node, left, right, sign_of(op),
                          {std::string(sign_of(op)), type_text(a), type_text(b)});
  }
  a = convert(a, *common, node);
  b = convert(b, *common, node);
  if (a.is_unknown() || b.is_unknown()) return Value::unknown();
  if (a.exact && b.exact) return Value::boolean(fold(op, *common, *a.exact, *b.exact));
  return Value::number(TypeCode::b1, builder_.op(ir_op(op), {inst_of(a, node), inst_of(b, node)}));
}

Value Lowerer::compare_integers(CompareOp op, Value a, Value b, const Node* node) {
  if (a.exact && b.exact) return Value::boolean(fold(op, TypeCode::i8, *a.exact, *b.exact));
  if (b.exact) return compare_with_constant(op, a, b, node);
  if (a.exact) return compare_with_constant(mirrored(op), b, a, node);
  const TypeCode x = fixed(a.code), y = fixed(b.code);
  if (is_bool(x) && is_bool(y))
    return compare_same(op, is_equality(op) ? TypeCode::b1 : TypeCode::i4, a, b, node);
  if (x == TypeCode::u8 && is_signed(y)) return compare_mixed(mirrored(op), b, a);
  if (y == TypeCode::u8 && is_signed(x)) return compare_mixed(op, a, b);
  // Every other pair meets in a type that holds both.
  return compare_same(op, *policy_of(DialectName::Device).promote(x, y), a, b, node);
}

// A constant takes part with its exact value.
Value Lowerer::compare_with_constant(CompareOp op, const Value& a, const Value& b,
                                     const Node* node) {
  const __int128 value = b.exact->integer;
  TypeCode type = fixed(a.code);
  if (is_bool(type))
    type = is_equality(op) && (value == 0 || value == 1) ? TypeCode::b1 : TypeCode::i4;
  const bool inside = is_bool(type) || fits(value, type);
  // Beyond the format's range every number compares as zero does.
  if (!inside) return Value::boolean(fold(op, TypeCode::i8, {0, 0}, {value, 0}));
  return compare_same(op, type, a, Value::constant_int(type, value), node);
}

Value Lowerer::compare_same(CompareOp op, TypeCode code, const Value& a, const Value& b,
                            const Node* node) {
  const Value x = convert(a, code, node), y = convert(b, code, node);
  if (x.is_unknown() || y.is_unknown()) return Value::unknown();
  return Value::number(TypeCode::b1, builder_.op(ir_op(op), {inst_of(x, node), inst_of(y, node)}));
}

// A signed number with a uint64: the negative ones are below everything.
Value Lowerer::compare_mixed(CompareOp op, const Value& a, const Value& b) {
  Inst* zero = constant_inst(a.inst->type, 0);
  Inst* below = builder_.op(Op::Lt, {a.inst, zero});
  Inst* unsigned_a = builder_.typed(Op::Convert, b.inst->type, {a.inst});
  Inst* result = builder_.op(ir_op(op), {unsigned_a, b.inst});
  const bool true_below = op == CompareOp::Lt || op == CompareOp::LtE || op == CompareOp::NotEq;
  if (true_below) return Value::number(TypeCode::b1, builder_.op(Op::Or, {below, result}));
  Inst* not_below = builder_.op(Op::Not, {below});
  return Value::number(TypeCode::b1, builder_.op(Op::And, {not_below, result}));
}

Value Lowerer::compare_tuples(CompareOp op, const Value& a, const Value& b, const Node* node,
                              const Node* left, const Node* right) {
  Value all = Value::boolean(a.elements.size() == b.elements.size());
  for (size_t i = 0; i < a.elements.size() && i < b.elements.size(); ++i) {
    const Value same =
        compare_values(CompareOp::Eq, a.elements[i], b.elements[i], node, left, right);
    all = both(all, same, Op::And, node);
  }
  return op == CompareOp::NotEq ? negated(all, node) : all;
}

// Of bools, both evaluated.
Value Lowerer::both(const Value& a, const Value& b, Op op, const Node* node) {
  if (a.is_unknown() || b.is_unknown()) return Value::unknown();
  for (const Value* v : {&a, &b}) {
    if (!v->exact) continue;
    const Value& other = v == &a ? b : a;
    const bool decides = (v->exact->integer != 0) == (op == Op::Or);
    return decides ? *v : other;
  }
  at(node);
  return Value::number(TypeCode::b1, builder_.op(op, {a.inst, b.inst}));
}

Value Lowerer::contains(CompareOp op, const Value& a, const Value& b, const Node* node,
                        const Node* left, const Node* right) {
  const std::optional<std::vector<Value>> elements = elements_of(b);
  if (!elements) {
    return operator_error(DiagCode::needs_tuple, node, left, right, sign_of(op),
                          {std::string(sign_of(op)), type_text(b)});
  }
  Value any = Value::boolean(false);
  for (const Value& element : *elements)
    any = both(any, compare_values(CompareOp::Eq, a, element, node, left, right), Op::Or, node);
  return op == CompareOp::NotIn ? negated(any, node) : any;
}

}  // namespace cuda_device::frontend
