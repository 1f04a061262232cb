// A float that is only stored, made up for this test (scalar.def): moved, converted, and computed
// with by rounding every result.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "evaluating.h"
#include "ir/ir.h"
#include "support/print_format.h"

#ifdef CD_MADE_UP_STORED_FLOAT

namespace cuda_device::ir {
namespace {

constexpr ScalarKind kKind = ScalarKind::MadeUpStored;
constexpr int64_t kCount = int64_t{1} << 16;

int64_t converted(ScalarKind from, ScalarKind to, int64_t bits) {
  const Evaluator f = evaluator(Op::Convert, from, to);
  return f ? f(bits, 0, 0) : -1;
}

bool is_nan_of(int64_t bits) { return std::isnan(float_of_bits(kKind, bits)); }

TEST(StoredFloat, FloatsHoldIt) {
  for (ScalarKind wide : {ScalarKind::F32, ScalarKind::F64})
    for (int64_t bits = 0; bits < kCount; ++bits) {
      const int64_t value = converted(kKind, wide, bits);
      if (is_nan_of(bits)) {
        ASSERT_TRUE(std::isnan(float_of_bits(wide, value)));
        continue;
      }
      ASSERT_EQ(float_of_bits(wide, value), float_of_bits(kKind, bits));
      ASSERT_EQ(converted(wide, kKind, value), bits);
    }
}

TEST(StoredFloat, IsRoundedOnce) {
  const auto from_double = [](double x) {
    return float_of_bits(kKind, converted(ScalarKind::F64, kKind, to_imm(x)));
  };
  EXPECT_EQ(from_double(1 + 0x1p-10), 1);                     // a tie, to even
  EXPECT_EQ(from_double(1 + 0x1p-10 + 0x1p-50), 1 + 0x1p-9);  // float32 would be the tie
  const auto from_int = [](int64_t x) {
    return float_of_bits(kKind, converted(ScalarKind::I64, kKind, x));
  };
  EXPECT_EQ(from_int((1 << 30) + (1 << 20)), 0x1p30);
  EXPECT_EQ(from_int((1 << 30) + (1 << 20) + 1), 0x1p30 + 0x1p21);
  EXPECT_EQ(from_int(-3), -3);
}

TEST(StoredFloat, Saturates) {
  const double most = largest(format_of(kKind));
  EXPECT_EQ(float_of_bits(kKind, converted(ScalarKind::F64, kKind, to_imm(1e300))), most);
  EXPECT_EQ(float_of_bits(kKind, converted(ScalarKind::I64, kKind, INT64_MIN)), -most);
}

TEST(StoredFloat, GoesToIntegersAndBool) {
  const int64_t three = float_bits(kKind, 3.75), nan = float_bits(kKind, NAN);
  EXPECT_EQ(converted(kKind, ScalarKind::I8, three), 3);
  EXPECT_EQ(converted(kKind, ScalarKind::U8, float_bits(kKind, -3.75)), 0);
  EXPECT_EQ(converted(kKind, ScalarKind::I32, nan), 0);
  EXPECT_EQ(converted(kKind, ScalarKind::Bool, three), 1);
  EXPECT_EQ(converted(kKind, ScalarKind::Bool, float_bits(kKind, -0.0)), 0);
}

TEST(StoredFloat, IsItsBits) {
  for (int64_t bits = 0; bits < kCount; ++bits) {
    const Evaluator there = evaluator(Op::Bitcast, kKind, ScalarKind::U16);
    ASSERT_EQ(there(bits, 0, 0), bits);
    ASSERT_EQ(converted(kKind, kKind, bits), bits);
  }
  EXPECT_EQ(evaluator(Op::Bitcast, kKind, ScalarKind::F32), nullptr);
}

double computed(Op op, std::initializer_list<double> operands) {
  std::array<int64_t, 3> bits{};
  std::ranges::transform(operands, bits.begin(), [](double x) { return float_bits(kKind, x); });
  return float_of_bits(kKind, evaluator(op, kKind, kKind)(bits[0], bits[1], bits[2]));
}

TEST(StoredFloat, ArithmeticIsRoundedOnce) {
  const double most = largest(format_of(kKind));
  EXPECT_EQ(computed(Op::Add, {1, 0x1p-10}), 1);
  EXPECT_EQ(computed(Op::Add, {1 + 0x1p-9, 0x1p-10}), 1 + 0x1p-8);
  EXPECT_EQ(computed(Op::Mul, {most, 2}), most);
  EXPECT_EQ(computed(Op::Div, {1, 3}), float_of_bits(kKind, float_bits(kKind, 1.0 / 3)));
  EXPECT_EQ(computed(Op::Sqrt, {2}), float_of_bits(kKind, float_bits(kKind, std::sqrt(2.0))));
  // The product is a tie; what is added decides, however small it is.
  const double tie = 1 + 0x1p-9, tiny = 0x1p-35;
  EXPECT_EQ(computed(Op::Fma, {tie, 1.5, 0}), 1.5 + 0x1p-8);
  EXPECT_EQ(computed(Op::Fma, {tie, 1.5, -tiny}), 1.5 + 0x1p-9);
  EXPECT_EQ(computed(Op::Fma, {tie, 1.5, tiny}), 1.5 + 0x1p-8);
}

TEST(StoredFloat, SignsAreBits) {
  const int64_t nan = float_bits(kKind, NAN), minus = int64_t{1} << 15;
  EXPECT_EQ(evaluator(Op::Neg, kKind, kKind)(nan, 0, 0), nan | minus);
  EXPECT_EQ(evaluator(Op::Abs, kKind, kKind)(nan | minus, 0, 0), nan);
  EXPECT_EQ(evaluator(Op::CopySign, kKind, kKind)(nan, minus, 0), nan | minus);
  EXPECT_EQ(evaluator(Op::Min, kKind, kKind)(nan, 1, 0), nan);
  EXPECT_EQ(evaluator(Op::Lt, kKind, ScalarKind::Bool)(minus | 1, 1, 0), 1);
  EXPECT_EQ(evaluator(Op::IsNan, kKind, ScalarKind::Bool)(nan, 0, 0), 1);
  EXPECT_EQ(evaluator(Op::FrexpExponent, kKind, ScalarKind::I32)(float_bits(kKind, 5), 0, 0), 3);
}

TEST(StoredFloat, TextGivesTheBitsBack) {
  for (int64_t bits = 0; bits < kCount; ++bits) {
    Function f;
    f.name = "k";
    Builder b(f, f.body);
    b.typed(Op::Const, Type::of(kKind), {}, bits);
    const std::string text = print(f);
    ASSERT_EQ(parse(text)->body.insts.at(0)->imm, bits) << text;
  }
}

TEST(StoredFloat, HasTheFewestDigits) {
  EXPECT_EQ(number_text(kKind, float_bits(kKind, 0.1)), "0.1");
  EXPECT_EQ(number_text(kKind, float_bits(kKind, -1.0)), "-1.0");
  EXPECT_EQ(number_text(kKind, float_bits(kKind, 1 + 0x1p-9)), "1.002");
}

}  // namespace
}  // namespace cuda_device::ir

#endif
