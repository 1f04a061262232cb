// What it takes to infer the types of functions that are called when the kernel runs.
#include <gtest/gtest.h>

#include "program_reader.h"

namespace cuda_device::frontend::testing {
namespace {

struct Inferred {
  uint32_t passes = 0;
  size_t functions = 0;  // that are called
};

Inferred inferred(const std::string& name) {
  for (Case& c : read_cases(CD_TEST_PROGRAMS "/called.cases")) {
    if (c.name != name) continue;
    for (syntax::Function& f : c.program.functions)
      if (f.kind == syntax::FunctionKind::Plain) f.options.inlining = Inlining::Never;
    Inferred found;
    Effort effort;
    found.functions = lower(c.request(), nullptr, &effort)->functions.size();
    found.passes = effort.passes;
    return found;
  }
  return {};
}

// Each function is lowered at its first call, so the result of all is known after one pass.
TEST(Called, aLongChainTakesNoMorePassesThanAShortOne) {
  const Inferred one = inferred("chain_of_2"), many = inferred("chain_of_61");
  EXPECT_EQ(one.functions, 2u);
  EXPECT_EQ(many.functions, 61u);
  EXPECT_GT(one.passes, 0u);
  EXPECT_EQ(one.passes, many.passes);
  EXPECT_LE(many.passes, 3u);
}

}  // namespace
}  // namespace cuda_device::frontend::testing
