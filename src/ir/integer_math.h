// Integer arithmetic as op.def words it: modulo 2**bits, nothing undefined.
#pragma once

#include <bit>
#include <concepts>
#include <limits>
#include <type_traits>

namespace cuda_device::ir {

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;
template <class T>
concept Float = std::floating_point<T>;
template <class T>
concept Number = Integer<T> || Float<T>;
// A float that is only stored: its bits (convert.h).
template <class T>
concept Stored = requires { T::kStored; };

template <Integer T>
inline constexpr int kWidth = static_cast<int>(sizeof(T) * 8);

// C++ promotes narrow unsigned operands to signed int, whose overflow is undefined; uint64_t never
// does.
template <Integer T>
constexpr T wrapping_add(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <Integer T>
constexpr T wrapping_sub(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
template <Integer T>
constexpr T wrapping_mul(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

template <Integer T>
constexpr T floor_div(T x, T y) {
  if (y == 0) return static_cast<T>(-1);
  if (std::is_signed_v<T> && y == static_cast<T>(-1)) return wrapping_sub(T{0}, x);
  const T quotient = static_cast<T>(x / y);
  const bool inexact = x % y != 0;
  return static_cast<T>(quotient - (inexact && (x < 0) != (y < 0)));
}

template <Integer T>
constexpr T floor_mod(T x, T y) {
  if (y == 0) return x;
  if (std::is_signed_v<T> && y == static_cast<T>(-1)) return 0;
  const T remainder = static_cast<T>(x % y);
  return remainder != 0 && (remainder < 0) != (y < 0) ? static_cast<T>(remainder + y) : remainder;
}

// The count is read as unsigned.
template <Integer T>
constexpr bool shifts_everything_out(T count) {
  return static_cast<std::make_unsigned_t<T>>(count) >= kWidth<T>;
}
template <Integer T>
constexpr T shift_left(T x, T count) {
  if (shifts_everything_out(count)) return 0;
  return static_cast<T>(static_cast<uint64_t>(x) << count);
}
template <Integer T>
constexpr T shift_right(T x, T count) {
  if (shifts_everything_out(count)) return x < 0 ? static_cast<T>(-1) : T{0};
  return static_cast<T>(x >> count);
}

template <Integer T>
constexpr T reverse_bits(T x) {
  uint64_t out = 0;
  for (int i = 0; i < kWidth<T>; ++i) {
    out |= (static_cast<uint64_t>(x) >> i & 1) << (kWidth<T> - 1 - i);
  }
  return static_cast<T>(out);
}

}  // namespace cuda_device::ir
