// The conversions of Op::Convert.
#pragma once

#include <cmath>
#include <limits>

#include "ir/integer_math.h"

namespace cuda_device::ir {

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

template <class To, class From>
To convert(From x) {
  if constexpr (std::same_as<To, bool>) {
    return x != From{0};
  } else if constexpr (Integer<To> && Float<From>) {
    return saturate<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace cuda_device::ir
