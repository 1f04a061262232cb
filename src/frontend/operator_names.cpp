#include "frontend/operator_names.h"

namespace cuda_device::frontend {
namespace {

struct BinaryName {
  std::string_view python_class, sign, verb;
};
// In the order of BinaryOp.
constexpr BinaryName kBinary[] = {
    {"Add", "+", "add"},
    {"Sub", "-", "subtract"},
    {"Mult", "*", "multiply"},
    {"Div", "/", "divide"},
    {"FloorDiv", "//", "floor-divide"},
    {"Mod", "%", "take the remainder of"},
    {"Pow", "**", "raise to a power"},
    {"LShift", "<<", "shift"},
    {"RShift", ">>", "shift"},
    {"BitAnd", "&", "apply & to"},
    {"BitOr", "|", "apply | to"},
    {"BitXor", "^", "apply ^ to"},
    {"MatMult", "@", "matrix-multiply"},
};

struct CompareName {
  std::string_view python_class, sign;
};
// In the order of CompareOp.
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
std::string_view verb_of(BinaryOp op) { return kBinary[static_cast<size_t>(op)].verb; }

}  // namespace cuda_device::frontend
