// Numbers known at compile time, exact until they meet a format, and arithmetic on them.
#pragma once

#include <optional>
#include <string>

#include "frontend/operators/numeric.h"

namespace cuda_device::frontend {

// A constant of some TypeCode. Bool and integers are in `integer`, floats in `real`.
struct Exact {
  __int128 integer = 0;
  double real = 0;
};

enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mult,
  Div,
  FloorDiv,
  Mod,
  Pow,
  LShift,
  RShift,
  BitAnd,
  BitOr,
  BitXor,
  MatMult,
};

enum class CompareOp : uint8_t { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };

// Same value and same bits: -0.0 is not 0.0, a NaN is itself.
bool identical(TypeCode code, const Exact& a, const Exact& b);

// As Python prints it.
std::string to_text(TypeCode code, const Exact& value);
std::string to_text(__int128 value);

// Whether the integer lies in the format's range.
bool fits(__int128 value, TypeCode int_code);

// Between which integers one lies.
struct Limits {
  __int128 least, most;
};
Limits limits_of(TypeCode int_or_bool);
bool is_within(const Limits& part, const Limits& whole);

// Whether what is left of it without its fraction can be a constant; not so of infinity and NaN.
bool has_integer(double value);

// The value in another format: wrapped, rounded, truncated and saturated as the IR's convert does.
// What is weak stays exact in a weak format; what has a format takes the 32 bits of the builtin, as
// it does when the kernel runs.
Exact converted(const Exact& value, TypeCode from, TypeCode to);

// The largest number of the format that is not above the integer.
double number_at_most(__int128 value, TypeCode float_code);
bool is_exactly(double number, __int128 value);

// A finite number that becomes infinite in the format.
bool overflows(const Exact& value, TypeCode from, TypeCode float_code);

bool truth(TypeCode code, const Exact& value);

// Both operands are of type `code`, which is also the result's. Nothing: not folded (a zero
// divisor, a shift out of range, a weak integer beyond 128 bits); the caller says what that means.
std::optional<Exact> fold(BinaryOp op, TypeCode code, const Exact& a, const Exact& b);
bool fold(CompareOp op, TypeCode code, const Exact& a, const Exact& b);

}  // namespace cuda_device::frontend
