// Formats by their columns against what the machine and its C++ library do with them.
#include "support/float_format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace cuda_device {
namespace {

constexpr FloatFormat kFloat16{11, 5, Specials::Ieee, Overflow::Infinity};
constexpr FloatFormat kBfloat16{8, 8, Specials::Ieee, Overflow::Infinity};
constexpr FloatFormat kE4m3{4, 4, Specials::Finite, Overflow::Saturate};
constexpr FloatFormat kE5m2{3, 5, Specials::Ieee, Overflow::Saturate};
constexpr FloatFormat kFloat32 = format_of(ScalarKind::F32);
constexpr FloatFormat kFloat64 = format_of(ScalarKind::F64);

constexpr double kInfinity = std::numeric_limits<double>::infinity();

uint64_t as_float16(double x) { return std::bit_cast<uint16_t>(static_cast<_Float16>(x)); }
uint64_t as_float32(double x) { return std::bit_cast<uint32_t>(static_cast<float>(x)); }

// Numbers of all sizes, denormals, halves of a unit and their neighbours among them.
template <class Check>
void for_many_doubles(Check&& check) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const double x = std::ldexp(static_cast<double>(random() >> (random() % 56)),
                                static_cast<int>(random() % 400) - 256);
    for (double v : {x, -x, std::nextafter(x, kInfinity), std::nextafter(x, -kInfinity)}) check(v);
    check(std::bit_cast<double>(random()));
  }
}

TEST(FloatFormat, RoundsAsTheMachineDoes) {
  for_many_doubles([](double x) {
    if (std::isnan(x)) return;
    ASSERT_EQ(encode(kFloat16, x), as_float16(x)) << x;
    ASSERT_EQ(encode(kFloat32, x), as_float32(x)) << x;
    ASSERT_EQ(encode(kFloat64, x), std::bit_cast<uint64_t>(x)) << x;
  });
}

TEST(FloatFormat, EveryNumberIsItself) {
  for (const FloatFormat& f : {kFloat16, kBfloat16, kE4m3, kE5m2})
    for (uint64_t bits = 0; bits < uint64_t{1} << f.bits(); ++bits) {
      const double x = decode(f, bits);
      if (std::isnan(x)) {
        ASSERT_TRUE(std::isnan(decode(f, encode(f, x))));
      } else if (std::isfinite(x)) {
        ASSERT_EQ(encode(f, x), bits);
        ASSERT_FALSE(overflows(f, x));
      }
    }
}

TEST(FloatFormat, ReadsAsTheMachineDoes) {
  for (unsigned bits = 0; bits < 1u << 16; ++bits) {
    const auto half = std::bit_cast<_Float16>(static_cast<uint16_t>(bits));
    const auto brain = std::bit_cast<float>(bits << 16);
    const double read16 = decode(kFloat16, bits), read_brain = decode(kBfloat16, bits);
    if (std::isnan(read16))
      ASSERT_TRUE(std::isnan(static_cast<float>(half)));
    else
      ASSERT_EQ(std::bit_cast<uint64_t>(read16),
                std::bit_cast<uint64_t>(static_cast<double>(half)));
    if (std::isnan(read_brain))
      ASSERT_TRUE(std::isnan(brain));
    else
      ASSERT_EQ(read_brain, static_cast<double>(brain));
  }
}

// The tables of the OCP 8-bit formats.
TEST(FloatFormat, SmallFloats) {
  EXPECT_EQ(largest(kE4m3), 448);
  EXPECT_EQ(largest(kE5m2), 57344);
  EXPECT_EQ(largest(kFloat16), 65504);
  EXPECT_EQ(decode(kE4m3, 0x01), 0x1p-9);
  EXPECT_EQ(decode(kE5m2, 0x01), 0x1p-16);
  EXPECT_TRUE(std::isnan(decode(kE4m3, 0x7f)));
  EXPECT_TRUE(std::isnan(decode(kE4m3, 0xff)));
  EXPECT_EQ(decode(kE5m2, 0x7c), kInfinity);
}

TEST(FloatFormat, OverflowsAsItsColumnSays) {
  EXPECT_FALSE(overflows(kE4m3, 464));  // half way to what would be 480, and even
  EXPECT_TRUE(overflows(kE4m3, 464.01));
  EXPECT_FALSE(overflows(kFloat16, 65519.99));
  EXPECT_TRUE(overflows(kFloat16, 65520));
  EXPECT_FALSE(overflows(kFloat16, kInfinity));
  EXPECT_FALSE(overflows(kFloat64, std::numeric_limits<double>::max()));
  for_many_doubles([](double x) {
    ASSERT_EQ(overflows(ScalarKind::F32, x), overflows(kFloat32, x)) << x;
    ASSERT_FALSE(overflows(ScalarKind::F64, x)) << x;
  });
  EXPECT_TRUE(overflows(ScalarKind::F32, 0x1.ffffffp127));
  EXPECT_FALSE(overflows(ScalarKind::F32, 0x1.fffffefffffffp127));
  EXPECT_EQ(decode(kE4m3, encode(kE4m3, -1e9)), -448);
  EXPECT_EQ(decode(kE4m3, encode(kE4m3, kInfinity)), 448);
  EXPECT_EQ(decode(kE5m2, encode(kE5m2, kInfinity)), 57344);
  EXPECT_EQ(decode(kFloat16, encode(kFloat16, -65520)), -kInfinity);
}

TEST(FloatFormat, RoundsIntegersOnce) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200000; ++i) {
    const auto wide = static_cast<unsigned __int128>(random()) << 64 | random();
    auto x = static_cast<__int128>(wide >> (1 + random() % 126));
    // Near the middle between two float32 numbers, where way of a double would lose the rest.
    if (i % 2) x = (x | 1) << (random() % 60) | (random() & 3);
    for (__int128 v : {x, -x}) {
      const auto expected = std::bit_cast<uint32_t>(static_cast<float>(v));
      ASSERT_EQ(encode_integer(kFloat32, v), expected);
      ASSERT_EQ(float_bits_of_integer(ScalarKind::F32, v), int64_t{expected});
    }
  }
  const __int128 middle = (__int128{1} << 100) + (__int128{1} << 76);
  EXPECT_EQ(decode(kFloat32, encode_integer(kFloat32, middle)), 0x1p100);
  EXPECT_EQ(decode(kFloat32, encode_integer(kFloat32, middle + 1)), 0x1.000002p100);
}

TEST(FloatFormat, HoldsEveryValue) {
  EXPECT_TRUE(holds_every_value(kFloat32, kFloat16));
  EXPECT_TRUE(holds_every_value(kFloat32, kBfloat16));
  EXPECT_TRUE(holds_every_value(kFloat16, kE4m3));
  EXPECT_TRUE(holds_every_value(kFloat16, kE5m2));
  EXPECT_FALSE(holds_every_value(kFloat16, kBfloat16));
  EXPECT_FALSE(holds_every_value(kBfloat16, kFloat16));
  EXPECT_FALSE(holds_every_value(kE4m3, kE5m2));
  EXPECT_FALSE(holds_every_value(kFloat32, kFloat64));
  using enum ScalarKind;
  EXPECT_TRUE(holds_every_value(F32, I16));
  EXPECT_TRUE(holds_every_value(F32, U16));
  EXPECT_FALSE(holds_every_value(F32, I32));
  EXPECT_TRUE(holds_every_value(F64, U32));
  EXPECT_FALSE(holds_every_value(F64, I64));
  EXPECT_TRUE(holds_every_value(I16, U8));
  EXPECT_FALSE(holds_every_value(U16, I8));
  EXPECT_FALSE(holds_every_value(I16, U16));
  EXPECT_TRUE(holds_every_value(F32, Bool));
  EXPECT_FALSE(holds_every_value(Bool, U8));
  EXPECT_FALSE(holds_every_value(I64, F32));
}

TEST(FloatFormat, NativeTypesAreTheseFormats) {
  EXPECT_TRUE(is_native<float>(ScalarKind::F32));
  EXPECT_FALSE(is_native<float>(ScalarKind::F64));
  EXPECT_TRUE(is_native<double>(ScalarKind::F64));
  EXPECT_FALSE(is_native<float>(ScalarKind::I32));
  EXPECT_EQ(round_trip_digits(ScalarKind::F32), std::numeric_limits<float>::max_digits10);
  EXPECT_EQ(round_trip_digits(ScalarKind::F64), std::numeric_limits<double>::max_digits10);
}

}  // namespace
}  // namespace cuda_device
