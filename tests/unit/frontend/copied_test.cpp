// Of inlined calls that differ in nothing that is known when compiling, one is lowered.
#include <gtest/gtest.h>

#include "program_reader.h"
#include "support/render.h"

namespace cuda_device::frontend::testing {
namespace {

std::unique_ptr<ir::Function> lowered(const Case& c, Effort& effort) {
  try {
    return lower(c.request(), nullptr, &effort);
  } catch (const DiagnosticError& e) {
    for (const Diagnostic& d : e.diagnostics) ADD_FAILURE() << render(d, c.program.files);
    return std::make_unique<ir::Function>();
  }
}

// "lowers_3_of_tuples": 3
uint32_t wanted(const std::string& name) {
  return static_cast<uint32_t>(std::stoul(name.substr(name.find('_') + 1)));
}

TEST(Copied, callsAreLoweredOnce) {
  for (const Case& c : read_cases(CD_TEST_PROGRAMS "/copied.cases")) {
    SCOPED_TRACE(c.name);
    Effort effort;
    const auto kernel = lowered(c, effort);
    EXPECT_EQ(effort.lowered_calls, wanted(c.name));
    EXPECT_EQ(ir::verify(*kernel), std::vector<std::string>());
  }
}

}  // namespace
}  // namespace cuda_device::frontend::testing
