// Integers: op.def's words, one test a line of them.
#include <gtest/gtest.h>

#include <limits>

#include "evaluating.h"

namespace cuda_device::ir {
namespace {

template <class T>
class Integers : public testing::Test {
 public:
  static constexpr T kMin = std::numeric_limits<T>::min();
  static constexpr T kMax = std::numeric_limits<T>::max();
  static constexpr bool kSigned = std::is_signed_v<T>;
  static constexpr int kWidth = sizeof(T) * 8;
  static constexpr T kOnes = static_cast<T>(-1);

  static T binary(Op op, T a, T b) { return eval<T>(op, a, b); }
  static T unary(Op op, T a) { return eval<T>(op, a); }
};
using AllIntegers =
    testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(Integers, AllIntegers);

TYPED_TEST(Integers, ArithmeticWraps) {
  using F = TestFixture;
  EXPECT_EQ(F::binary(Op::Add, F::kMax, 1), F::kMin);
  EXPECT_EQ(F::binary(Op::Sub, F::kMin, 1), F::kMax);
  EXPECT_EQ(F::binary(Op::Mul, F::kMax, 2), static_cast<TypeParam>(-2));
  EXPECT_EQ(F::binary(Op::Mul, F::kMax, F::kMax), 1);
  EXPECT_EQ(F::binary(Op::Mul, F::kMin, F::kOnes), F::kMin);
  EXPECT_EQ(F::binary(Op::Add, 20, 22), 42);
}

TYPED_TEST(Integers, FloorDivision) {
  using F = TestFixture;
  EXPECT_EQ(F::binary(Op::FloorDiv, 7, 2), 3);
  EXPECT_EQ(F::binary(Op::FloorDiv, F::kMax, 1), F::kMax);
  EXPECT_EQ(F::binary(Op::FloorDiv, 0, 0), F::kOnes);
  EXPECT_EQ(F::binary(Op::FloorDiv, 5, 0), F::kOnes);
  EXPECT_EQ(F::binary(Op::FloorMod, 7, 2), 1);
  EXPECT_EQ(F::binary(Op::FloorMod, 5, 0), 5);
  EXPECT_EQ(F::binary(Op::FloorMod, F::kMin, 0), F::kMin);
  EXPECT_EQ(F::binary(Op::FloorMod, F::kMin, F::kOnes), 0);
}

TYPED_TEST(Integers, FloorDivisionOfNegatives) {
  using F = TestFixture;
  if constexpr (F::kSigned) {
    EXPECT_EQ(F::binary(Op::FloorDiv, -7, 2), -4);
    EXPECT_EQ(F::binary(Op::FloorDiv, 7, -2), -4);
    EXPECT_EQ(F::binary(Op::FloorDiv, -7, -2), 3);
    EXPECT_EQ(F::binary(Op::FloorDiv, -6, 2), -3);
    EXPECT_EQ(F::binary(Op::FloorDiv, -5, 0), -1);
    EXPECT_EQ(F::binary(Op::FloorDiv, F::kMin, -1), F::kMin);
    EXPECT_EQ(F::binary(Op::FloorDiv, F::kMin, 1), F::kMin);
    EXPECT_EQ(F::binary(Op::FloorMod, -7, 2), 1);
    EXPECT_EQ(F::binary(Op::FloorMod, 7, -2), -1);
    EXPECT_EQ(F::binary(Op::FloorMod, -7, -2), -1);
    EXPECT_EQ(F::binary(Op::FloorMod, 6, -2), 0);
    EXPECT_EQ(F::binary(Op::FloorMod, -5, 0), -5);
    EXPECT_EQ(F::binary(Op::FloorMod, F::kMin, F::kMax), F::kMax - 1);
  } else {
    EXPECT_EQ(F::binary(Op::FloorDiv, F::kMax, F::kMax), 1);
    EXPECT_EQ(F::binary(Op::FloorDiv, F::kMax, 2), F::kMax / 2);
    EXPECT_EQ(F::binary(Op::FloorMod, F::kMax, 2), 1);
  }
}

TYPED_TEST(Integers, NegAbs) {
  using F = TestFixture;
  EXPECT_EQ(F::unary(Op::Neg, 5), static_cast<TypeParam>(-5));
  EXPECT_EQ(F::unary(Op::Neg, F::kMin), F::kMin);
  EXPECT_EQ(F::unary(Op::Abs, F::kMin), F::kMin);
  EXPECT_EQ(F::unary(Op::Abs, F::kOnes), F::kSigned ? 1 : F::kMax);
  EXPECT_EQ(F::unary(Op::Abs, 3), 3);
}

TYPED_TEST(Integers, MinMaxCompareBySign) {
  using F = TestFixture;
  const TypeParam low = F::kSigned ? F::kOnes : TypeParam{1};
  const TypeParam high = F::kSigned ? TypeParam{1} : F::kOnes;
  EXPECT_EQ(F::binary(Op::Min, high, low), low);
  EXPECT_EQ(F::binary(Op::Min, low, high), low);
  EXPECT_EQ(F::binary(Op::Max, high, low), high);
  EXPECT_EQ(F::binary(Op::Max, low, high), high);
  const struct {
    Op op;
    bool below, same, above;
  } rows[] = {{Op::Lt, true, false, false}, {Op::Le, true, true, false},
              {Op::Gt, false, false, true}, {Op::Ge, false, true, true},
              {Op::Eq, false, true, false}, {Op::Ne, true, false, true}};
  for (const auto& row : rows) {
    EXPECT_EQ(eval<bool>(row.op, low, high), row.below) << info(row.op).text;
    EXPECT_EQ(eval<bool>(row.op, low, low), row.same) << info(row.op).text;
    EXPECT_EQ(eval<bool>(row.op, high, low), row.above) << info(row.op).text;
  }
}

TYPED_TEST(Integers, Bitwise) {
  using F = TestFixture;
  EXPECT_EQ(F::binary(Op::And, 12, 10), 8);
  EXPECT_EQ(F::binary(Op::Or, 12, 10), 14);
  EXPECT_EQ(F::binary(Op::Xor, 12, 10), 6);
  EXPECT_EQ(F::binary(Op::Xor, F::kOnes, 1), static_cast<TypeParam>(-2));
  EXPECT_EQ(F::unary(Op::Not, 0), F::kOnes);
  EXPECT_EQ(F::unary(Op::Not, 5), static_cast<TypeParam>(-6));
}

TYPED_TEST(Integers, Shifts) {
  using F = TestFixture;
  const auto width = static_cast<TypeParam>(F::kWidth);
  EXPECT_EQ(F::binary(Op::Shl, 3, 2), 12);
  EXPECT_EQ(F::binary(Op::Shl, 3, 0), 3);
  EXPECT_EQ(F::binary(Op::Shl, 1, static_cast<TypeParam>(width - 1)),
            F::kSigned ? F::kMin : static_cast<TypeParam>(F::kMax / 2 + 1));
  EXPECT_EQ(F::binary(Op::Shr, 12, 2), 3);
  const TypeParam sign = F::kSigned ? F::kOnes : TypeParam{0};
  EXPECT_EQ(F::binary(Op::Shr, F::kOnes, 1), F::kSigned ? F::kOnes : F::kMax / 2);
  for (TypeParam count : {width, static_cast<TypeParam>(width + 1), F::kMax, F::kOnes}) {
    EXPECT_EQ(F::binary(Op::Shl, F::kOnes, count), 0);
    EXPECT_EQ(F::binary(Op::Shr, 5, count), 0);
    EXPECT_EQ(F::binary(Op::Shr, F::kOnes, count), sign);
  }
}

TYPED_TEST(Integers, Bits) {
  using F = TestFixture;
  const auto count = [](Op op, TypeParam x) { return eval<int32_t>(op, x); };
  EXPECT_EQ(count(Op::Popc, 0), 0);
  EXPECT_EQ(count(Op::Popc, F::kOnes), F::kWidth);
  EXPECT_EQ(count(Op::Popc, 13), 3);
  EXPECT_EQ(count(Op::Clz, 0), F::kWidth);
  EXPECT_EQ(count(Op::Clz, 1), F::kWidth - 1);
  EXPECT_EQ(count(Op::Clz, F::kOnes), 0);
  EXPECT_EQ(count(Op::Ffs, 0), 0);
  EXPECT_EQ(count(Op::Ffs, 1), 1);
  EXPECT_EQ(count(Op::Ffs, 12), 3);
  EXPECT_EQ(count(Op::Ffs, eval<TypeParam>(Op::Brev, TypeParam{1})), F::kWidth);
  EXPECT_EQ(F::unary(Op::Brev, F::kOnes), F::kOnes);
  EXPECT_EQ(F::unary(Op::Brev, F::unary(Op::Brev, 44)), 44);
  EXPECT_EQ(count(Op::Clz, F::unary(Op::Brev, 12)), 2);
}

TYPED_TEST(Integers, Select) {
  EXPECT_EQ(eval<TypeParam>(Op::Select, true, TypeParam{3}, TypeParam{4}), 3);
  EXPECT_EQ(eval<TypeParam>(Op::Select, false, TypeParam{3}, TypeParam{4}), 4);
}

TYPED_TEST(Integers, Wrap) {
  using F = TestFixture;
  const auto wrap = [](TypeParam i, int64_t n) { return eval<int64_t>(Op::Wrap, i, n); };
  EXPECT_EQ(wrap(3, 10), 3);
  EXPECT_EQ(wrap(0, 10), 0);
  EXPECT_EQ(wrap(F::kMax, 10), static_cast<int64_t>(F::kMax));
  if constexpr (F::kSigned) {
    EXPECT_EQ(wrap(-1, 10), 9);
    EXPECT_EQ(wrap(-11, 10), -1);
  }
}

TEST(Bools, Bitwise) {
  for (bool a : {false, true}) {
    EXPECT_EQ(eval<bool>(Op::Not, a), !a);
    for (bool b : {false, true}) {
      EXPECT_EQ(eval<bool>(Op::And, a, b), a && b);
      EXPECT_EQ(eval<bool>(Op::Or, a, b), a || b);
      EXPECT_EQ(eval<bool>(Op::Xor, a, b), a != b);
      EXPECT_EQ(eval<bool>(Op::Eq, a, b), a == b);
      EXPECT_EQ(eval<bool>(Op::Lt, a, b), !a && b);
      EXPECT_EQ(eval<bool>(Op::Select, true, a, b), a);
    }
  }
}

}  // namespace
}  // namespace cuda_device::ir
