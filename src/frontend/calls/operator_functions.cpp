// The functions of the modules operator and functools: operators on values that are not written
// with their sign.
#include "frontend/calls/handlers.h"

#include "frontend/calls/intrinsics.h"
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

// functools.reduce of elements whose number is known.
Value call_reduce(Context& ctx, const Arguments& a, const Intrinsic&) {
  const Node* node = argument_node(a, 1);
  std::optional<std::vector<Value>> elements = all_elements(ctx, a.positional[1], node);
  if (!elements) return Value::unknown();
  if (a.positional.size() > 2) elements->insert(elements->begin(), a.positional[2]);
  if (elements->empty())
    return error(ctx, DiagCode::empty_sequence, node,
                 {"reduce", "give it one element at least, or a third argument"});
  Value total = elements->front();
  for (size_t k = 1; k < elements->size(); ++k) {
    total = call_nth(ctx, a.positional[0], {total, (*elements)[k]}, a.node, k);
    if (total.is_unknown()) break;
  }
  return total;
}

}  // namespace cuda_device::frontend
