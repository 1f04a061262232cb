// The functions of the modules operator and functools: operators on values that are not written
// with their sign.
#include "frontend/calls/handlers.h"

#include "frontend/calls/intrinsics.h"
#include "frontend/calls/sequences.h"
#include "frontend/control/control.h"
#include "frontend/control/iteration.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "support/check.h"

namespace cuda_device::frontend {
namespace {

struct Binary {
  std::string_view name;
  BinaryOp op;
};
constexpr Binary kBinary[] = {
    {"add", BinaryOp::Add},     {"sub", BinaryOp::Sub},           {"mul", BinaryOp::Mult},
    {"truediv", BinaryOp::Div}, {"floordiv", BinaryOp::FloorDiv}, {"mod", BinaryOp::Mod},
    {"pow", BinaryOp::Pow},     {"lshift", BinaryOp::LShift},     {"rshift", BinaryOp::RShift},
    {"and_", BinaryOp::BitAnd}, {"or_", BinaryOp::BitOr},         {"xor", BinaryOp::BitXor},
};

struct Comparison {
  std::string_view name;
  CompareOp op;
};
constexpr Comparison kComparisons[] = {
    {"eq", CompareOp::Eq},  {"ne", CompareOp::NotEq},     {"lt", CompareOp::Lt},
    {"le", CompareOp::LtE}, {"gt", CompareOp::Gt},        {"ge", CompareOp::GtE},
    {"is_", CompareOp::Is}, {"is_not", CompareOp::IsNot},
};

template <class Table>
auto operator_named(const Table& table, const std::string& name) {
  for (const auto& entry : table)
    if (entry.name == name) return entry.op;
  CD_UNREACHABLE("no operator has the name");
}

}  // namespace

Value call_binary_operator(Context& ctx, const Arguments& a, const Intrinsic& i) {
  return binary(ctx, operator_named(kBinary, i.short_name()), a.positional[0], a.positional[1],
                a.node, argument_node(a, 0), argument_node(a, 1));
}

Value call_comparison(Context& ctx, const Arguments& a, const Intrinsic& i) {
  return compare(ctx, operator_named(kComparisons, i.short_name()), a.positional[0],
                 a.positional[1], a.node);
}

Value call_unary_operator(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const std::string name = i.short_name();
  return unary(ctx,
               name == "neg"   ? "USub"
               : name == "pos" ? "UAdd"
                               : "Invert",
               a.positional[0], a.node);
}

// operator.truth and operator.not_
Value call_truth(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const Value v = truth(ctx, a.positional[0], argument_node(a, 0));
  return i.short_name() == "not_" ? negated(ctx, v, a.node) : v;
}

// functools.reduce of elements in straight code; `total` is the third argument, if there is one.
static Value reduced_in_order(Context& ctx, const Arguments& a,
                              const std::vector<Value>& elements) {
  const bool starts = a.positional.size() > 2;
  if (elements.empty() && !starts)
    return error(ctx, DiagCode::empty_sequence, argument_node(a, 1),
                 {"reduce", "give it one element at least, or a third argument"});
  Value total = starts ? a.positional[2] : elements.front();
  for (size_t k = starts ? 0 : 1; k < elements.size() && !total.is_unknown(); ++k)
    total = call_nth(ctx, a.positional[0], {total, elements[k]}, a.node, k);
  return total;
}

// What goes through the elements after the first, which is the total before the loop.
static std::optional<Value> first_of(Context& ctx, const Arguments& a,
                                     std::optional<Iteration>& it) {
  const Node* node = argument_node(a, 1);
  if (!it || it->unrolled) {
    error(ctx, DiagCode::reduce_start, node, {type_text(a.positional[1])});
    return std::nullopt;
  }
  const Value zero = Value::constant_int(ctx.policy.int_literal(0), 0);
  const Value one = Value::constant_int(ctx.policy.int_literal(1), 1);
  fail_unless(ctx, compare(ctx, CompareOp::Gt, it->length, zero, node), a.node,
              {"TypeError", {"reduce() of empty iterable with no initial value"}});
  const TypeCode code = it->length.code();
  const auto element = it->element;
  it->length = same_type(ctx, BinaryOp::Sub, code, it->length, one, node);
  it->element = [&ctx, element, code, one, node](const Value& position) {
    return element(same_type(ctx, BinaryOp::Add, code, position, one, node));
  };
  return element(zero);
}

Value call_reduce(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const Node* node = argument_node(a, 1);
  std::optional<Reduced> given = reduced(ctx, a.positional[1], node);
  if (!given) return Value::unknown();
  if (given->elements) return reduced_in_order(ctx, a, *given->elements);
  const std::optional<Value> start =
      a.positional.size() > 2 ? std::optional(a.positional[2]) : first_of(ctx, a, given->it);
  if (!start) return Value::unknown();
  Hidden total(ctx, a, i.short_name());
  ctx.at(a.node);
  total.set(*start);
  size_t number = 0;
  each(ctx, a.positional[1], given->it ? &*given->it : nullptr, node, [&](const Value& x) {
    total.set(call_nth(ctx, a.positional[0], {total.get(), x}, a.node, number++));
  });
  return total.get();
}

}  // namespace cuda_device::frontend
