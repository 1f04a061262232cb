// Comparisons. Integers of different signedness are compared as the numbers they are.
#include "frontend/operators/operators.h"

#include <algorithm>

#include "frontend/choices.h"
#include "frontend/complex/complex.h"
#include "frontend/control/generators.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/diagnosis/operator_names.h"
#include "frontend/expressions.h"
#include "frontend/operators/class_operators.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/ranges.h"
#include "frontend/records/enumerations.h"
#include "frontend/records/records.h"
#include "frontend/texts/texts.h"
#include "frontend/warps/warps.h"
#include "support/check.h"

namespace cuda_device::frontend {
namespace {

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

TypeCode int_code(int bits, bool without_sign) {
  for (const TypeCode c : {TypeCode::i1, TypeCode::i2, TypeCode::i4, TypeCode::i8, TypeCode::u1,
                           TypeCode::u2, TypeCode::u4, TypeCode::u8})
    if (bits_of(c) == bits && is_unsigned(c) == without_sign) return c;
  CD_UNREACHABLE("no such integer");
}

// The narrowest type with every value of two types of integers or bools that are not both bools and
// of which no 64-bit one is unsigned while the other is signed.
TypeCode holds_both(TypeCode a, TypeCode b) {
  if (is_bool(a)) return b;
  if (is_bool(b)) return a;
  const int bits = std::max(bits_of(a), bits_of(b));
  if (is_unsigned(a) == is_unsigned(b)) return int_code(bits, is_unsigned(a));
  const int of_unsigned = bits_of(is_unsigned(a) ? a : b);
  return int_code(std::max(bits, 2 * of_unsigned), false);
}

}  // namespace

static Value compare_values(Context& ctx, CompareOp op, const Value& a, const Value& b,
                            const Node* node, const Node* left, const Node* right);

Value both(Context& ctx, const Value& a, const Value& b, Op op, const Node* node) {
  if (a.is_unknown() || b.is_unknown()) return Value::unknown();
  for (const Value* v : {&a, &b}) {
    if (!v->exact()) continue;
    const Value& other = v == &a ? b : a;
    const bool decides = (v->exact()->integer != 0) == (op == Op::Or);
    return decides ? *v : other;
  }
  ctx.at(node);
  return Value::number(TypeCode::b1, ctx.builder.op(op, {a.inst(), b.inst()}));
}

// Whether one of many is equal; none after the first that is gets compared. Arrays of several axes
// are searched whole, as NumPy does.
static void compare_each(Context& ctx, const Value& a, const Value& b, const Node* node,
                         const Node* left, const Node* right, const Take& take) {
  const auto compared = [&](const Value& element) {
    if (element.is_array() || element.choice_of_arrays())
      return compare_each(ctx, a, element, node, left, right, take);
    take(compare_values(ctx, CompareOp::Eq, a, element, node, left, right));
  };
  if (auto* generator = b.as<Value::Generator>()) return each_generated(ctx, *generator, compared);
  const std::optional<Iteration> it = iteration_of(ctx, b, right);
  if (!it || it->length.is_unknown()) return;
  counted(ctx, it->length, right, [&](const Value& at) { compared(it->element(at)); });
}

static Value contains(Context& ctx, CompareOp op, const Value& a, const Value& b, const Node* node,
                      const Node* left, const Node* right) {
  if (const auto own = class_call(ctx, b, "__contains__", {a}, node)) {
    if (own->is_unknown()) return *own;
    const Value is_in = truth(ctx, *own, node);
    return op == CompareOp::NotIn && !is_in.is_unknown() ? negated(ctx, is_in, node) : is_in;
  }
  if (auto* range = b.as<Value::Range>(); range && ctx.policy.has_sequences) {
    const Value is_in = is_in_range(ctx, *range, a, left);
    return op == CompareOp::NotIn && !is_in.is_unknown() ? negated(ctx, is_in, node) : is_in;
  }
  if (const auto of_texts = text_compare(ctx, op, a, b, node)) return *of_texts;
  std::optional<Value> of_members = is_among_flags(ctx, a, b, node);
  if (is_enumeration(b)) of_members = contains_member(ctx, b.as<Value::Class>()->type, a, node);
  if (of_members && op == CompareOp::NotIn && !of_members->is_unknown())
    return negated(ctx, *of_members, node);
  if (of_members) return *of_members;
  auto* array = b.as<Value::Array>();
  const bool many = (array && array->type.ndim > 0 && !array->reference) ||
                    b.is<Value::Generator>() || b.choice_of_arrays();
  if (many && ctx.policy.has_sequences) {
    const Value any = decided(ctx, false, node, [&](const Take& take) {
      compare_each(ctx, a, b, node, left, right, take);
    });
    return op == CompareOp::NotIn ? negated(ctx, any, node) : any;
  }
  const std::optional<std::vector<Value>> elements = elements_of(ctx, b);
  if (!elements) {
    return operator_error(
        ctx, DiagCode::needs_tuple, node, left, right, sign_of(op),
        {std::string(sign_of(op)), type_text(b),
         ctx.policy.has_sequences ? "a tuple, a range, an array or a generator expression"
                                  : "a tuple"});
  }
  Value any = Value::boolean(false);
  for (const Value& element : *elements)
    any = both(ctx, any, compare_values(ctx, CompareOp::Eq, a, element, node, left, right), Op::Or,
               node);
  return op == CompareOp::NotIn ? negated(ctx, any, node) : any;
}

// Arguments of the errors of comparisons.
static std::vector<std::string> compared_text(CompareOp op, const Value& a, const Value& b) {
  return {std::string(sign_of(op)), type_text(a), type_text(b),
          read_it_hint(a, read_it_hint(b, "numbers can be compared, and tuples of them"))};
}

static Value compare_same(Context& ctx, CompareOp op, TypeCode code, const Value& a, const Value& b,
                          const Node* node) {
  const Value x = convert(ctx, a, code, node), y = convert(ctx, b, code, node);
  if (x.is_unknown() || y.is_unknown()) return Value::unknown();
  return Value::number(TypeCode::b1,
                       ctx.builder.op(ir_op(op), {inst_of(ctx, x, node), inst_of(ctx, y, node)}));
}

// A constant takes part with its exact value.
static Value compare_with_constant(Context& ctx, CompareOp op, const Value& a, const Value& b,
                                   const Node* node) {
  const __int128 value = b.exact()->integer;
  TypeCode type = fixed(a.code());
  if (is_bool(type))
    type = is_equality(op) && (value == 0 || value == 1) ? TypeCode::b1 : TypeCode::i4;
  const bool inside = is_bool(type) || fits(value, type);
  // Beyond the format's range every number compares as zero does.
  if (!inside) return Value::boolean(fold(op, TypeCode::i8, {0, 0}, {value, 0}));
  return compare_same(ctx, op, type, a, Value::constant_int(type, value), node);
}

// A signed number with a uint64: the negative ones are below everything.
static Value compare_mixed(Context& ctx, CompareOp op, const Value& a, const Value& b) {
  Inst* zero = constant_inst(ctx, a.inst()->type, 0);
  Inst* below = ctx.builder.op(Op::Lt, {a.inst(), zero});
  Inst* unsigned_a = ctx.builder.typed(Op::Convert, b.inst()->type, {a.inst()});
  Inst* result = ctx.builder.op(ir_op(op), {unsigned_a, b.inst()});
  const bool true_below = op == CompareOp::Lt || op == CompareOp::LtE || op == CompareOp::NotEq;
  if (true_below) return Value::number(TypeCode::b1, ctx.builder.op(Op::Or, {below, result}));
  Inst* not_below = ctx.builder.op(Op::Not, {below});
  return Value::number(TypeCode::b1, ctx.builder.op(Op::And, {not_below, result}));
}

// Both in the type that they meet in: -1 is the largest number of an unsigned one.
static Value compare_wrapped(Context& ctx, CompareOp op, Value a, Value b, const Node* node) {
  if (is_bool(a.code()) && is_bool(b.code()) && !is_equality(op)) {
    a = convert(ctx, a, ctx.policy.bool_arithmetic, node);
    b = convert(ctx, b, ctx.policy.bool_arithmetic, node);
  }
  const TypeCode common = *ctx.policy.operator_type(a.code(), b.code());
  a = convert(ctx, a, common, node);
  b = convert(ctx, b, common, node);
  if (a.exact() && b.exact()) return Value::boolean(fold(op, common, *a.exact(), *b.exact()));
  return compare_same(ctx, op, common, a, b, node);
}

static Value compare_integers(Context& ctx, CompareOp op, const Value& a, const Value& b,
                              const Node* node) {
  if (!ctx.policy.compares_exactly) return compare_wrapped(ctx, op, a, b, node);
  if (a.exact() && b.exact()) return Value::boolean(fold(op, TypeCode::i8, *a.exact(), *b.exact()));
  if (b.exact()) return compare_with_constant(ctx, op, a, b, node);
  if (a.exact()) return compare_with_constant(ctx, mirrored(op), b, a, node);
  const TypeCode x = fixed(a.code()), y = fixed(b.code());
  if (is_bool(x) && is_bool(y))
    return compare_same(ctx, op, is_equality(op) ? TypeCode::b1 : TypeCode::i4, a, b, node);
  if (x == TypeCode::u8 && is_signed(y)) return compare_mixed(ctx, mirrored(op), b, a);
  if (y == TypeCode::u8 && is_signed(x)) return compare_mixed(ctx, op, a, b);
  // Every other pair meets in a type that holds both.
  return compare_same(ctx, op, holds_both(x, y), a, b, node);
}

// An integer that is written in the program is compared with a float exactly: one that the format
// lacks lies between two of its numbers, of which the lower one, or minus infinity, decides.
static std::optional<Value> compare_with_integer(Context& ctx, CompareOp op, const Value& a,
                                                 const Value& b, const Node* node) {
  if (a.exact() || !b.exact() || !is_weak(b.code()) || !is_int(b.code())) return std::nullopt;
  const TypeCode code = computed_in(fixed(a.code()));
  const double below = number_at_most(b.exact()->integer, code);
  const Value bound = Value::constant(code, {0, below});
  if (is_exactly(below, b.exact()->integer)) return compare_same(ctx, op, code, a, bound, node);
  switch (op) {
    case CompareOp::Eq:
      return Value::boolean(false);
    case CompareOp::NotEq:
      return Value::boolean(true);
    case CompareOp::Lt:
    case CompareOp::LtE:
      return compare_same(ctx, CompareOp::LtE, code, a, bound, node);
    default:
      return compare_same(ctx, CompareOp::Gt, code, a, bound, node);
  }
}

static Value compare_numbers(Context& ctx, CompareOp op, Value a, Value b, const Node* node,
                             const Node* left, const Node* right) {
  if (is_whole(a.code()) && is_whole(b.code())) return compare_integers(ctx, op, a, b, node);
  if (is_float(a.code()))
    if (std::optional<Value> v = compare_with_integer(ctx, op, a, b, node)) return *v;
  if (is_float(b.code()))
    if (std::optional<Value> v = compare_with_integer(ctx, mirrored(op), b, a, node)) return *v;
  const std::optional<TypeCode> common = ctx.policy.operator_type(a.code(), b.code());
  if (!common) {
    return operator_error(ctx, DiagCode::cannot_compare, node, left, right, sign_of(op),
                          compared_text(op, a, b));
  }
  a = implicitly_converted(ctx, a, *common, left ? left : node);
  b = implicitly_converted(ctx, b, *common, right ? right : node);
  if (a.is_unknown() || b.is_unknown()) return Value::unknown();
  if (a.exact() && b.exact()) return Value::boolean(fold(op, *common, *a.exact(), *b.exact()));
  return Value::number(TypeCode::b1,
                       ctx.builder.op(ir_op(op), {inst_of(ctx, a, node), inst_of(ctx, b, node)}));
}

// Equal where all parts are: of tuples, of records of one class, of vectors.
static Value compare_fields(Context& ctx, CompareOp op, const Value& a, const Value& b,
                            const Node* node, const Node* left, const Node* right) {
  Value all = Value::boolean(a.parts().size() == b.parts().size());
  for (size_t i = 0; i < a.parts().size() && i < b.parts().size(); ++i) {
    const Value same =
        compare_values(ctx, CompareOp::Eq, a.parts()[i], b.parts()[i], node, left, right);
    all = both(ctx, all, same, Op::And, node);
  }
  return op == CompareOp::NotEq ? negated(ctx, all, node) : all;
}

// As Python orders tuples: by the first elements that are not equal, else by the number of
// elements.
static Value order_tuples(Context& ctx, CompareOp op, const Value& a, const Value& b, size_t from,
                          const Node* node, const Node* left, const Node* right) {
  const auto m = a.elements().size(), n = b.elements().size();
  if (from == std::min(m, n))
    return Value::boolean(
        fold(op, TypeCode::i8, {static_cast<__int128>(m), 0}, {static_cast<__int128>(n), 0}));
  const Value &x = a.elements()[from], &y = b.elements()[from];
  const Value same = compare_values(ctx, CompareOp::Eq, x, y, node, left, right);
  if (same.is_unknown()) return same;
  const auto rest = [&] { return order_tuples(ctx, op, a, b, from + 1, node, left, right); };
  if (same.exact() && same.exact()->integer) return rest();
  const Value here = compare_values(ctx, op, x, y, node, left, right);
  if (same.exact()) return here;
  const Value after = rest();
  if (here.is_unknown() || after.is_unknown()) return Value::unknown();
  return select(ctx, same, after, here, Value::number(TypeCode::b1, nullptr), node);
}

// The fields of an instance of a dataclass that == or < looks at, as field(compare=) says.
static Value compared_part(const Value& object, CompareOp op) {
  const std::vector<syntax::Field>& fields = class_of(object)->decl->fields;
  std::vector<Value> part;
  for (size_t i = 0; i < fields.size(); ++i)
    if (is_equality(op) ? fields[i].in_equality : fields[i].in_order)
      part.push_back(object.parts()[i]);
  return Value::tuple(std::move(part));
}

// Instances of dataclasses of one class are compared by their fields where the class was declared
// so; of two classes, none is equal. Nothing: they have no such comparison.
static std::optional<Value> compare_objects(Context& ctx, CompareOp op, const Value& a,
                                            const Value& b, const Node* node, const Node* left,
                                            const Node* right) {
  const RecordRef cls = class_of(a);
  if (cls != class_of(b))
    return is_equality(op) ? std::optional(Value::boolean(is_negative(op))) : std::nullopt;
  if (is_equality(op) && !cls->decl->has_equality)
    return error(ctx, DiagCode::compared_by_identity, node, {cls->name});
  if (!is_equality(op) && !cls->decl->is_ordered) return std::nullopt;
  const Value x = compared_part(a, op), y = compared_part(b, op);
  if (is_equality(op)) return compare_fields(ctx, op, x, y, node, left, right);
  return order_tuples(ctx, op, x, y, 0, node, left, right);
}

// Whether one of several functions is another one. Nothing: neither is chosen at run time, or they
// hold values that may differ.
static std::optional<Value> compare_functions(Context& ctx, CompareOp op, const Value& a,
                                              const Value& b, const Node* node) {
  const bool chosen = a.choice_of_functions() || b.choice_of_functions();
  if (!chosen || !(is_equality(op) || is_identity(op))) return std::nullopt;
  const std::optional<Value> all = join(ctx, abstract_of(a), abstract_of(b));
  auto* choice = all ? all->choice_of_functions() : nullptr;
  const auto holds_values = [](const Value& f) { return !f.parts().empty(); };
  if (!choice || std::ranges::any_of(alternatives_of(*choice), holds_values)) return std::nullopt;
  return compare(ctx, is_negative(op) ? CompareOp::NotEq : CompareOp::Eq,
                 number_among(ctx, *choice, a, node), number_among(ctx, *choice, b, node), node);
}

static Value compare_values(Context& ctx, CompareOp op, const Value& a, const Value& b,
                            const Node* node, const Node* left, const Node* right) {
  if (a.contains_unknown() || b.contains_unknown()) return Value::unknown();
  if (is_identity(op) && lacks(ctx, "Is", node)) return Value::unknown();
  ctx.at(node);
  if (op == CompareOp::In || op == CompareOp::NotIn)
    return contains(ctx, op, a, b, node, left, right);
  if ((is_mask(a) || is_mask(b)) && !is_identity(op) && (is_mask(a) || a.is_number()) &&
      (is_mask(b) || b.is_number()))
    return compare_numbers(ctx, op, compared_bits(ctx, a, left), compared_bits(ctx, b, right), node,
                           left, right);
  if (std::optional<Value> own = class_compare(ctx, op, a, b, node, left, right)) return *own;
  if (a.is_number() && b.is_number() && !is_identity(op))
    return compare_numbers(ctx, op, a, b, node, left, right);
  if (const auto of_texts = text_compare(ctx, op, a, b, node)) return *of_texts;
  if (is_vector(a) && is_vector(b) && is_equality(op))
    return compare_fields(ctx, op, vector_of_position(ctx, a), vector_of_position(ctx, b), node,
                          left, right);
  if (a.is<Value::Range>() && b.is<Value::Range>() && is_equality(op)) {
    const Value equal = equal_ranges(ctx, *a.as<Value::Range>(), *b.as<Value::Range>(), node);
    return op == CompareOp::NotEq && !equal.is_unknown() ? negated(ctx, equal, node) : equal;
  }
  const bool records = a.is_record() && b.is_record() && a.record().type == b.record().type;
  if (records && is_equality(op)) return compare_fields(ctx, op, a, b, node, left, right);
  if (are_complex(a, b) && !is_identity(op))
    return complex_compare(ctx, op, a, b, node, left, right);
  if ((is_plain_object(a) || is_plain_object(b)) && !is_identity(op))
    if (const auto result = compare_objects(ctx, op, a, b, node, left, right)) return *result;
  const bool tuples = a.is_tuple() && b.is_tuple() && !is_plain_object(a) && !is_plain_object(b);
  if (tuples && is_equality(op)) return compare_fields(ctx, op, a, b, node, left, right);
  if (tuples && !is_identity(op)) return order_tuples(ctx, op, a, b, 0, node, left, right);
  if (const auto of_members = compare_members(ctx, op, a, b, node)) return *of_members;
  if (const auto of_functions = compare_functions(ctx, op, a, b, node)) return *of_functions;
  // Only the class of an object is known, and two of one class may differ.
  for (const Value* v : {&a, &b})
    if (v->is<Value::Object>() && !a.is_none() && !b.is_none())
      return wrong_kind(ctx, {}, v == &a ? left : right, *v, {});
  const bool by_name =
      !a.is_array() && !a.is_number() && !a.is_aggregate() && !a.is<Value::Choice>();
  const bool same_kind = by_name && a.alternatives().index() == b.alternatives().index();
  const bool with_none = a.is_none() || b.is_none();
  if ((is_equality(op) || is_identity(op)) && (same_kind || with_none))
    return Value::boolean(same_abstract(a, b) != is_negative(op));
  const DiagCode code = is_identity(op) ? DiagCode::cannot_identify : DiagCode::cannot_compare;
  return operator_error(ctx, code, node, left, right, sign_of(op), compared_text(op, a, b));
}

Value compare(Context& ctx, CompareOp op, const Value& a, const Value& b, const Node* node) {
  return compare_values(ctx, op, a, b, node, node, node);
}

// left op[i] c[i] op[i+1] c[i+1] ...; each operand is evaluated once, and only if all before it
// held.
static Value compare_rest(Context& ctx, const syntax::Compare* node, size_t i, const Value& left,
                          const Node* left_node) {
  const Level level(ctx.levels);
  if (too_deep(ctx, node)) return Value::unknown();
  const Node* right_node = node->comparators[i];
  const Value right = expr(ctx, right_node);
  const Value result =
      compare_values(ctx, *compare_named(node->ops[i]), left, right, node, left_node, right_node);
  if (i + 1 == node->comparators.size()) return result;
  const Node* next = node->comparators[i + 1];
  if (result.exact() && !result.exact()->integer) {
    carry(ctx, next, PathEnd::Otherwise);
    return result;
  }
  Captured rest =
      rest_of(ctx, next, [&] { return compare_rest(ctx, node, i + 1, right, right_node); });
  if (result.exact()) {
    splice(ctx, rest.block);
    return rest.value;
  }
  if (result.is_unknown() || rest.value.is_unknown()) return Value::unknown();
  return combine(ctx, result, result, true, std::move(rest), node, next);
}

Value compare(Context& ctx, const syntax::Compare* node) {
  const Value left = expr(ctx, node->left);
  return compare_rest(ctx, node, 0, left, node->left);
}

}  // namespace cuda_device::frontend
