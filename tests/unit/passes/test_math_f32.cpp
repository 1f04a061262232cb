// The hot float32 functions against the C library's float64: at most 1 ulp. `make test` samples
// every 1009th float32; with CUDA_DEVICE_LONG_TESTS=1 every float32 there is. And: the IR that
// expand_math builds computes the same bits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>

#include "ir/interpreter.h"
#include "passes/simplify/expand_math.h"
#include "passes/simplify/math_f32.h"
#include "unit/passes/plain_emitter.h"

namespace cuda_device::passes {
namespace {

// Distance in units in the last place of the float32 format at the reference.
double ulp_error(float got, double reference) {
  if (std::isnan(reference)) return std::isnan(got) ? 0 : HUGE_VAL;
  const float rounded = static_cast<float>(reference);
  if (std::isinf(rounded))
    return got == rounded || got == std::copysign(0x1.fffffep127f, rounded) ? 0 : HUGE_VAL;
  if (std::isinf(got))
    return std::fabs(reference) >= 0x1.fffffep127 && std::signbit(got) == std::signbit(reference)
               ? 0
               : HUGE_VAL;
  if (std::isnan(got)) return HUGE_VAL;
  int exponent = 0;
  std::frexp(reference, &exponent);
  return std::fabs(static_cast<double>(got) - reference) /
         std::ldexp(1.0, std::max(exponent - 24, -149));
}

TEST(UlpError, KnowsTheSignOfAnOverflow) {
  constexpr float kInf = std::numeric_limits<float>::infinity(), kMax = 0x1.fffffep127f;
  EXPECT_EQ(ulp_error(kInf, 1e300), 0);
  EXPECT_EQ(ulp_error(kMax, 1e300), 0);
  EXPECT_EQ(ulp_error(-kInf, 1e300), HUGE_VAL);
  EXPECT_EQ(ulp_error(-kMax, 1e300), HUGE_VAL);
  EXPECT_EQ(ulp_error(-kInf, -1e300), 0);
  EXPECT_EQ(ulp_error(kMax, -1e300), HUGE_VAL);
  EXPECT_EQ(ulp_error(kInf, static_cast<double>(kMax)), 0);
  EXPECT_EQ(ulp_error(-kInf, static_cast<double>(kMax)), HUGE_VAL);
  EXPECT_EQ(ulp_error(1, 1 + 0x1p-23), 1);
}

struct Function {
  const char* name;
  ir::Op op;
  float (*ours)(float);
  double (*reference)(double);
  float limit;  // beyond it the library's function serves
  double bound = 1.0;
};

constexpr float kAll = std::numeric_limits<float>::infinity();
#define CD_OURS(f)        \
  [](float x) {           \
    PlainEmitter e;       \
    return math::f(e, x); \
  }
const Function kFunctions[] = {
    {"exp", ir::Op::Exp, CD_OURS(exp), [](double x) { return std::exp(x); }, kAll},
    {"exp2", ir::Op::Exp2, CD_OURS(exp2), [](double x) { return std::exp2(x); }, kAll},
    {"log", ir::Op::Log, CD_OURS(log), [](double x) { return std::log(x); }, kAll},
    {"log2", ir::Op::Log2, CD_OURS(log2), [](double x) { return std::log2(x); }, kAll},
    {"sin", ir::Op::Sin, CD_OURS(sin), [](double x) { return std::sin(x); }, math::kTrigLimit},
    {"cos", ir::Op::Cos, CD_OURS(cos), [](double x) { return std::cos(x); }, math::kTrigLimit},
    {"tanh", ir::Op::Tanh, CD_OURS(tanh), [](double x) { return std::tanh(x); }, kAll, 1.05},
    {"erf", ir::Op::Erf, CD_OURS(erf), [](double x) { return std::erf(x); }, kAll},
};

uint64_t stride() { return std::getenv("CUDA_DEVICE_LONG_TESTS") ? 1 : 1009; }

double worst_of(const Function& f, uint64_t first, uint64_t step) {
  double worst = 0;
  for (uint64_t bits = first; bits < (uint64_t{1} << 32); bits += step) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (!(std::fabs(x) > f.limit)) worst = std::max(worst, ulp_error(f.ours(x), f.reference(x)));
  }
  return worst;
}

class HotFunction : public testing::TestWithParam<Function> {};

TEST_P(HotFunction, IsWithinItsBound) {
  double worst[2] = {0, 0};
  std::thread other([&] { worst[1] = worst_of(GetParam(), stride(), 2 * stride()); });
  worst[0] = worst_of(GetParam(), 0, 2 * stride());
  other.join();
  EXPECT_LE(std::max(worst[0], worst[1]), GetParam().bound);
  RecordProperty("max_ulp", std::to_string(std::max(worst[0], worst[1])));
}

// y[0] = op(x) as IR, expanded and interpreted.
float through_ir(ir::Op op, float x, float y) {
  ir::Function f;
  f.name = "f";
  f.params.push_back({"y", ir::Type::array(ScalarKind::F32, 1), {}, {}});
  f.params.push_back({"a", ir::kF32, {}, {}});
  f.params.push_back({"b", ir::kF32, {}, {}});
  ir::Builder b(f, f.body);
  ir::Inst* array = b.typed(ir::Op::Param, f.params[0].type, {}, 0);
  ir::Inst* first = b.typed(ir::Op::Param, ir::kF32, {}, 1);
  ir::Inst* second = b.typed(ir::Op::Param, ir::kF32, {}, 2);
  ir::Inst* value = op == ir::Op::Pow ? b.op(op, {first, second}) : b.op(op, {first});
  b.typed(ir::Op::Store, ir::Type::none(), {array, b.const_int(ir::kI64, 0), value});
  expand_math(f);
  ir::verify_or_throw(f, "expand_math");
  float result = 0;
  std::vector<ir::Argument> arguments(3);
  arguments[0].array = {reinterpret_cast<char*>(&result), {1}, {4}};
  arguments[1].scalar = std::bit_cast<uint32_t>(x);
  arguments[2].scalar = std::bit_cast<uint32_t>(y);
  ir::interpret(f, arguments, {});
  return result;
}

bool same_bits(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

const float kSpecial[] = {0.0f,        -0.0f,          1.0f,           -1.0f, 0.5f,  -0.5f,
                          2.0f,        -2.0f,          3.0f,           -3.0f, 1.5f,  kAll,
                          -kAll,       1e-45f,         -1e-45f,        NAN,   3e38f, 0x1p-126f,
                          33554434.0f, 0x1.000002p23f, -0x1.000002p23f};

TEST_P(HotFunction, IrComputesTheSameBits) {
  std::mt19937 random(1);
  std::vector<float> inputs(std::begin(kSpecial), std::end(kSpecial));
  for (int i = 0; i < 2000; ++i)
    inputs.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
  for (float x : inputs) {
    if (std::fabs(x) > GetParam().limit) continue;
    EXPECT_TRUE(same_bits(through_ir(GetParam().op, x, 0), GetParam().ours(x)))
        << GetParam().name << " of " << x;
  }
}

INSTANTIATE_TEST_SUITE_P(All, HotFunction, testing::ValuesIn(kFunctions),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(HotPow, SpecialCasesFollowTheStandard) {
  PlainEmitter e;
  for (float x : kSpecial)
    for (float y : kSpecial) {
      const float got = math::pow(e, x, y);
      const double reference = std::pow(static_cast<double>(x), static_cast<double>(y));
      EXPECT_LE(ulp_error(got, reference), 1.0) << x << " ** " << y;
      EXPECT_EQ(!std::isnan(got) && std::signbit(got),
                !std::isnan(reference) && std::signbit(reference))
          << x << " ** " << y;
      EXPECT_TRUE(same_bits(through_ir(ir::Op::Pow, x, y), got)) << x << " ** " << y;
    }
}

// Half of the pairs have any bits, half are drawn so that the result is spread over the whole
// range.
TEST(HotPow, IsWithinOneUlp) {
  std::mt19937_64 random(1);
  PlainEmitter e;
  double worst = 0;
  const uint64_t samples = uint64_t{2'000'000'000} / stride();
  for (uint64_t i = 0; i < samples; ++i) {
    const uint64_t bits = random();
    float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    float y = std::bit_cast<float>(static_cast<uint32_t>(bits >> 32));
    if (i % 2) {
      x = std::fabs(x);
      const double exponent = static_cast<double>(static_cast<int32_t>(bits >> 32)) / 0x1p31 * 150;
      y = static_cast<float>(exponent / std::log2(static_cast<double>(x)));
    }
    worst = std::max(worst, ulp_error(math::pow(e, x, y),
                                      std::pow(static_cast<double>(x), static_cast<double>(y))));
  }
  EXPECT_LE(worst, 1.0);
}

}  // namespace
}  // namespace cuda_device::passes
