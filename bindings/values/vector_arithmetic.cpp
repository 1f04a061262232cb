#include "bindings/values/vector_arithmetic.h"

#include <cmath>

#include "ir/evaluate.h"
#include "support/float_format.h"

namespace cuda_device::bindings {
namespace {

using ir::Op;

// In the format that arithmetic on `kind` is done in.
ScalarKind computed(ScalarKind kind) { return is_float(kind) ? computed_in(kind) : kind; }

int64_t evaluate(Op op, ScalarKind kind, int64_t a, int64_t b = 0) {
  const ScalarKind in = computed(kind);
  const int64_t result =
      ir::evaluator(op, in, in)(converted(kind, in, a), converted(kind, in, b), 0);
  return converted(in, kind, result);
}

// NumPy's divmod, as kernels compute it.
template <class T>
T floor_divide(VectorOp op, T a, T b) {
  T mod = std::fmod(a, b);
  if (b == 0) return op == VectorOp::Mod ? mod : a / b;
  T quotient = (a - mod) / b;
  if (mod == 0) {
    mod = std::copysign(T(0), b);
  } else if ((b < 0) != (mod < 0)) {
    mod += b;
    quotient -= 1;
  }
  if (op == VectorOp::Mod) return mod;
  if (quotient == 0) return std::copysign(T(0), a / b);
  const T whole = std::floor(quotient);
  return quotient - whole > T(0.5) ? whole + 1 : whole;
}

int64_t floor_divide(VectorOp op, ScalarKind kind, int64_t a, int64_t b) {
  const double x = float_of_bits(kind, a), y = float_of_bits(kind, b);
  if (is_native<double>(kind)) return float_bits(kind, floor_divide(op, x, y));
  return float_bits(kind, floor_divide(op, static_cast<float>(x), static_cast<float>(y)));
}

Op op_of(VectorOp op) {
  switch (op) {
    case VectorOp::Add:
      return Op::Add;
    case VectorOp::Sub:
      return Op::Sub;
    case VectorOp::Mul:
      return Op::Mul;
    case VectorOp::Div:
      return Op::Div;
    case VectorOp::FloorDiv:
      return Op::FloorDiv;
    case VectorOp::Mod:
      return Op::FloorMod;
    case VectorOp::Pow:
      return Op::Pow;
    case VectorOp::And:
      return Op::And;
    case VectorOp::Or:
      return Op::Or;
    case VectorOp::Xor:
      return Op::Xor;
    case VectorOp::Shl:
      return Op::Shl;
    case VectorOp::Shr:
      return Op::Shr;
  }
  CD_UNREACHABLE("unknown operation");
}

}  // namespace

int64_t converted(ScalarKind from, ScalarKind to, int64_t a) {
  return from == to ? a : ir::evaluator(Op::Convert, from, to)(a, 0, 0);
}

int64_t compute(VectorOp op, ScalarKind kind, int64_t a, int64_t b) {
  if (is_float(kind) && (op == VectorOp::FloorDiv || op == VectorOp::Mod))
    return floor_divide(op, kind, a, b);
  return evaluate(op_of(op), kind, a, b);
}

int64_t negated(ScalarKind kind, int64_t a) { return evaluate(Op::Neg, kind, a); }
int64_t magnitude(ScalarKind kind, int64_t a) { return evaluate(Op::Abs, kind, a); }
int64_t inverted(ScalarKind kind, int64_t a) { return evaluate(Op::Not, kind, a); }

int64_t integer_power(ScalarKind kind, int64_t base, int64_t exponent, bool negative) {
  if (negative) {  // only 1 and -1 have an inverse that is whole
    if (base == 1) return 1;
    const bool minus_one = is_signed_int(kind) && base == -1;
    return minus_one ? (exponent & 1 ? -1 : 1) : 0;
  }
  int64_t result = 1;
  for (auto rest = static_cast<uint64_t>(exponent); rest != 0; rest >>= 1) {
    if (rest & 1) result = evaluate(Op::Mul, kind, result, base);
    base = evaluate(Op::Mul, kind, base, base);
  }
  return result;
}

}  // namespace cuda_device::bindings
