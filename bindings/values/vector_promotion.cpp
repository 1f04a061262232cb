#include "bindings/values/vector_promotion.h"

#include <algorithm>

namespace cuda_device::bindings {
namespace {

using enum TypeCode;

constexpr std::optional<TypeCode> xx = std::nullopt;
constexpr std::optional<TypeCode> kTable[frontend::kNumericCount][frontend::kFixedCount] = {
#define DEVICE_COMMON(row, ...) {__VA_ARGS__},
#include "frontend/promotion.def"
};

bool is_64_bit_int(TypeCode c) { return is_int(c) && bits_of(c) == 64; }

}  // namespace

std::optional<TypeCode> common_type(TypeCode a, TypeCode b) {
  if (!is_weak(b)) return kTable[static_cast<size_t>(a)][static_cast<size_t>(b)];
  if (!is_weak(a)) return kTable[static_cast<size_t>(b)][static_cast<size_t>(a)];
  return std::max(a, b);  // listed as int, float, complex
}

TypeCode true_divide_type(TypeCode a, TypeCode b, TypeCode common) {
  if (is_float(common)) return common;
  return is_64_bit_int(a) || is_64_bit_int(b) ? f8 : f4;
}

}  // namespace cuda_device::bindings
