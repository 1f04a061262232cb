// Numbers as the bits of a float format and back, for every format that scalar.def can describe.
// What C++ has a type for goes through that type.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <string>

#include "support/scalar.h"

namespace cuda_device {

// Rounds to the nearest number, of two to the even one. Beyond the largest: as the format
// overflows.
uint64_t encode(const FloatFormat& format, double value);
uint64_t encode_integer(const FloatFormat& format, __int128 value);  // rounded once
double decode(const FloatFormat& format, uint64_t bits);
// Whether a finite number is rounded to one beyond the largest.
bool overflows(const FloatFormat& format, double value);
double largest(const FloatFormat& format);

// Bits as Inst::imm of a constant holds them: zero above the format's.
int64_t float_bits(ScalarKind kind, double value);
int64_t float_bits_of_integer(ScalarKind kind, __int128 value);
double float_of_bits(ScalarKind kind, int64_t bits);
bool overflows(ScalarKind kind, double value);

// The C++ type T is this format.
template <class T>
constexpr bool is_native(ScalarKind kind) {
  using Limits = std::numeric_limits<T>;
  const FloatFormat& f = format_of(kind);
  return is_float(kind) && f.specials == Specials::Ieee && f.overflow == Overflow::Infinity &&
         f.significand == Limits::digits && f.max_exponent() == Limits::max_exponent - 1;
}

// A double whose shortest digits are the fewest that give these bits again.
double shortest_double(ScalarKind kind, int64_t bits);

// f(number) with a float or a double whose shortest digits are those of the format.
template <class F>
auto with_shortest(ScalarKind kind, int64_t bits, F&& f) {
  if (is_native<float>(kind)) return f(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (is_native<double>(kind)) return f(std::bit_cast<double>(bits));
  return f(shortest_double(kind, bits));
}

}  // namespace cuda_device
