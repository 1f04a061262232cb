// Scalar kinds: the one enumeration that compiler and runtime share.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cuda_device {

enum class ScalarKind : uint8_t {
#define SCALAR(name, text, bytes, kind) name,
#include "support/scalar.def"
};

enum class NumberClass : uint8_t { Bool, Int, Uint, Float };

struct ScalarInfo {
  std::string_view name;
  uint8_t bytes;
  NumberClass number_class;
};

inline constexpr ScalarInfo kScalarInfo[] = {
#define SCALAR(name, text, bytes, kind) {text, bytes, NumberClass::kind},
#include "support/scalar.def"
};
inline constexpr int kScalarCount = sizeof(kScalarInfo) / sizeof(kScalarInfo[0]);

constexpr const ScalarInfo& info(ScalarKind k) { return kScalarInfo[static_cast<int>(k)]; }
constexpr std::string_view name_of(ScalarKind k) { return info(k).name; }
constexpr int bytes_of(ScalarKind k) { return info(k).bytes; }
constexpr int bits_of(ScalarKind k) { return info(k).bytes * 8; }
constexpr bool is_bool(ScalarKind k) { return info(k).number_class == NumberClass::Bool; }
constexpr bool is_signed_int(ScalarKind k) { return info(k).number_class == NumberClass::Int; }
constexpr bool is_unsigned_int(ScalarKind k) { return info(k).number_class == NumberClass::Uint; }
constexpr bool is_int(ScalarKind k) { return is_signed_int(k) || is_unsigned_int(k); }
constexpr bool is_float(ScalarKind k) { return info(k).number_class == NumberClass::Float; }

constexpr std::optional<ScalarKind> scalar_named(std::string_view name) {
  for (int i = 0; i < kScalarCount; ++i)
    if (kScalarInfo[i].name == name) return static_cast<ScalarKind>(i);
  return std::nullopt;
}

}  // namespace cuda_device
