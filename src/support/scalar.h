// Scalar kinds, the one enumeration that compiler and runtime share, and what scalar.def says of
// them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/check.h"

namespace cuda_device {

enum class ScalarKind : uint8_t {
#define SCALAR(name, text, bytes, kind) name,
#include "support/scalar.def"
};

enum class NumberClass : uint8_t { Bool, Int, Uint, Float };

// The floats that arithmetic is done in, and those that are only stored, each an enumeration of its
// own: a switch over one of them that lacks a format does not compile.
enum class ComputeFormat : uint8_t {
#define FLOAT(name, ...) name = static_cast<uint8_t>(ScalarKind::name),
#include "support/scalar.def"
};
enum class StoredFormat : uint8_t {
#define STORED_FLOAT(name, ...) name = static_cast<uint8_t>(ScalarKind::name),
#include "support/scalar.def"
};

enum class Specials : uint8_t { Ieee, Finite };
enum class Overflow : uint8_t { Infinity, Saturate };

// A binary float: a sign, the exponent's field, the significand without its leading one.
struct FloatFormat {
  uint8_t significand = 0;
  uint8_t exponent = 0;
  Specials specials = Specials::Ieee;
  Overflow overflow = Overflow::Infinity;

  constexpr int bits() const { return significand + exponent; }
  constexpr int fraction() const { return significand - 1; }
  constexpr int bias() const { return (1 << (exponent - 1)) - 1; }
  // The exponents of the smallest normal number and of the largest finite one.
  constexpr int min_exponent() const { return 1 - bias(); }
  constexpr int max_exponent() const { return bias() + (specials == Specials::Finite); }
  constexpr bool has_infinity() const { return specials == Specials::Ieee; }
};

struct ScalarInfo {
  std::string_view name;
  uint8_t bytes;
  NumberClass number_class;
  FloatFormat format = {};  // of floats
  bool stored = false;      // a float that is only stored
  ScalarKind compute = {};  // the float that its arithmetic is done in
};

inline constexpr ScalarInfo kScalarInfo[] = {
#define SCALAR(name, text, bytes, kind) {text, bytes, NumberClass::kind},
#define FLOAT(name, text, bytes, significand, exponent, specials, overflow, ...) \
  {text,                                                                         \
   bytes,                                                                        \
   NumberClass::Float,                                                           \
   {significand, exponent, Specials::specials, Overflow::overflow},              \
   false,                                                                        \
   ScalarKind::name},
#define STORED_FLOAT(name, text, bytes, significand, exponent, specials, overflow, dlpack, numpy, \
                     compute)                                                                     \
  {text,                                                                                          \
   bytes,                                                                                         \
   NumberClass::Float,                                                                            \
   {significand, exponent, Specials::specials, Overflow::overflow},                               \
   true,                                                                                          \
   static_cast<ScalarKind>(ComputeFormat::compute)},
#include "support/scalar.def"
};
inline constexpr int kScalarCount = sizeof(kScalarInfo) / sizeof(kScalarInfo[0]);

inline constexpr ScalarKind kComputedFloats[] = {
#define FLOAT(name, ...) ScalarKind::name,
#include "support/scalar.def"
};

constexpr const ScalarInfo& info(ScalarKind k) { return kScalarInfo[static_cast<int>(k)]; }
constexpr std::string_view name_of(ScalarKind k) { return info(k).name; }
constexpr int bytes_of(ScalarKind k) { return info(k).bytes; }
constexpr int bits_of(ScalarKind k) { return info(k).bytes * 8; }
constexpr bool is_bool(ScalarKind k) { return info(k).number_class == NumberClass::Bool; }
constexpr bool is_signed_int(ScalarKind k) { return info(k).number_class == NumberClass::Int; }
constexpr bool is_unsigned_int(ScalarKind k) { return info(k).number_class == NumberClass::Uint; }
constexpr bool is_int(ScalarKind k) { return is_signed_int(k) || is_unsigned_int(k); }
constexpr bool is_float(ScalarKind k) { return info(k).number_class == NumberClass::Float; }
constexpr bool is_storage_only(ScalarKind k) { return info(k).stored; }

// Defined for floats.
constexpr const FloatFormat& format_of(ScalarKind k) { return info(k).format; }
constexpr int significand_bits(ScalarKind k) { return format_of(k).significand; }
constexpr bool has_infinity(ScalarKind k) { return format_of(k).has_infinity(); }
constexpr ScalarKind computed_in(ScalarKind k) { return info(k).compute; }
// Digits that tell its numbers apart.
constexpr int round_trip_digits(ScalarKind k) { return 2 + significand_bits(k) * 30103 / 100000; }

// The float itself as a format of arithmetic; the compiler's own mistake for any other kind.
constexpr ComputeFormat compute_format(ScalarKind k) {
  CD_CHECK(is_float(k) && !is_storage_only(k),
           "no arithmetic is done in " + std::string(name_of(k)));
  return static_cast<ComputeFormat>(k);
}
constexpr StoredFormat stored_format(ScalarKind k) {
  CD_CHECK(is_storage_only(k), std::string(name_of(k)) + " is not only stored");
  return static_cast<StoredFormat>(k);
}

constexpr std::optional<ScalarKind> scalar_named(std::string_view name) {
  for (int i = 0; i < kScalarCount; ++i)
    if (kScalarInfo[i].name == name) return static_cast<ScalarKind>(i);
  return std::nullopt;
}

// Every value of the one float is a value of the other.
constexpr bool holds_every_value(const FloatFormat& to, const FloatFormat& from) {
  const auto least = [](const FloatFormat& f) { return f.min_exponent() - f.fraction(); };
  return from.significand <= to.significand && from.max_exponent() <= to.max_exponent() &&
         least(from) >= least(to) && (to.has_infinity() || !from.has_infinity());
}

// Every value of `from` is a value of `to`.
constexpr bool holds_every_value(ScalarKind to, ScalarKind from) {
  if (to == from || is_bool(from)) return true;
  if (is_float(from)) return is_float(to) && holds_every_value(format_of(to), format_of(from));
  if (is_bool(to)) return false;
  const int magnitude = bits_of(from) - is_signed_int(from);
  if (is_float(to))
    return magnitude <= significand_bits(to) && magnitude <= format_of(to).max_exponent();
  return magnitude <= bits_of(to) - is_signed_int(to) &&
         (is_signed_int(to) || !is_signed_int(from));
}

// Elements lie at multiples of their size, and their bits are those of the format.
consteval bool is_sound(const ScalarInfo& s) {
  const bool size = s.bytes == 1 || s.bytes == 2 || s.bytes == 4 || s.bytes == 8;
  const bool filled = s.number_class != NumberClass::Float || s.format.bits() == s.bytes * 8;
  const bool computed = !s.stored || holds_every_value(info(s.compute).format, s.format);
  return size && filled && computed;
}
static_assert(std::all_of(kScalarInfo, kScalarInfo + kScalarCount, is_sound),
              "a line of scalar.def contradicts itself");

}  // namespace cuda_device
