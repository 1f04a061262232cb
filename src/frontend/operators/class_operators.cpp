#include "frontend/operators/class_operators.h"

#include "frontend/calls/calls.h"
#include "frontend/expressions.h"
#include "frontend/records/records.h"

namespace cuda_device::frontend {
namespace {

// The name in `__name__`, and in `__rname__` of the operand on the right.
const char* method_name(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add:
      return "add";
    case BinaryOp::Sub:
      return "sub";
    case BinaryOp::Mult:
      return "mul";
    case BinaryOp::Div:
      return "truediv";
    case BinaryOp::FloorDiv:
      return "floordiv";
    case BinaryOp::Mod:
      return "mod";
    case BinaryOp::Pow:
      return "pow";
    case BinaryOp::LShift:
      return "lshift";
    case BinaryOp::RShift:
      return "rshift";
    case BinaryOp::BitAnd:
      return "and";
    case BinaryOp::BitOr:
      return "or";
    case BinaryOp::BitXor:
      return "xor";
    case BinaryOp::MatMult:
      return "matmul";
  }
  return "";
}

// The methods of the operand on the left, and on the right: a > b is b < a there.
struct Comparison {
  const char *left, *right;
};

std::optional<Comparison> comparison(CompareOp op) {
  switch (op) {
    case CompareOp::Eq:
      return {{"__eq__", "__eq__"}};
    case CompareOp::NotEq:
      return {{"__ne__", "__ne__"}};
    case CompareOp::Lt:
      return {{"__lt__", "__gt__"}};
    case CompareOp::LtE:
      return {{"__le__", "__ge__"}};
    case CompareOp::Gt:
      return {{"__gt__", "__lt__"}};
    case CompareOp::GtE:
      return {{"__ge__", "__le__"}};
    default:
      return std::nullopt;
  }
}

std::optional<Value> call_operator(Context& ctx, const Value& self, const std::string& method,
                                   const Node* node, const Value* other, const Node* source) {
  const std::optional<Value::MemberFunction> member = method_named(self, method);
  if (!member) return std::nullopt;
  Arguments a;
  a.node = ctx.session.call_of(node);
  if (other) {
    a.positional = {*other};
    a.sources = {source};
  }
  return call_member(ctx, *member, std::move(a));
}

}  // namespace

std::optional<Value> class_binary(Context& ctx, BinaryOp op, const Value& a, const Value& b,
                                  const Node* node, const Node* left, const Node* right) {
  const std::string name = method_name(op);
  // `a += b`: by __iadd__ where there is one.
  if (node->kind == syntax::NodeKind::AugAssign)
    if (auto v = call_operator(ctx, a, "__i" + name + "__", node, &b, right)) return v;
  if (auto v = call_operator(ctx, a, "__" + name + "__", node, &b, right)) return v;
  return call_operator(ctx, b, "__r" + name + "__", node, &a, left);
}

// A tuple to Python, named or not: it has each comparison, its class may have others.
static bool is_tuple(const Value& v) { return v.is_tuple() && !is_plain_object(v); }

// Whether a tuple is of a class that is made from the other's: its comparison is asked first.
static bool is_derived(Context& ctx, const Value& tuple, const Value& from) {
  const RecordRef cls = class_of(tuple), base = class_of(from);
  return cls && cls != base && (!base || is_of_class(ctx.session, tuple, base));
}

std::optional<Value> class_compare(Context& ctx, CompareOp op, const Value& a, const Value& b,
                                   const Node* node, const Node* left, const Node* right) {
  const std::optional<Comparison> methods = comparison(op);
  if (!methods) return std::nullopt;
  const auto by_left = [&] { return call_operator(ctx, a, methods->left, node, &b, right); };
  const auto by_right = [&] { return call_operator(ctx, b, methods->right, node, &a, left); };
  if (is_tuple(a) && is_tuple(b)) return is_derived(ctx, b, a) ? by_right() : by_left();
  // What the class of a member of an IntEnum does not define of it is int's, which knows numbers.
  const bool ints_own = a.is_number() && a.enumeration() && b.is_number();
  std::optional<Value> v = by_left();
  if (!v && !ints_own) v = by_right();
  if (v || op != CompareOp::NotEq) return v;
  // Python's own `!=` is `not ==`.
  v = class_compare(ctx, CompareOp::Eq, a, b, node, left, right);
  if (v && !v->is_unknown()) v = negated(ctx, truth(ctx, *v, node), node);
  return v;
}

std::optional<Value> class_unary(Context& ctx, const std::string& op, const Value& v,
                                 const Node* node) {
  const char* name = op == "USub" ? "__neg__" : op == "UAdd" ? "__pos__" : "__invert__";
  return call_operator(ctx, v, name, node, nullptr, nullptr);
}

std::optional<Value> class_call(Context& ctx, const Value& self, const std::string& method,
                                const std::vector<Value>& arguments, const Node* node) {
  const std::optional<Value::MemberFunction> member = method_named(self, method);
  if (!member) return std::nullopt;
  Arguments a;
  a.node = ctx.session.call_of(node);
  a.positional = arguments;
  a.sources.assign(arguments.size(), node);
  return call_member(ctx, *member, std::move(a));
}

}  // namespace cuda_device::frontend
