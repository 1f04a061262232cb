// The dialect is one policy object: the same function, two sets of types.
#include <gtest/gtest.h>

#include "frontend/policy.h"
#include "program_reader.h"

namespace cuda_device::frontend::testing {
namespace {

TEST(Dialect, oneFunctionTwoPolicies) {
  const std::deque<Case> cases = read_cases(CD_TEST_PROGRAMS "/dialects.cases");
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_EQ(result_type(cases[0].request()), "(float, float32, int8, float32, float32, int)");
  EXPECT_EQ(result_type(cases[1].request()), "(int32, float32, int32, float64, float64, int64)");
}

std::optional<TypeCode> always_float64(TypeCode, TypeCode) { return TypeCode::f8; }

// What a variable is and what an operator computes in are two questions.
TEST(Dialect, joinsAndOperatorsAskApart) {
  const std::deque<Case> cases = read_cases(CD_TEST_PROGRAMS "/dialects.cases");
  const Request request = cases.at(2).request();
  EXPECT_EQ(result_type(request), "(float32, float32, float32, float32)");
  Policy joins = policy_of(DialectName::Device);
  joins.unify = always_float64;
  EXPECT_EQ(result_type(request, joins), "(float64, float64, float32, float32)");
  Policy operators = policy_of(DialectName::Device);
  operators.operator_type = always_float64;
  EXPECT_EQ(result_type(request, operators), "(float32, float32, float64, float64)");
}

}  // namespace
}  // namespace cuda_device::frontend::testing
