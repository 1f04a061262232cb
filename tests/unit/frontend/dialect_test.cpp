// The dialect is one policy object: the same function, two sets of types.
#include <gtest/gtest.h>

#include "program_reader.h"

namespace cuda_device::frontend::testing {
namespace {

TEST(Dialect, oneFunctionTwoPolicies) {
  const std::deque<Case> cases = read_cases(CD_TEST_PROGRAMS "/dialects.cases");
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(result_type(cases[0].request()), "(float, float32, int8, float32, float32, int)");
  EXPECT_EQ(result_type(cases[1].request()), "(int32, float32, int32, float64, float64, int64)");
}

}  // namespace
}  // namespace cuda_device::frontend::testing
