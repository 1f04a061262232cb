#include "support/float_format.h"

#include <charconv>
#include <cmath>

namespace cuda_device {
namespace {

constexpr uint64_t ones(int bits) { return (uint64_t{1} << bits) - 1; }

uint64_t sign_bit(const FloatFormat& f) { return uint64_t{1} << (f.bits() - 1); }
uint64_t infinity(const FloatFormat& f) { return ones(f.exponent) << f.fraction(); }
uint64_t quiet_nan(const FloatFormat& f) {
  if (f.specials == Specials::Finite) return ones(f.bits() - 1);
  return infinity(f) | uint64_t{1} << (f.fraction() - 1);
}
uint64_t largest_bits(const FloatFormat& f) {
  return f.has_infinity() ? infinity(f) - 1 : ones(f.bits() - 1) - 1;
}

// The bits of a rounded magnitude, as if exponents had no end. A significand that is rounded up to
// the next power of two carries into the exponent by itself.
uint64_t rounded_bits(const FloatFormat& f, double magnitude) {
  if (magnitude == 0) return 0;
  const int exponent = std::max(std::ilogb(magnitude), f.min_exponent());
  const double units = std::ldexp(magnitude, f.fraction() - exponent);  // of the last place
  const double whole = std::floor(units), rest = units - whole;
  auto significand = static_cast<uint64_t>(whole);
  significand += rest > 0.5 || (rest == 0.5 && (significand & 1));
  return (static_cast<uint64_t>(exponent - f.min_exponent()) << f.fraction()) + significand;
}

uint64_t overflowed(const FloatFormat& f) {
  return f.overflow == Overflow::Saturate || !f.has_infinity() ? largest_bits(f) : infinity(f);
}

// Rounds to 53 bits; inexact results end in an odd bit, so that rounding them to fewer bits is as
// rounding once.
double rounded_to_odd(__int128 value) {
  const bool negative = value < 0;
  auto rest =
      negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  int shift = 0;
  bool inexact = false;
  for (; rest >> 53 != 0; rest >>= 1, ++shift) inexact |= (rest & 1) != 0;
  const double magnitude =
      std::ldexp(static_cast<double>(static_cast<uint64_t>(rest) | inexact), shift);
  return negative ? -magnitude : magnitude;
}

}  // namespace

uint64_t encode(const FloatFormat& f, double value) {
  const uint64_t sign = std::signbit(value) ? sign_bit(f) : 0;
  if (std::isnan(value)) return sign | quiet_nan(f);
  if (std::isinf(value)) return sign | overflowed(f);
  const uint64_t bits = rounded_bits(f, std::fabs(value));
  return sign | (bits > largest_bits(f) ? overflowed(f) : bits);
}

uint64_t encode_integer(const FloatFormat& f, __int128 value) {
  return encode(f, rounded_to_odd(value));
}

double decode(const FloatFormat& f, uint64_t bits) {
  const uint64_t magnitude = bits & ones(f.bits() - 1);
  const auto signed_as_bits = [&](double v) { return bits & sign_bit(f) ? -v : v; };
  if (f.has_infinity() && magnitude == infinity(f))
    return signed_as_bits(std::numeric_limits<double>::infinity());
  if (magnitude > largest_bits(f)) return signed_as_bits(std::numeric_limits<double>::quiet_NaN());
  const auto field = static_cast<int>(magnitude >> f.fraction());
  const uint64_t fraction = magnitude & ones(f.fraction());
  const uint64_t significand = field == 0 ? fraction : fraction | uint64_t{1} << f.fraction();
  const int exponent = std::max(field, 1) - 1 + f.min_exponent();
  return signed_as_bits(std::ldexp(static_cast<double>(significand), exponent - f.fraction()));
}

bool overflows(const FloatFormat& f, double value) {
  return std::isfinite(value) && rounded_bits(f, std::fabs(value)) > largest_bits(f);
}

double largest(const FloatFormat& f) { return decode(f, largest_bits(f)); }

int64_t float_bits(ScalarKind kind, double value) {
  CD_CHECK(is_float(kind), "not a float type: " + std::string(name_of(kind)));
  if (is_native<float>(kind)) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (is_native<double>(kind)) return std::bit_cast<int64_t>(value);
  return static_cast<int64_t>(encode(format_of(kind), value));
}

int64_t float_bits_of_integer(ScalarKind kind, __int128 value) {
  if (is_native<float>(kind)) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (is_native<double>(kind)) return std::bit_cast<int64_t>(static_cast<double>(value));
  return static_cast<int64_t>(encode_integer(format_of(kind), value));
}

double float_of_bits(ScalarKind kind, int64_t bits) {
  CD_CHECK(is_float(kind), "not a float type: " + std::string(name_of(kind)));
  if (is_native<float>(kind)) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (is_native<double>(kind)) return std::bit_cast<double>(bits);
  return decode(format_of(kind), static_cast<uint64_t>(bits));
}

bool overflows(ScalarKind kind, double value) {
  if (is_native<float>(kind)) return std::isinf(static_cast<float>(value)) && std::isfinite(value);
  return !is_native<double>(kind) && overflows(format_of(kind), value);
}

double shortest_double(ScalarKind kind, int64_t bits) {
  const double exact = float_of_bits(kind, bits);
  if (!std::isfinite(exact)) return exact;
  char text[64];
  for (int digits = 1; digits <= round_trip_digits(kind); ++digits) {
    const auto scientific = std::chars_format::scientific;
    const auto end = std::to_chars(text, text + sizeof text, exact, scientific, digits - 1).ptr;
    double shorter = 0;
    std::from_chars(text, end, shorter);
    if (float_bits(kind, shorter) == bits) return shorter;
  }
  return exact;
}

}  // namespace cuda_device
