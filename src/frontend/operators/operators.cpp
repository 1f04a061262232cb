// Binary and unary operators on numbers: which type they compute in, and the operation.
#include "frontend/operators/operators.h"

#include "frontend/calls/targets.h"
#include "frontend/complex/complex.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/diagnosis/operator_names.h"
#include "frontend/expressions.h"
#include "frontend/operators/class_operators.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/tuples.h"
#include "frontend/records/enumerations.h"
#include "frontend/records/records.h"
#include "frontend/texts/texts.h"
#include "frontend/warps/warps.h"

namespace cuda_device::frontend {
namespace {

bool is_bitwise(BinaryOp op) {
  return op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
}
bool is_shift(BinaryOp op) { return op == BinaryOp::LShift || op == BinaryOp::RShift; }

// Whether no result of integers is outside of the operands' range.
bool keeps_range(BinaryOp op) {
  return is_bitwise(op) || op == BinaryOp::RShift || op == BinaryOp::FloorDiv ||
         op == BinaryOp::Mod;
}

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
    if (is_text(*v))
      return "operators work on numbers; a number is written into a text by an f-string, such as "
             "f\"x = {x}\"";
    if (std::string hint = read_it_hint(*v); !hint.empty()) return hint;
  }
  return "operators work on numbers";
}

}  // namespace

Value binary(Context& ctx, BinaryOp op, const Value& a, const Value& b, const Node* node,
             const Node* left, const Node* right) {
  if (a.is_unknown() || b.is_unknown()) return Value::unknown();
  ctx.at(node);
  if (is_member(a) || is_member(b)) {
    if (const auto own = class_binary(ctx, op, a, b, node, left, right)) return *own;
    if (const auto flags = flags_together(ctx, op, a, b, node)) return *flags;
  }
  if (a.is_number() && b.is_number() && op != BinaryOp::MatMult)
    return arithmetic(ctx, op, a, b, node, left, right);
  if (is_mask(a) || is_mask(b)) {
    if (auto mask = mask_binary(ctx, op, a, b, node, left, right)) return *mask;
    return binary(ctx, op, number_of_mask(ctx, a, left), number_of_mask(ctx, b, right), node, left,
                  right);
  }
  if (are_complex(a, b)) return complex_binary(ctx, op, a, b, node, left, right);
  if (a.contains_unknown() || b.contains_unknown()) return Value::unknown();
  if (std::optional<Value> own = class_binary(ctx, op, a, b, node, left, right)) return *own;
  if (is_vector(a) || is_vector(b)) {
    const Value x = vector_of_position(ctx, a), y = vector_of_position(ctx, b);
    return vector_binary(ctx, op, x, y, node, left, right);
  }
  if (std::optional<Value> targets = target_operation(op, a, b)) return *targets;
  if (std::optional<Value> text = text_operation(ctx, op, a, b, node)) return *text;
  if (std::optional<Value> tuple = tuple_operation(ctx, op, a, b, node, left, right)) return *tuple;
  for (const Value* v : {&a, &b})
    if (v->is<Value::Object>()) return wrong_kind(ctx, {}, v == &a ? left : right, *v, {});
  std::vector<std::string> args = operation_text(op, type_text(a), type_text(b));
  args.push_back(operand_hint(a, b));
  return operator_error(ctx, DiagCode::operand_types, node, left, right, sign_of(op),
                        std::move(args));
}

Value arithmetic(Context& ctx, BinaryOp op, Value a, Value b, const Node* node, const Node* left,
                 const Node* right) {
  const bool bools = is_bool(a.code()) && is_bool(b.code());
  if ((bools || ctx.policy.lone_bools_are_ints) && !is_bitwise(op))
    for (Value* v : {&a, &b})
      if (is_bool(v->code())) *v = convert(ctx, *v, ctx.policy.bool_arithmetic, node);
  const std::optional<TypeCode> common = ctx.policy.operator_type(a.code(), b.code());
  if (!common) {
    std::vector<std::string> args = operation_text(op, type_text(a), type_text(b));
    args.push_back(what_it_is(left, a));
    return operator_error(ctx, DiagCode::no_promotion, node, left, right, sign_of(op),
                          std::move(args));
  }
  if ((is_bitwise(op) || is_shift(op)) && is_float(*common)) {
    return operator_error(ctx, DiagCode::integers_only, node, left, right, sign_of(op),
                          {std::string(sign_of(op)), type_text(a), type_text(b)});
  }
  if (op != BinaryOp::Pow &&
      !(check_literal(ctx, a, *common, left) && check_literal(ctx, b, *common, right)))
    return Value::unknown();
  warn_of_precision(ctx, a, *common, left ? left : node);
  if (!is_shift(op)) warn_of_precision(ctx, b, *common, right ? right : node);
  switch (op) {
    case BinaryOp::Div:
      return same_type(ctx, op, ctx.policy.true_divide(a.code(), b.code(), *common), a, b, node);
    case BinaryOp::FloorDiv:
    case BinaryOp::Mod:
      return floor_divide(ctx, op, *common, a, b, node);
    case BinaryOp::Pow:
      return power(ctx, a, b, *common, node);
    default:
      return same_type(ctx, op, *common, a, b, node);
  }
}

Value same_type(Context& ctx, BinaryOp op, TypeCode code, const Value& a, const Value& b,
                const Node* node) {
  const Value x = convert(ctx, a, code, node), y = convert(ctx, b, code, node);
  if (x.is_unknown() || y.is_unknown()) return Value::unknown();
  if (x.exact() && y.exact()) {
    if (std::optional<Exact> r = fold(op, code, *x.exact(), *y.exact()))
      return Value::constant(code, *r);
    const bool too_large =
        is_weak(code) && is_int(code) && op != BinaryOp::FloorDiv && op != BinaryOp::Mod;
    if (too_large && is_shift(op) && y.exact()->integer < 0)
      return error(ctx, DiagCode::negative_shift, node, {to_text(y.exact()->integer)});
    if (too_large) return error(ctx, DiagCode::constant_too_large, node, {"the result"});
  }
  const bool intact = keeps_range(op) && x.is_intact() && y.is_intact();
  return Value::number(code,
                       ctx.builder.op(ir_op(op), {inst_of(ctx, x, node), inst_of(ctx, y, node)}),
                       intact && is_int(code));
}

static Value invert(Context& ctx, const Value& v, const Node* node) {
  if (is_float(v.code())) return error(ctx, DiagCode::unary_type, node, {"~", type_text(v)});
  if (!v.exact()) return Value::number(v.code(), ctx.builder.op(Op::Not, {v.inst()}));
  if (is_bool(v.code())) return Value::boolean(!v.exact()->integer);
  return Value::constant(v.code(),
                         converted({~v.exact()->integer, 0}, TypeCode::weak_int, v.code()));
}

Value unary(Context& ctx, const syntax::UnaryOp* node) {
  if (node->op == "Not") return negated(ctx, condition(ctx, node->operand), node);
  return unary(ctx, node->op, expr(ctx, node->operand), node);
}

Value unary(Context& ctx, const std::string& op, const Value& operand, const Node* node) {
  if (operand.is_unknown()) return operand;
  ctx.at(node);
  if (is_mask(operand) && op == "Invert") return mask_complement(ctx, operand);
  const Value v = number_of_mask(ctx, operand, node);
  if (std::optional<Value> own = class_unary(ctx, op, v, node)) return *own;
  if (is_vector(v))
    return each_component(ctx, v, node,
                          [&](const Value& c) { return unary_number(ctx, op, c, node); });
  if (v.is_complex()) return complex_unary(ctx, op, v, node);
  if (op == "Invert") {
    if (std::optional<Value> targets = target_complement(v)) return *targets;
    if (std::optional<Value> flags = flags_complement(ctx, v, node)) return *flags;
  }
  if (!v.is_number()) {
    const std::string sign = op == "USub" ? "-" : op == "UAdd" ? "+" : "~";
    return wrong_kind(ctx, DiagCode::unary_type, node, v, {sign, type_text(v)});
  }
  return unary_number(ctx, op, v, node);
}

Value unary_number(Context& ctx, const std::string& op, const Value& v, const Node* node) {
  if (op == "Invert") return invert(ctx, v, node);
  const Value number = is_bool(v.code()) ? convert(ctx, v, ctx.policy.bool_arithmetic, node) : v;
  return op == "USub" ? negative(ctx, number, node) : number;
}

Value negative(Context& ctx, const Value& v, const Node* node) {
  if (!v.exact())
    return Value::number(v.code(), ctx.builder.op(Op::Neg, {v.inst()}),
                         is_float(v.code()) && v.is_intact());
  if (is_float(v.code())) return Value::constant(v.code(), {0, -v.exact()->real});
  return same_type(ctx, BinaryOp::Sub, v.code(), Value::constant_int(v.code(), 0), v, node);
}

Value clamped(Context& ctx, const Value& v, TypeCode code, const Node* node) {
  const Limits given = limits_of(v), type = limits_of(code);
  if (is_within(given, type)) return convert(ctx, v, code, node);
  if (v.exact())
    return Value::constant_int(code, std::clamp(v.exact()->integer, type.least, type.most));
  const TypeCode own = fixed(v.code());
  const auto at = [&](const Value& x, __int128 limit, Op op) {
    return min_max(ctx, x, Value::constant_int(own, limit), op, node);
  };
  Value near = convert(ctx, v, own, node);
  if (given.most > type.most) near = at(near, type.most, Op::Min);
  if (given.least < type.least) near = at(near, type.least, Op::Max);
  return convert(ctx, near, code, node);
}

// The type of the smaller or larger one of two integers: of the common type, a builtin int and
// int64 the first that has it, whichever it is. -1 is not the largest uint32.
static TypeCode type_of_best(const Context& ctx, const Value& a, const Value& b, Op op,
                             TypeCode common) {
  if (!ctx.policy.compares_exactly || !is_int(common) || a.code() == b.code()) return common;
  const Limits x = limits_of(a), y = limits_of(b);
  const Limits best = op == Op::Min ? Limits{std::min(x.least, y.least), std::min(x.most, y.most)}
                                    : Limits{std::max(x.least, y.least), std::max(x.most, y.most)};
  for (const TypeCode code : {common, ctx.policy.int_literal(0), TypeCode::i8})
    if (is_within(best, limits_of(code))) return code;
  return common;
}

// Whether it is the number that Python has at this place, but for what wraps around in its format.
static bool is_sound(const Value& v) { return !is_weak(v.code()) || v.is_intact(); }

Value min_max(Context& ctx, const Value& a, const Value& b, Op op, const Node* node) {
  if (a.is_unknown() || b.is_unknown()) return Value::unknown();
  const std::optional<TypeCode> common = ctx.policy.unify(a.code(), b.code());
  if (!common) return error(ctx, DiagCode::no_common_choice, node, {type_text(a), type_text(b)});
  const TypeCode code = type_of_best(ctx, a, b, op, *common);
  const bool exactly = ctx.policy.compares_exactly && is_int(code) && !is_weak(*common);
  const auto as_best = [&](const Value& v) {
    return exactly ? clamped(ctx, v, code, node) : convert(ctx, v, code, node);
  };
  const Value x = as_best(a), y = as_best(b);
  if (x.is_unknown() || y.is_unknown()) return Value::unknown();
  if (x.exact() && y.exact()) {
    const CompareOp better = op == Op::Min ? CompareOp::Lt : CompareOp::Gt;
    return fold(better, code, *y.exact(), *x.exact()) ? y : x;
  }
  if (is_bool(code)) op = op == Op::Min ? Op::And : Op::Or;
  const bool intact = is_int(code) ? is_sound(a) && is_sound(b) : x.is_intact() && y.is_intact();
  return Value::number(code, ctx.builder.op(op, {inst_of(ctx, x, node), inst_of(ctx, y, node)}),
                       intact);
}

}  // namespace cuda_device::frontend
