// One expression, its argument types, the type of its result: programs/types.txt.
#include <gmock/gmock.h>

#include "program_reader.h"

namespace cuda_device::frontend::testing {
namespace {

std::string outcome(const Request& request) {
  try {
    return result_type(request);
  } catch (const DiagnosticError& e) {
    return "! " + message_of(e.diagnostics.at(0));
  }
}

TEST(Types, ofExpressions) {
  const std::deque<Case> cases = read_cases(CD_TEST_PROGRAMS "/types.cases");
  EXPECT_GT(cases.size(), 100u);
  for (const Case& c : cases) {
    const std::string expected = c.name.substr(c.name.rfind(" | ") + 3);
    const std::string found = outcome(c.request());
    if (expected.starts_with("! ")) {
      EXPECT_THAT(found, ::testing::StartsWith(expected)) << c.name;
    } else {
      EXPECT_EQ(found, expected) << c.name;
    }
  }
}

}  // namespace
}  // namespace cuda_device::frontend::testing
