#include "frontend/operators/exact.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "support/check.h"
#include "support/float_format.h"

namespace cuda_device::frontend {
namespace {

__int128 wrapped(__int128 value, TypeCode code) {
  if (is_weak(code)) return value;
  const int unused = 128 - bits_of(code);
  const auto shifted = static_cast<unsigned __int128>(value) << unused;
  if (is_unsigned(code)) return static_cast<__int128>(shifted >> unused);
  return static_cast<__int128>(shifted) >> unused;
}

__int128 lowest(TypeCode code) {
  return is_unsigned(code) ? 0 : -(static_cast<__int128>(1) << (bits_of(code) - 1));
}

__int128 highest(TypeCode code) {
  return (static_cast<__int128>(1) << (bits_of(code) - (is_unsigned(code) ? 0 : 1))) - 1;
}

__int128 saturated(double value, TypeCode code) {
  if (std::isnan(value)) return 0;
  if (is_weak(code) && has_integer(value)) return static_cast<__int128>(value);
  if (value <= static_cast<double>(lowest(code))) return lowest(code);
  if (value >= static_cast<double>(highest(code))) return highest(code);
  return static_cast<__int128>(value);
}

// Weak floats are kept as doubles: they are rounded when they meet a format.
double rounded(double value, TypeCode code) {
  if (is_weak(code)) return value;
  const ScalarKind kind = scalar_of(code).value();
  return float_of_bits(kind, float_bits(kind, value));
}

// The integer itself is rounded: by way of double it would be rounded twice.
double rounded(__int128 value, TypeCode code) {
  if (is_weak(code)) return static_cast<double>(value);
  const ScalarKind kind = scalar_of(code).value();
  return float_of_bits(kind, float_bits_of_integer(kind, value));
}

std::optional<Exact> fold_int(BinaryOp op, TypeCode code, __int128 a, __int128 b) {
  __int128 r = 0;
  switch (op) {
    case BinaryOp::Add:
      if (__builtin_add_overflow(a, b, &r)) return std::nullopt;
      break;
    case BinaryOp::Sub:
      if (__builtin_sub_overflow(a, b, &r)) return std::nullopt;
      break;
    case BinaryOp::Mult:
      if (__builtin_mul_overflow(a, b, &r)) return std::nullopt;
      break;
    case BinaryOp::FloorDiv:
    case BinaryOp::Mod: {
      if (b == 0) return std::nullopt;
      const __int128 q = a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
      r = op == BinaryOp::FloorDiv ? q : a - q * b;
      break;
    }
    case BinaryOp::LShift:
      if (b < 0 || b > 120 || (b > 0 && (a >> (126 - b)) != 0 && (a >> (126 - b)) != -1))
        return std::nullopt;
      r = a * (static_cast<__int128>(1) << b);
      break;
    case BinaryOp::RShift:
      if (b < 0 || b > 120) return std::nullopt;
      r = a >> b;
      break;
    case BinaryOp::BitAnd:
      r = a & b;
      break;
    case BinaryOp::BitOr:
      r = a | b;
      break;
    case BinaryOp::BitXor:
      r = a ^ b;
      break;
    default:
      return std::nullopt;
  }
  return Exact{wrapped(r, code), 0};
}

// Operands are exact doubles of half the precision at most, or doubles: rounding the double result
// is rounding once.
std::optional<Exact> fold_float(BinaryOp op, TypeCode code, double a, double b) {
  switch (op) {
    case BinaryOp::Add:
      return Exact{0, rounded(a + b, code)};
    case BinaryOp::Sub:
      return Exact{0, rounded(a - b, code)};
    case BinaryOp::Mult:
      return Exact{0, rounded(a * b, code)};
    case BinaryOp::Div:
      return Exact{0, rounded(a / b, code)};
    default:
      return std::nullopt;
  }
}

template <class T>
bool compare(CompareOp op, T a, T b) {
  switch (op) {
    case CompareOp::Eq:
      return a == b;
    case CompareOp::NotEq:
      return a != b;
    case CompareOp::Lt:
      return a < b;
    case CompareOp::LtE:
      return a <= b;
    case CompareOp::Gt:
      return a > b;
    case CompareOp::GtE:
      return a >= b;
    default:
      CD_UNREACHABLE("not a comparison of numbers");
  }
}

}  // namespace

bool identical(TypeCode code, const Exact& a, const Exact& b) {
  if (!is_float(code)) return a.integer == b.integer;
  return std::bit_cast<uint64_t>(a.real) == std::bit_cast<uint64_t>(b.real);
}

std::string to_text(__int128 value) {
  if (value == 0) return "0";
  std::string digits;
  auto rest =
      value < 0 ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  for (; rest != 0; rest /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  return value < 0 ? "-" + digits : digits;
}

std::string to_text(TypeCode code, const Exact& value) {
  if (is_bool(code)) return value.integer ? "True" : "False";
  if (is_int(code)) return to_text(value.integer);
  if (std::isnan(value.real)) return "nan";
  if (std::isinf(value.real)) return value.real < 0 ? "-inf" : "inf";
  char text[40];
  std::string out(text, std::to_chars(text, text + sizeof text, value.real).ptr);
  return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

bool has_integer(double value) { return std::fabs(std::trunc(value)) < 0x1p100; }

bool fits(__int128 value, TypeCode code) { return value >= lowest(code) && value <= highest(code); }

Limits limits_of(TypeCode code) {
  return is_bool(code) ? Limits{0, 1} : Limits{lowest(code), highest(code)};
}

bool is_within(const Limits& part, const Limits& whole) {
  return whole.least <= part.least && part.most <= whole.most;
}

Exact converted(const Exact& value, TypeCode from, TypeCode to) {
  if (is_bool(to)) return {truth(from, value) ? 1 : 0, 0};
  if (!is_weak(from)) to = fixed(to);
  if (is_float(to)) {
    return {0, is_float(from) ? rounded(value.real, to) : rounded(value.integer, to)};
  }
  if (is_float(from)) return {saturated(value.real, to), 0};
  return {wrapped(value.integer, to), 0};
}

static bool is_above(double number, __int128 value) {
  return number >= 0x1p127 || static_cast<__int128>(number) > value;
}

double number_at_most(__int128 value, TypeCode code) {
  const double nearest = rounded(value, code);
  if (!is_above(nearest, value)) return nearest;
  const ScalarKind kind = scalar_of(code).value();
  return float_of_bits(kind, float_bits(kind, nearest) + (nearest > 0 ? -1 : 1));
}

bool is_exactly(double number, __int128 value) {
  return !is_above(number, value) && static_cast<__int128>(number) == value;
}

bool overflows(const Exact& value, TypeCode from, TypeCode to) {
  const double real = is_float(from) ? value.real : static_cast<double>(value.integer);
  return cuda_device::overflows(scalar_of(to).value(), real);
}

bool truth(TypeCode code, const Exact& value) {
  return is_float(code) ? value.real != 0 : value.integer != 0;
}

std::optional<Exact> fold(BinaryOp op, TypeCode code, const Exact& a, const Exact& b) {
  if (is_float(code)) return fold_float(op, code, a.real, b.real);
  if (is_int(code)) return fold_int(op, code, a.integer, b.integer);
  if (!is_bool(code)) return std::nullopt;
  switch (op) {
    case BinaryOp::BitAnd:
      return Exact{a.integer & b.integer, 0};
    case BinaryOp::BitOr:
      return Exact{a.integer | b.integer, 0};
    case BinaryOp::BitXor:
      return Exact{a.integer ^ b.integer, 0};
    default:
      return std::nullopt;
  }
}

bool fold(CompareOp op, TypeCode code, const Exact& a, const Exact& b) {
  return is_float(code) ? compare(op, a.real, b.real) : compare(op, a.integer, b.integer);
}

}  // namespace cuda_device::frontend
