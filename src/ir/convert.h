// The conversions of Op::Convert.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "ir/integer_math.h"
#include "support/float_format.h"

namespace cuda_device::ir {

template <int bytes>
using BitsOf = std::conditional_t<
    bytes == 1, uint8_t,
    std::conditional_t<bytes == 2, uint16_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>>;

// A number of a format that is only stored.
template <ScalarKind kind>
struct StoredNumber {
  static constexpr ScalarKind kStored = kind;
  static constexpr int64_t kSign = int64_t{1} << (bits_of(kind) - 1);
  BitsOf<bytes_of(kind)> bits;
  double value() const { return float_of_bits(kind, bits); }
  static StoredNumber rounded(int64_t bits) {
    return {static_cast<decltype(StoredNumber::bits)>(bits)};
  }
};

// Truncates; beyond the range its nearest end; NaN is 0.
template <Integer To, Float From>
To saturate(From x) {
  using Limits = std::numeric_limits<To>;
  // Both bounds are powers of two (or 0), so exact in From; the largest To itself need not be.
  const From low = static_cast<From>(Limits::min());
  const From beyond = std::ldexp(From{1}, Limits::digits);
  if (std::isnan(x)) return 0;
  if (x <= low) return Limits::min();
  if (x >= beyond) return Limits::max();
  return static_cast<To>(x);
}

// Rounded once: from the integer itself, or from a double, which holds every float.
template <Stored To, class From>
To store(From x) {
  if constexpr (std::integral<From>)
    return To::rounded(float_bits_of_integer(To::kStored, x));
  else
    return To::rounded(float_bits(To::kStored, static_cast<double>(x)));
}

// a * b + c for numbers whose product a double holds: rounded to 53 bits, inexact results to the
// neighbour whose last bit is odd, so that rounding them to fewer bits is as rounding once.
inline double fma_to_odd(double a, double b, double c) {
  const double product = a * b, sum = product + c;
  const double added = sum - product;
  const double error = (product - (sum - added)) + (c - added);
  const bool inexact = error < 0 || error > 0;  // no NaN
  if (!inexact || std::bit_cast<uint64_t>(sum) % 2 == 1) return sum;
  return std::nextafter(sum, error > 0 ? HUGE_VAL : -HUGE_VAL);
}

template <class To, class From>
To convert(From x) {
  if constexpr (std::same_as<To, From>) {
    return x;
  } else if constexpr (Stored<From>) {
    return convert<To>(x.value());
  } else if constexpr (Stored<To>) {
    return store<To>(x);
  } else if constexpr (std::same_as<To, bool>) {
    return x != From{0};
  } else if constexpr (Integer<To> && Float<From>) {
    return saturate<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace cuda_device::ir
