// Binary and unary operators on numbers: which type they compute in, and the operation.
#include "frontend/lowerer.h"
#include "frontend/operator_names.h"

namespace cuda_device::frontend {
namespace {

using ir::Op;

bool is_bitwise(BinaryOp op) {
  return op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
}
bool is_shift(BinaryOp op) { return op == BinaryOp::LShift || op == BinaryOp::RShift; }

Op ir_op(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add:
      return Op::Add;
    case BinaryOp::Sub:
      return Op::Sub;
    case BinaryOp::Mult:
      return Op::Mul;
    case BinaryOp::Div:
      return Op::Div;
    case BinaryOp::FloorDiv:
      return Op::FloorDiv;
    case BinaryOp::Mod:
      return Op::FloorMod;
    case BinaryOp::LShift:
      return Op::Shl;
    case BinaryOp::RShift:
      return Op::Shr;
    case BinaryOp::BitAnd:
      return Op::And;
    case BinaryOp::BitOr:
      return Op::Or;
    default:
      return Op::Xor;
  }
}

std::string operand_hint(const Value& a, const Value& b) {
  for (const Value* v : {&a, &b}) {
    if (v->kind == Value::Kind::Text)
      return "operators work on numbers; print() takes an f-string, such as print(f\"x = {x}\")";
    if (std::string hint = read_it_hint(*v); !hint.empty()) return hint;
  }
  return "operators work on numbers";
}

}  // namespace

Value Lowerer::binary(BinaryOp op, const Value& a, const Value& b, const Node* node,
                      const Node* left, const Node* right) {
  if (a.is_unknown() || b.is_unknown()) return Value::unknown();
  at(node);
  if (a.is_number() && b.is_number() && op != BinaryOp::MatMult)
    return arithmetic(op, a, b, node, left, right);
  if (a.contains_unknown() || b.contains_unknown()) return Value::unknown();
  for (const Value* v : {&a, &b})
    if (v->kind == Value::Kind::Object) return wrong_kind({}, v == &a ? left : right, *v, {});
  std::vector<std::string> args = operation_text(op, type_text(a), type_text(b));
  args.push_back(operand_hint(a, b));
  return operator_error(DiagCode::operand_types, node, left, right, sign_of(op), std::move(args));
}

Value Lowerer::arithmetic(BinaryOp op, Value a, Value b, const Node* node, const Node* left,
                          const Node* right) {
  if (is_bool(a.code) && is_bool(b.code) && !is_bitwise(op)) {
    a = convert(a, policy_.bool_arithmetic, node);
    b = convert(b, policy_.bool_arithmetic, node);
  }
  const std::optional<TypeCode> common = policy_.promote(a.code, b.code);
  if (!common) {
    std::vector<std::string> args = operation_text(op, type_text(a), type_text(b));
    args.push_back(described(left, a));
    return operator_error(DiagCode::no_promotion, node, left, right, sign_of(op), std::move(args));
  }
  if (!scalar_of(*common))
    return not_implemented(node, std::string(name_of(*common)) + " arithmetic");
  if ((is_bitwise(op) || is_shift(op)) && is_float(*common)) {
    return operator_error(DiagCode::integers_only, node, left, right, sign_of(op),
                          {std::string(sign_of(op)), type_text(a), type_text(b)});
  }
  if (op != BinaryOp::Pow && !(check_literal(a, *common, left) && check_literal(b, *common, right)))
    return Value::unknown();
  switch (op) {
    case BinaryOp::Div:
      return same_type(op, policy_.true_divide(a.code, b.code, *common), a, b, node);
    case BinaryOp::FloorDiv:
    case BinaryOp::Mod:
      return floor_divide(op, *common, a, b, node);
    case BinaryOp::Pow:
      return power(a, b, *common, node);
    default:
      return same_type(op, *common, a, b, node);
  }
}

// Both operands in `code`, which the result has too.
Value Lowerer::same_type(BinaryOp op, TypeCode code, const Value& a, const Value& b,
                         const Node* node) {
  const Value x = convert(a, code, node), y = convert(b, code, node);
  if (x.is_unknown() || y.is_unknown()) return Value::unknown();
  if (x.exact && y.exact) {
    if (std::optional<Exact> r = fold(op, code, *x.exact, *y.exact))
      return Value::constant(code, *r);
    const bool too_large =
        code == TypeCode::weak_int && op != BinaryOp::FloorDiv && op != BinaryOp::Mod;
    if (too_large && is_shift(op) && y.exact->integer < 0)
      return error(DiagCode::negative_shift, node, {to_text(y.exact->integer)});
    if (too_large) return error(DiagCode::constant_too_large, node, {"the result"});
  }
  return Value::number(code, builder_.op(ir_op(op), {inst_of(x, node), inst_of(y, node)}));
}

Value Lowerer::unary(const syntax::UnaryOp* node) {
  if (node->op == "Not") return negated(condition(node->operand), node);
  const Value v = expr(node->operand);
  if (v.is_unknown()) return v;
  at(node);
  if (!v.is_number()) {
    const std::string sign = node->op == "USub" ? "-" : node->op == "UAdd" ? "+" : "~";
    return wrong_kind(DiagCode::unary_type, node, v, {sign, type_text(v)});
  }
  if (node->op == "Invert") return invert(v, node);
  const Value number = is_bool(v.code) ? convert(v, policy_.bool_arithmetic, node) : v;
  return node->op == "USub" ? negative(number, node) : number;
}

Value Lowerer::negative(const Value& v, const Node* node) {
  if (!v.exact) return Value::number(v.code, builder_.op(Op::Neg, {v.inst}));
  if (is_float(v.code)) return Value::constant(v.code, {0, -v.exact->real});
  return same_type(BinaryOp::Sub, v.code, Value::constant_int(v.code, 0), v, node);
}

Value Lowerer::invert(const Value& v, const Node* node) {
  if (is_float(v.code)) return error(DiagCode::unary_type, node, {"~", type_text(v)});
  if (!v.exact) return Value::number(v.code, builder_.op(Op::Not, {v.inst}));
  if (is_bool(v.code)) return Value::boolean(!v.exact->integer);
  return Value::constant(v.code, converted({~v.exact->integer, 0}, TypeCode::weak_int, v.code));
}

}  // namespace cuda_device::frontend
