// What the threads of the interpreter say: failures and printed lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/interpreter.h"

namespace cuda_device::ir {
namespace {

using testing::ElementsAre;

constexpr const char* kHead = R"(kernel "k"
param @0 "out": array<int32, 1>
failure ~0 "ValueError" "six" function 0 line 1
failure ~1 "AssertionError" "assertion failed: n" function 0 line 2 assertion
failure ~2 "ValueError" "{} of {:.1f}" int32 float32 function 0 line 3
format ~0 "{} of {}\x0a" int32 bool
{
  %out = param @0 : array<int32, 1>
  %i = tid #0 : int32
  %one = const 1 : int32
  %six = const 6 : int32
  %zero = const 0 : int32
)";

struct Launched {
  std::vector<int32_t> out = std::vector<int32_t>(12, -1);
  LaunchReport report;

  explicit Launched(const std::string& body, bool heard = true) {
    const auto f = parse(kHead + body + "}");
    Argument a;
    a.array = {reinterpret_cast<char*>(out.data()), {12}, {4}};
    interpret(*f, {a}, {{3, 1, 1}, {4, 1, 1}}, 10000, heard ? &report : nullptr);
  }
};

constexpr const char* kFailsAtSix = R"(
  store %out, %i, %i
  %fine = ne %i, %six : bool
  check ~0, %fine
  store %out, %i, %zero
)";

TEST(Reports, TheFirstFailureEndsTheLaunch) {
  const Launched run(kFailsAtSix);
  ASSERT_TRUE(run.report.failed);
  EXPECT_EQ(run.report.failed->failure, 0u);
  EXPECT_THAT(run.report.failed->block, ElementsAre(1, 0, 0));
  EXPECT_THAT(run.report.failed->thread, ElementsAre(2, 0, 0));
  EXPECT_THAT(run.out, ElementsAre(0, 0, 0, 0, 0, 0, 6, -1, -1, -1, -1, -1));
}

TEST(Reports, AFailureHasTheValuesOfItsThread) {
  const char* body = R"(
  %half = const 0.5 : float32
  %x = convert %i : float32
  %sum = add %x, %half : float32
  %fine = ne %i, %six : bool
  check ~2, %fine, %i, %sum
)";
  const Launched run(body);
  ASSERT_TRUE(run.report.failed);
  EXPECT_EQ(run.report.failed->failure, 2u);
  EXPECT_EQ(run.report.failed->values[0], 6);
  EXPECT_EQ(run.report.failed->values[1], 0x40D00000);
  try {
    const Launched unheard(body, false);
    FAIL();
  } catch (const InterpretError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("kernel 'k': 6 of 6.5 ("));
  }
}

TEST(Reports, OfThreadsThatStandAtABarrier) {
  const Launched run(std::string("barrier") + kFailsAtSix + "barrier");
  ASSERT_TRUE(run.report.failed);
  EXPECT_THAT(run.report.failed->thread, ElementsAre(2, 0, 0));
  EXPECT_THAT(run.out, ElementsAre(0, 0, 0, 0, 0, 0, 6, -1, -1, -1, -1, -1));
}

TEST(Reports, WithoutALaunchReportTheyAreErrors) {
  try {
    Launched(kFailsAtSix, false);
    ADD_FAILURE();
  } catch (const InterpretError& e) {
    EXPECT_STREQ(e.what(), "kernel 'k': six (block (1, 0, 0), thread (2, 0, 0))");
  }
}

TEST(Reports, TextsComeInTheOrderOfTheThreads) {
  Launched run(R"(
  %two = const 2 : int32
  %few = lt %i, %two : bool
  print ~0, %i, %few
  %late = le %i, %two : bool
  check ~1, %late
  print ~0, %one, %late
)");
  EXPECT_EQ(run.report.printed.take(),
            "0 of True\n1 of True\n1 of True\n1 of True\n2 of False\n1 of True\n3 of False\n");
  ASSERT_TRUE(run.report.failed);
  EXPECT_EQ(run.report.failed->failure, 1u);
}

}  // namespace
}  // namespace cuda_device::ir
