// The numeric types of the language by their short codes: i4 is int32, weak_int a builtin int.
// promotion.def lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "support/scalar.h"

namespace cuda_device::frontend {

enum class TypeCode : uint8_t {
#define NUMERIC(code, name, kind, bits) code,
#include "frontend/promotion.def"
};

enum class Kind : uint8_t { Bool, Int, Uint, Float, Complex };

struct NumericInfo {
  std::string_view code;
  std::string_view name;
  Kind kind;
  uint8_t bits;
};

inline constexpr NumericInfo kNumericInfo[] = {
#define NUMERIC(code, name, kind, bits) {#code, name, Kind::kind, bits},
#include "frontend/promotion.def"
};
inline constexpr int kNumericCount = sizeof(kNumericInfo) / sizeof(kNumericInfo[0]);
inline constexpr int kFixedCount = static_cast<int>(TypeCode::weak_int);

constexpr const NumericInfo& info(TypeCode c) { return kNumericInfo[static_cast<int>(c)]; }
constexpr std::string_view name_of(TypeCode c) { return info(c).name; }
constexpr bool is_weak(TypeCode c) { return c >= TypeCode::weak_int; }
constexpr bool is_bool(TypeCode c) { return info(c).kind == Kind::Bool; }
constexpr bool is_unsigned(TypeCode c) { return info(c).kind == Kind::Uint; }
constexpr bool is_signed(TypeCode c) { return info(c).kind == Kind::Int; }
constexpr bool is_int(TypeCode c) { return is_signed(c) || is_unsigned(c); }
constexpr bool is_float(TypeCode c) { return info(c).kind == Kind::Float; }
constexpr bool is_complex(TypeCode c) { return info(c).kind == Kind::Complex; }
constexpr int bits_of(TypeCode c) { return info(c).bits; }

// A weak type without its weakness: int32, float32, complex64, or those of twice the bits.
constexpr TypeCode fixed(TypeCode c) {
  switch (c) {
    case TypeCode::weak_int:
      return TypeCode::i4;
    case TypeCode::weak_float:
      return TypeCode::f4;
    case TypeCode::weak_complex:
      return TypeCode::c8;
    case TypeCode::wide_int:
      return TypeCode::i8;
    case TypeCode::wide_float:
      return TypeCode::f8;
    case TypeCode::wide_complex:
      return TypeCode::c16;
    default:
      return c;
  }
}

// What the IR computes in; nothing for complex numbers, which have two components.
constexpr std::optional<ScalarKind> scalar_of(TypeCode c) {
  return scalar_named(name_of(fixed(c)));
}

// A fixed format or builtin of 32 bits by its Python name: "float32", "int".
constexpr std::optional<TypeCode> numeric_named(std::string_view name) {
  for (int i = 0; i < kNumericCount; ++i)
    if (kNumericInfo[i].name == name) return static_cast<TypeCode>(i);
  return std::nullopt;
}

constexpr TypeCode code_of(ScalarKind k) { return *numeric_named(name_of(k)); }

// What several operations in a row are done in before the result is rounded once: float32 for the
// floats that are only stored.
constexpr TypeCode computed_in(TypeCode c) {
  const std::optional<ScalarKind> scalar = scalar_of(c);
  return scalar && is_storage_only(*scalar) ? code_of(computed_in(*scalar)) : c;
}

// What the two tables say of one format.
consteval bool has_numeric(ScalarKind k) {
  const std::optional<TypeCode> code = numeric_named(name_of(k));
  if (!code || is_weak(*code) || bits_of(*code) != bits_of(k)) return false;
  return is_bool(*code) == is_bool(k) && is_float(*code) == is_float(k) &&
         is_signed(*code) == is_signed_int(k) && is_unsigned(*code) == is_unsigned_int(k);
}
consteval bool all_have_numeric() {
  for (int i = 0; i < kScalarCount; ++i)
    if (!has_numeric(static_cast<ScalarKind>(i))) return false;
  return true;
}
static_assert(all_have_numeric(), "promotion.def has a row of its own for each line of scalar.def");

}  // namespace cuda_device::frontend
