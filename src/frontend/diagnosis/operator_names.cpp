#include "frontend/diagnosis/operator_names.h"

#include <utility>

namespace cuda_device::frontend {
namespace {

struct BinaryName {
  std::string_view python_class, sign, verb, joint;
};
// Indexed by BinaryOp.
constexpr BinaryName kBinary[] = {
    {"Add", "+", "add", "and"},
    {"Sub", "-", "subtract", "from"},
    {"Mult", "*", "multiply", "and"},
    {"Div", "/", "divide", "by"},
    {"FloorDiv", "//", "floor-divide", "by"},
    {"Mod", "%", "take the remainder of", "divided by"},
    {"Pow", "**", "raise", "to the power of"},
    {"LShift", "<<", "shift", "by"},
    {"RShift", ">>", "shift", "by"},
    {"BitAnd", "&", "apply & to", "and"},
    {"BitOr", "|", "apply | to", "and"},
    {"BitXor", "^", "apply ^ to", "and"},
    {"MatMult", "@", "matrix-multiply", "and"},
};

struct CompareName {
  std::string_view python_class, sign;
};
// Indexed by CompareOp.
constexpr CompareName kCompare[] = {
    {"Eq", "=="},  {"NotEq", "!="}, {"Lt", "<"},         {"LtE", "<="}, {"Gt", ">"},
    {"GtE", ">="}, {"Is", "is"},    {"IsNot", "is not"}, {"In", "in"},  {"NotIn", "not in"},
};

template <class Op, class Name, size_t N>
std::optional<Op> find(const Name (&names)[N], std::string_view python_class) {
  for (size_t i = 0; i < N; ++i)
    if (names[i].python_class == python_class) return static_cast<Op>(i);
  return std::nullopt;
}

}  // namespace

std::optional<BinaryOp> binary_named(std::string_view name) {
  return find<BinaryOp>(kBinary, name);
}
std::optional<CompareOp> compare_named(std::string_view name) {
  return find<CompareOp>(kCompare, name);
}
std::string_view sign_of(BinaryOp op) { return kBinary[static_cast<size_t>(op)].sign; }
std::string_view sign_of(CompareOp op) { return kCompare[static_cast<size_t>(op)].sign; }

std::vector<std::string> operation_text(BinaryOp op, std::string left, std::string right) {
  const BinaryName& name = kBinary[static_cast<size_t>(op)];
  if (op == BinaryOp::Sub) std::swap(left, right);
  return {std::string(name.verb), std::move(left), std::string(name.joint), std::move(right)};
}

}  // namespace cuda_device::frontend
