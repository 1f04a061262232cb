// A float that is only stored, made up for this test (scalar.def): moved and converted, not
// computed with.
#include <gmock/gmock.h>

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

TEST(StoredFloat, HasNoArithmetic) {
  for (Op op : {Op::Add, Op::Fma, Op::Neg, Op::Lt, Op::IsNan, Op::Exp, Op::Ldexp, Op::Min})
    EXPECT_EQ(evaluator(op, kKind, kKind), nullptr) << info(op).text;
  Function f;
  Builder b(f, f.body);
  Inst* x = b.const_float(Type::of(kKind), 1.5);
  b.typed(Op::Add, Type::of(kKind), {x, x});
  EXPECT_THAT(verify(f), testing::ElementsAre(testing::HasSubstr("which is only stored")));
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
