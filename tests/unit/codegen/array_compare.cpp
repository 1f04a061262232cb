#include "unit/codegen/array_compare.h"

#include <cmath>
#include <sstream>

namespace cuda_device::codegen::test {
namespace {

int64_t element(const uint8_t* at, size_t size) {
  int64_t bits = 0;
  std::memcpy(&bits, at, size);
  return bits;
}

// Bits of floats in the order of their values.
uint64_t ordered(ScalarKind kind, int64_t bits) {
  const uint64_t sign = uint64_t{1} << (bits_of(kind) - 1);
  const auto u = static_cast<uint64_t>(bits);
  return u & sign ? sign - (u & ~sign) : sign + u;
}

bool is_near(ScalarKind kind, int64_t x, int64_t y, uint64_t ulps) {
  const bool x_nan = std::isnan(ir::float_of_bits(kind, x));
  const bool y_nan = std::isnan(ir::float_of_bits(kind, y));
  if (x_nan || y_nan) return x_nan && y_nan;
  const uint64_t a = ordered(kind, x), b = ordered(kind, y);
  return (a > b ? a - b : b - a) <= ulps && (ulps > 0 || x == y);
}

bool same(ScalarKind kind, int64_t x, int64_t y, uint64_t ulps) {
  return x == y || (is_float(kind) && is_near(kind, x, y, ulps));
}

std::string text_of(ScalarKind kind, int64_t bits) {
  std::ostringstream out;
  out.precision(17);
  if (is_float(kind)) out << ir::float_of_bits(kind, bits) << ", ";
  out << std::hex << std::showbase << bits;
  return out.str();
}

}  // namespace

std::optional<std::string> first_difference(const TestArray& actual, const TestArray& expected,
                                            uint64_t ulps) {
  if (actual.bytes == expected.bytes) return std::nullopt;
  const auto size = static_cast<size_t>(bytes_of(actual.kind));
  const auto first = static_cast<size_t>(actual.offset) % size;
  for (size_t at = first; at + size <= actual.bytes.size(); at += size) {
    const int64_t x = element(&actual.bytes[at], size), y = element(&expected.bytes[at], size);
    if (same(actual.kind, x, y, ulps)) continue;
    const int64_t number = (static_cast<int64_t>(at) - actual.offset) / static_cast<int64_t>(size);
    return "element " + std::to_string(number) + " is " + text_of(actual.kind, x) + ", expected " +
           text_of(actual.kind, y);
  }
  return std::nullopt;
}

}  // namespace cuda_device::codegen::test
