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
void expect_kept(const LitmusProgram& program, const OrderOf& order, bool one_block,
                 const PipelineOptions& given) {
  const bool plain = std::ranges::any_of(program, [](const LitmusThread& thread) {
    return std::ranges::any_of(thread, [](const LitmusStep& s) { return s.plain; });
  });
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
    ASSERT_TRUE(within && (plain || seen == allowed)) << "after " << pass << "\n"
                                                      << before << "\n"
                                                      << ir::print(after);
  };
  run_pipeline(*f, options);
}

void expect_random_kept(unsigned seed, bool plain, const PipelineOptions& given) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const LitmusProgram program = random_litmus(random, plain);
  const bool one_block = random() % 2;
  const OrderOf order = [&](const LitmusStep& s) {
    return random_order(s, random, one_block ? ir::ThreadScope::Block : ir::ThreadScope::Device);
  };
  expect_kept(program, order, one_block, given);
}

PipelineOptions for_lanes() {
  PipelineOptions options;
  options.lanes = Lanes();
  return options;
}

TEST(LitmusOfPasses, AtomicAccessesKeepTheirOutcomes) {
  for (unsigned seed = 0; seed < 80 && !testing::Test::HasFatalFailure(); ++seed)
    expect_random_kept(seed, false, {});
}

TEST(LitmusOfPasses, PlainAccessesBesideThemGainNone) {
  for (unsigned seed = 0; seed < 80 && !testing::Test::HasFatalFailure(); ++seed)
    expect_random_kept(seed, true, {});
}

TEST(LitmusOfPasses, ForLanesToo) {
  for (unsigned seed = 0; seed < 80 && !testing::Test::HasFatalFailure(); ++seed)
    expect_random_kept(seed, seed % 2, for_lanes());
}

// The weakest orders are those with which a pass may do the most.
TEST(LitmusOfPasses, KeepTheOutcomesOfTheTable) {
  for (const LitmusTest& test : litmus_tests()) {
    SCOPED_TRACE(test.name);
    for (const bool one_block : {false, true}) {
      const OrderOf order = [&](const LitmusStep& s) {
        const auto scope = one_block ? test.narrowest : ir::ThreadScope::Device;
        return ir::AtomicSpec{.order = orders_for(s.kind).front(), .scope = scope};
      };
      expect_kept(test.program, order, one_block, {});
      expect_kept(test.program, order, one_block, for_lanes());
    }
  }
}

}  // namespace
}  // namespace cuda_device::passes
