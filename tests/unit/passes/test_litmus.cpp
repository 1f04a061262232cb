// Passes keep what threads can see of each other: litmus tests, explored before and after.
#include "unit/ir/litmus.h"

#include <gtest/gtest.h>

#include "passes/pipeline.h"

namespace cuda_device::passes {
namespace {

using namespace ir::test;

std::set<Memory> explored(const ir::Function& f, const LitmusProgram& program, bool one_block) {
  return Schedules(f, grid_of(program, one_block), kVariables + kRegisters).outcomes();
}

// Atomic accesses stay where they are, so that outcomes are the same. Of plain accesses, one may be
// left out where another of the thread gives the value: no outcome is new.
void expect_kept(unsigned seed, bool plain, const PipelineOptions& given) {
  std::mt19937 random(seed);
  const LitmusProgram program = random_litmus(random, plain);
  const bool one_block = random() % 2;
  const OrderOf order = [&](const LitmusStep& s) {
    return random_order(s, random, one_block ? ir::ThreadScope::Block : ir::ThreadScope::Device);
  };
  const auto f = ir::parse(LitmusKernel(order).text(program));
  const std::string before = ir::print(*f);
  std::string last = before;
  const std::set<Memory> allowed = explored(*f, program, one_block);
  PipelineOptions options = given;
  options.verify = true;
  options.dump = [&](std::string_view pass, const ir::Function& after) {
    if (std::string text = ir::print(after); text == std::exchange(last, text)) return;
    const std::set<Memory> seen = explored(after, program, one_block);
    const bool within = std::ranges::includes(allowed, seen);
    ASSERT_TRUE(within && (plain || seen == allowed))
        << "seed " << seed << ", after " << pass << "\n"
        << before << "\n"
        << ir::print(after);
  };
  run_pipeline(*f, options);
}

TEST(LitmusOfPasses, AtomicAccessesKeepTheirOutcomes) {
  for (unsigned seed = 0; seed < 80 && !testing::Test::HasFatalFailure(); ++seed)
    expect_kept(seed, false, {});
}

TEST(LitmusOfPasses, PlainAccessesBesideThemGainNone) {
  for (unsigned seed = 0; seed < 80 && !testing::Test::HasFatalFailure(); ++seed)
    expect_kept(seed, true, {});
}

TEST(LitmusOfPasses, ForLanesToo) {
  PipelineOptions options;
  options.lanes = Lanes();
  for (unsigned seed = 0; seed < 80 && !testing::Test::HasFatalFailure(); ++seed)
    expect_kept(seed, seed % 2, options);
}

}  // namespace
}  // namespace cuda_device::passes
