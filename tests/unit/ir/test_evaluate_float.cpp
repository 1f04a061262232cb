#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "evaluating.h"
#include "every_op.h"

namespace cuda_device::ir {
namespace {

template <class T>
class Floats : public testing::Test {
 public:
  using Limits = std::numeric_limits<T>;
  static constexpr T kInf = Limits::infinity();
  static constexpr T kNan = Limits::quiet_NaN();
  static T unary(Op op, T a) { return eval<T>(op, a); }
  static T binary(Op op, T a, T b) { return eval<T>(op, a, b); }
  static bool same_bits(T a, T b) { return to_imm(a) == to_imm(b); }
};
using AllFloats = testing::Types<float, double>;
TYPED_TEST_SUITE(Floats, AllFloats);

TYPED_TEST(Floats, ArithmeticRoundsInItsOwnFormat) {
  using F = TestFixture;
  const TypeParam eps = F::Limits::epsilon(), half = eps / 2;
  EXPECT_EQ(F::binary(Op::Add, 1, half), 1);                  // tie to even
  EXPECT_EQ(F::binary(Op::Add, 1 + eps, half), 1 + 2 * eps);  // tie to even
  EXPECT_EQ(F::binary(Op::Sub, 1, half / 2), 1);
  EXPECT_EQ(F::binary(Op::Mul, 1 + eps, 1 + eps), 1 + 2 * eps);
  EXPECT_EQ(F::binary(Op::Mul, F::Limits::max(), 2), F::kInf);
  EXPECT_EQ(F::binary(Op::Mul, F::Limits::denorm_min(), TypeParam{0.5}), 0);
  EXPECT_EQ(F::binary(Op::Mul, F::Limits::min(), TypeParam{0.5}), F::Limits::min() / 2);
  EXPECT_EQ(F::binary(Op::Div, 1, 3), TypeParam{1} / 3);
  EXPECT_EQ(F::binary(Op::Div, -1, 0), -F::kInf);
  EXPECT_TRUE(std::isnan(F::binary(Op::Div, 0, 0)));
  EXPECT_TRUE(std::isnan(F::binary(Op::Sub, F::kInf, F::kInf)));
}

TYPED_TEST(Floats, FmaRoundsOnce) {
  using F = TestFixture;
  const TypeParam eps = F::Limits::epsilon();
  EXPECT_EQ((eval<TypeParam>(Op::Fma, 1 + eps, 1 - eps, TypeParam{-1})), -eps * eps);
  EXPECT_EQ((eval<TypeParam>(Op::Fma, F::Limits::max(), TypeParam{2}, -F::Limits::max())),
            F::Limits::max());
}

TYPED_TEST(Floats, SignsFlipBits) {
  using F = TestFixture;
  EXPECT_TRUE(F::same_bits(F::unary(Op::Neg, 0), TypeParam{-0.0}));
  EXPECT_TRUE(F::same_bits(F::unary(Op::Neg, F::kNan), -F::kNan));
  EXPECT_TRUE(F::same_bits(F::unary(Op::Abs, TypeParam{-0.0}), 0));
  EXPECT_TRUE(F::same_bits(F::unary(Op::Abs, -F::kNan), F::kNan));
  EXPECT_TRUE(F::same_bits(F::binary(Op::CopySign, 3, TypeParam{-0.0}), -3));
  EXPECT_TRUE(F::same_bits(F::binary(Op::CopySign, F::kNan, -1), -F::kNan));
}

TYPED_TEST(Floats, MinMaxArePythons) {
  using F = TestFixture;
  EXPECT_EQ(F::binary(Op::Min, 2, 1), 1);
  EXPECT_EQ(F::binary(Op::Max, 2, 1), 2);
  EXPECT_EQ(F::binary(Op::Max, 1, 2), 2);
  // The first of equals, and the first where one is a NaN.
  EXPECT_TRUE(F::same_bits(F::binary(Op::Min, 0, TypeParam{-0.0}), 0));
  EXPECT_TRUE(F::same_bits(F::binary(Op::Max, TypeParam{-0.0}, 0), TypeParam{-0.0}));
  EXPECT_TRUE(std::isnan(F::binary(Op::Min, F::kNan, 1)));
  EXPECT_TRUE(std::isnan(F::binary(Op::Max, F::kNan, 1)));
  EXPECT_EQ(F::binary(Op::Min, 1, F::kNan), 1);
  EXPECT_EQ(F::binary(Op::Max, 1, F::kNan), 1);
}

TYPED_TEST(Floats, Comparisons) {
  using F = TestFixture;
  for (Op op : {Op::Eq, Op::Lt, Op::Le, Op::Gt, Op::Ge}) {
    EXPECT_FALSE(eval<bool>(op, F::kNan, F::kNan)) << info(op).text;
    EXPECT_FALSE(eval<bool>(op, F::kNan, TypeParam{1})) << info(op).text;
    EXPECT_FALSE(eval<bool>(op, TypeParam{1}, F::kNan)) << info(op).text;
  }
  EXPECT_TRUE(eval<bool>(Op::Ne, F::kNan, F::kNan));
  EXPECT_TRUE(eval<bool>(Op::Eq, TypeParam{0}, TypeParam{-0.0}));
  EXPECT_FALSE(eval<bool>(Op::Lt, TypeParam{-0.0}, TypeParam{0}));
  EXPECT_TRUE(eval<bool>(Op::Lt, -F::kInf, F::Limits::lowest()));
  EXPECT_TRUE(eval<bool>(Op::Ge, TypeParam{2}, TypeParam{2}));
  EXPECT_TRUE(eval<bool>(Op::Le, TypeParam{2}, TypeParam{2}));
  EXPECT_TRUE(eval<bool>(Op::Gt, TypeParam{3}, TypeParam{2}));
}

TYPED_TEST(Floats, Classes) {
  using F = TestFixture;
  const TypeParam values[] = {0, 1, F::Limits::denorm_min(), F::kInf, -F::kInf, F::kNan};
  const bool nan[] = {0, 0, 0, 0, 0, 1}, inf[] = {0, 0, 0, 1, 1, 0}, finite[] = {1, 1, 1, 0, 0, 0};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(eval<bool>(Op::IsNan, values[i]), nan[i]);
    EXPECT_EQ(eval<bool>(Op::IsInf, values[i]), inf[i]);
    EXPECT_EQ(eval<bool>(Op::IsFinite, values[i]), finite[i]);
  }
}

TYPED_TEST(Floats, RoundToIntegral) {
  using F = TestFixture;
  const TypeParam half = 0.5;
  EXPECT_EQ(F::unary(Op::Floor, -half), -1);
  EXPECT_TRUE(F::same_bits(F::unary(Op::Ceil, -half), TypeParam{-0.0}));
  EXPECT_EQ(F::unary(Op::Trunc, 2 - half), 1);
  EXPECT_EQ(F::unary(Op::Trunc, half - 2), -1);
  EXPECT_EQ(F::unary(Op::Rint, 2 + half), 2);
  EXPECT_EQ(F::unary(Op::Rint, 3 + half), 4);
  EXPECT_TRUE(F::same_bits(F::unary(Op::Rint, -half), TypeParam{-0.0}));
  EXPECT_EQ(F::unary(Op::Floor, F::kInf), F::kInf);
}

TYPED_TEST(Floats, Remainders) {
  using F = TestFixture;
  EXPECT_EQ(F::binary(Op::Fmod, -7, 2), -1);
  EXPECT_EQ(F::binary(Op::Fmod, 7, -2), 1);
  EXPECT_EQ(F::binary(Op::Fmod, F::Limits::max(), 3), std::fmod(F::Limits::max(), TypeParam{3}));
  EXPECT_TRUE(std::isnan(F::binary(Op::Fmod, 1, 0)));
  EXPECT_EQ(F::binary(Op::Remainder, 7, 4), -1);
  EXPECT_EQ(F::binary(Op::Remainder, 6, 4), -2);
  EXPECT_EQ(F::binary(Op::Remainder, 5, 4), 1);
}

TYPED_TEST(Floats, ScaleAndSplit) {
  using F = TestFixture;
  const auto ldexp = [](TypeParam x, int32_t n) { return eval<TypeParam>(Op::Ldexp, x, n); };
  EXPECT_EQ(ldexp(1.5, 3), 12);
  EXPECT_EQ(ldexp(1, INT32_MAX), F::kInf);
  EXPECT_EQ(ldexp(1, INT32_MIN), 0);
  // Rounded once: 1.5 * 2**-1 of the smallest number is between two of them.
  EXPECT_EQ(ldexp(F::Limits::denorm_min() * 3, -1), F::Limits::denorm_min() * 2);
  EXPECT_EQ(F::binary(Op::Scale, 3, 2.5), 12);
  EXPECT_EQ(F::binary(Op::Scale, -3, F::kInf), -F::kInf);
  EXPECT_EQ(F::binary(Op::Scale, F::kNan, F::kInf), F::kInf);
  EXPECT_EQ(F::binary(Op::Scale, F::kNan, -F::kInf), 0);
  EXPECT_TRUE(std::isnan(F::binary(Op::Scale, F::kNan, 1)));
  EXPECT_TRUE(std::isnan(F::binary(Op::Scale, 0, F::kInf)));
  EXPECT_EQ(F::binary(Op::ScaleUnit, 1.5, 2), 6);
  EXPECT_TRUE(std::isnan(F::binary(Op::ScaleUnit, F::kNan, 1)));
  EXPECT_EQ(F::unary(Op::Logb, 12), 3);
  EXPECT_EQ(F::unary(Op::Logb, -F::Limits::denorm_min()),
            TypeParam{F::Limits::min_exponent - F::Limits::digits});
  EXPECT_EQ(F::unary(Op::Logb, 0), -F::kInf);
  EXPECT_EQ(F::unary(Op::Logb, -F::kInf), F::kInf);
  EXPECT_EQ(F::unary(Op::Significand, 11), TypeParam{1.375});
  EXPECT_EQ(F::unary(Op::Significand, 12), TypeParam{1.5});
  EXPECT_EQ(F::unary(Op::Significand, F::Limits::denorm_min()), 1);
  EXPECT_EQ(F::unary(Op::Significand, F::kInf), 1);
  EXPECT_EQ(F::unary(Op::Significand, TypeParam{-0.0}), -1);
  EXPECT_TRUE(std::isnan(F::unary(Op::Significand, -1)));
  EXPECT_TRUE(std::isnan(F::unary(Op::Significand, F::kNan)));
  EXPECT_EQ(F::unary(Op::FrexpMantissa, 12), TypeParam{0.75});
  EXPECT_EQ(eval<int32_t>(Op::FrexpExponent, TypeParam{12}), 4);
  EXPECT_EQ(F::unary(Op::FrexpMantissa, F::Limits::denorm_min()), TypeParam{0.5});
  for (TypeParam x : {TypeParam{0}, TypeParam{-0.0}, F::kInf, F::kNan}) {
    EXPECT_TRUE(F::same_bits(F::unary(Op::FrexpMantissa, x), x));
    EXPECT_EQ(eval<int32_t>(Op::FrexpExponent, x), 0);
  }
}

struct Point {
  Op op;
  double x, value;
};

// Each op is the function it is named for, at points where the value is known.
TYPED_TEST(Floats, Functions) {
  const double e = 2.718281828459045, pi = 3.141592653589793;
  const Point points[] = {
      {Op::Sqrt, 2, 1.4142135623730951},
      {Op::Exp, 1, e},
      {Op::Exp2, 3, 8},
      {Op::Expm1, 1, e - 1},
      {Op::Log, e, 1},
      {Op::Log2, 8, 3},
      {Op::Log10, 1000, 3},
      {Op::Log1p, e - 1, 1},
      {Op::Sin, pi / 6, 0.5},
      {Op::Cos, pi / 3, 0.5},
      {Op::Tan, pi / 4, 1},
      {Op::Asin, 1, pi / 2},
      {Op::Acos, 0, pi / 2},
      {Op::Atan, 1, pi / 4},
      {Op::Sinh, 1, (e - 1 / e) / 2},
      {Op::Cosh, 1, (e + 1 / e) / 2},
      {Op::Tanh, 1, (e - 1 / e) / (e + 1 / e)},
      {Op::Asinh, (e - 1 / e) / 2, 1},
      {Op::Acosh, (e + 1 / e) / 2, 1},
      {Op::Atanh, (e - 1 / e) / (e + 1 / e), 1},
      {Op::Cbrt, -27, -3},
      {Op::Erf, 0.5, 0.5204998778130465},
      {Op::Erfc, 0.5, 0.4795001221869535},
      {Op::Tgamma, 5, 24},
      {Op::Lgamma, 5, 3.1780538303479458},
  };
  const double bound = 4 * TestFixture::Limits::epsilon();
  for (const Point& p : points) {
    EXPECT_NEAR(TestFixture::unary(p.op, static_cast<TypeParam>(p.x)), p.value,
                bound * std::abs(p.value))
        << info(p.op).text;
  }
  EXPECT_NEAR(TestFixture::binary(Op::Atan2, 1, -1), 3 * pi / 4, 3 * bound);
  EXPECT_EQ(TestFixture::binary(Op::Pow, 3, -2), TypeParam{1} / 9);
  EXPECT_EQ(TestFixture::binary(Op::Hypot, 3, 4), 5);
}

// A float32 function is the float64 one rounded, not glibc's float32 one.
TEST(Float32, FunctionsAreRoundedFromFloat64) {
  int differs = 0;
  for (float x = 0.1f; x < 20; x += 0.013f) {
    const auto exact = static_cast<float>(std::tgamma(static_cast<double>(x)));
    EXPECT_EQ(eval<float>(Op::Tgamma, x), exact);
    differs += std::tgamma(x) != exact;
  }
  EXPECT_GT(differs, 0);
}

TEST(Functions, AreTheInexactOps) {
  const std::set<Op> approximated = {
      Op::Exp,   Op::Exp2, Op::Expm1, Op::Log,   Op::Log2,   Op::Log10, Op::Log1p,
      Op::Sin,   Op::Cos,  Op::Tan,   Op::Asin,  Op::Acos,   Op::Atan,  Op::Atan2,
      Op::Sinh,  Op::Cosh, Op::Tanh,  Op::Asinh, Op::Acosh,  Op::Atanh, Op::Pow,
      Op::Hypot, Op::Cbrt, Op::Erf,   Op::Erfc,  Op::Tgamma, Op::Lgamma};
  for (Op op : all_ops())
    EXPECT_EQ(is_exact(op), !approximated.contains(op) && !is_estimate(op)) << info(op).text;
}

}  // namespace
}  // namespace cuda_device::ir
