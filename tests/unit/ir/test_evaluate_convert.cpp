#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "evaluating.h"

namespace cuda_device::ir {
namespace {

template <class To, class From>
To convert_to(From x) {
  return eval<To>(Op::Convert, x);
}

template <class To, class From>
void expect_saturates() {
  using L = std::numeric_limits<To>;
  const From infinity = std::numeric_limits<From>::infinity();
  EXPECT_EQ((convert_to<To>(std::nan(""))), 0);
  EXPECT_EQ((convert_to<To, From>(std::numeric_limits<From>::quiet_NaN())), 0);
  EXPECT_EQ((convert_to<To>(infinity)), L::max());
  EXPECT_EQ((convert_to<To>(-infinity)), L::min());
  EXPECT_EQ((convert_to<To>(std::numeric_limits<From>::max())), L::max());
  EXPECT_EQ((convert_to<To>(std::numeric_limits<From>::lowest())), L::min());
  // The first number beyond, and the last before it.
  const From beyond = std::ldexp(From{1}, L::digits);
  EXPECT_EQ((convert_to<To>(beyond)), L::max());
  const From last = std::nextafter(beyond, From{0});
  EXPECT_EQ((convert_to<To>(last)), static_cast<To>(last));
  const From low = static_cast<From>(L::min());
  EXPECT_EQ((convert_to<To>(low)), L::min());
  EXPECT_EQ((convert_to<To>(std::nextafter(low, -infinity))), L::min());
}

template <class To, class From>
void expect_truncates() {
  EXPECT_EQ((convert_to<To>(From{1.9})), 1);
  EXPECT_EQ((convert_to<To>(From{-0.9})), 0);
  EXPECT_EQ((convert_to<To>(From{-0.0})), 0);
  EXPECT_EQ((convert_to<To>(From{-3.9})), std::is_signed_v<To> ? static_cast<To>(-3) : To{0});
  EXPECT_EQ((convert_to<To>(std::numeric_limits<From>::denorm_min())), 0);
}

template <class To>
class FloatToInteger : public testing::Test {};
using AllIntegers =
    testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(FloatToInteger, AllIntegers);

TYPED_TEST(FloatToInteger, SaturatesFloat32) { expect_saturates<TypeParam, float>(); }
TYPED_TEST(FloatToInteger, SaturatesFloat64) { expect_saturates<TypeParam, double>(); }
TYPED_TEST(FloatToInteger, TruncatesFloat32) { expect_truncates<TypeParam, float>(); }
TYPED_TEST(FloatToInteger, TruncatesFloat64) { expect_truncates<TypeParam, double>(); }

TEST(Convert, IntegersWrapOrExtendBySourceSign) {
  EXPECT_EQ(convert_to<int8_t>(int32_t{300}), 44);
  EXPECT_EQ(convert_to<int8_t>(int32_t{200}), -56);
  EXPECT_EQ(convert_to<uint8_t>(int64_t{-1}), 255);
  EXPECT_EQ(convert_to<int64_t>(int8_t{-1}), -1);
  EXPECT_EQ(convert_to<int64_t>(uint32_t{0xffffffff}), 0xffffffff);
  EXPECT_EQ(convert_to<uint64_t>(int8_t{-1}), UINT64_MAX);
  EXPECT_EQ(convert_to<uint64_t>(uint8_t{255}), 255u);
  EXPECT_EQ(convert_to<int32_t>(uint32_t{0x80000000}), INT32_MIN);
  EXPECT_EQ(convert_to<int32_t>(int64_t{1} << 32), 0);
}

TEST(Convert, IntegerToFloatRoundsToNearestEven) {
  EXPECT_EQ(convert_to<float>(int32_t{16777217}), 16777216.0f);
  EXPECT_EQ(convert_to<float>(int32_t{16777219}), 16777220.0f);
  EXPECT_EQ(convert_to<float>(UINT64_MAX), 18446744073709551616.0f);
  EXPECT_EQ(convert_to<float>(INT64_MIN), -9223372036854775808.0f);
  EXPECT_EQ(convert_to<double>(int64_t{9007199254740993}), 9007199254740992.0);
  EXPECT_EQ(convert_to<double>(UINT64_MAX), 18446744073709551616.0);
  // Would be 2**62 + 2**39 if it went through float64.
  EXPECT_EQ(convert_to<float>((int64_t{1} << 62) + (int64_t{1} << 38) + 1),
            std::ldexp(1.0f, 62) + std::ldexp(1.0f, 39));
  EXPECT_EQ(convert_to<float>((int64_t{1} << 62) + (int64_t{1} << 38)), std::ldexp(1.0f, 62));
}

TEST(Convert, FloatToFloat) {
  EXPECT_EQ(convert_to<float>(0.1), 0.1f);
  EXPECT_EQ(convert_to<double>(0.1f), static_cast<double>(0.1f));
  EXPECT_EQ(convert_to<float>(1e300), std::numeric_limits<float>::infinity());
  EXPECT_EQ(convert_to<float>(1e-300), 0.0f);
  EXPECT_EQ(convert_to<float>(std::ldexp(1.5, -149)), std::ldexp(1.0f, -148));  // to even
  EXPECT_TRUE(std::signbit(convert_to<float>(-1e-300)));
  EXPECT_TRUE(std::isnan(convert_to<float>(std::nan(""))));
}

TEST(Convert, Bool) {
  EXPECT_TRUE(convert_to<bool>(int8_t{-128}));
  EXPECT_TRUE(convert_to<bool>(uint64_t{1} << 63));
  EXPECT_TRUE(convert_to<bool>(std::numeric_limits<float>::denorm_min()));
  EXPECT_TRUE(convert_to<bool>(std::nan("")));
  EXPECT_FALSE(convert_to<bool>(-0.0f));
  EXPECT_FALSE(convert_to<bool>(int16_t{0}));
  EXPECT_EQ(convert_to<int8_t>(true), 1);
  EXPECT_EQ(convert_to<double>(true), 1.0);
  EXPECT_EQ(convert_to<uint64_t>(false), 0u);
}

TEST(Bitcast, KeepsBits) {
  EXPECT_EQ(eval<uint32_t>(Op::Bitcast, 1.0f), 0x3f800000u);
  EXPECT_EQ(eval<int32_t>(Op::Bitcast, -0.0f), INT32_MIN);
  EXPECT_EQ(eval<float>(Op::Bitcast, int32_t{0x3f800000}), 1.0f);
  EXPECT_EQ(eval<int64_t>(Op::Bitcast, -0.0), INT64_MIN);
  EXPECT_EQ(eval<uint8_t>(Op::Bitcast, int8_t{-1}), 255);
}

}  // namespace
}  // namespace cuda_device::ir
