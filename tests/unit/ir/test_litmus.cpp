// Litmus tests of memory orders, explored: the interpreter reaches every outcome that threads which
// take turns at one memory can reach, and no other, whatever the orders and scopes are. Forbidden
// outcomes are forbidden by ISO C++ under the orders that a row names, and by the model under all.
#include "unit/ir/litmus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cuda_device::ir::test {
namespace {

std::set<Memory> explored(const LitmusProgram& program, const OrderOf& order, bool one_block) {
  const auto f = parse(LitmusKernel(order).text(program));
  return Schedules(*f, grid_of(program, one_block), kVariables + kRegisters).outcomes();
}

// The order of each step by its kind, all with one scope.
struct Orders {
  MemoryOrder load, store, update, fence;
  ThreadScope scope;

  AtomicSpec operator()(const LitmusStep& s) const {
    using Kind = LitmusStep::Kind;
    const MemoryOrder order = s.kind == Kind::Load    ? load
                              : s.kind == Kind::Store ? store
                              : s.kind == Kind::Fence ? fence
                                                      : update;
    return {.order = order, .scope = scope};
  }
};

// Every order that loads, stores and fences can have; updates take theirs in turn, and where
// threads are blocks, scopes too.
std::vector<Orders> all_orders(ThreadScope narrowest, bool one_block) {
  using Kind = LitmusStep::Kind;
  const std::vector<MemoryOrder>& of_updates = orders_for(Kind::Add);
  std::vector<Orders> all;
  for (const MemoryOrder load : orders_for(Kind::Load)) {
    for (const MemoryOrder store : orders_for(Kind::Store)) {
      for (const MemoryOrder fence : orders_for(Kind::Fence)) {
        const size_t n = all.size();
        const auto wide = n % 2 ? ThreadScope::System : ThreadScope::Device;
        all.push_back({.load = load,
                       .store = store,
                       .update = of_updates[n % of_updates.size()],
                       .fence = fence,
                       .scope = one_block ? narrowest : wide});
      }
    }
  }
  return all;
}

class Litmus : public testing::TestWithParam<LitmusTest> {};

TEST_P(Litmus, ReachesWhatIsAllowedAndNothingElse) {
  const LitmusTest& test = GetParam();
  const std::set<Memory> allowed = outcomes_of_model(test.program);
  EXPECT_EQ(allowed.size(), test.ends);
  for (const Memory& m : allowed) EXPECT_FALSE(test.has_never(m));
  for (const bool one_block : {false, true}) {
    for (const Orders& orders : all_orders(test.narrowest, one_block))
      EXPECT_EQ(explored(test.program, orders, one_block), allowed);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Litmus, testing::ValuesIn(litmus_tests()), [](const auto& info) {
  std::string name;
  for (const char c : info.param.name) name += c == '+' ? std::string("With") : std::string(1, c);
  return name;
});

TEST(LitmusTable, IsRead) {
  const std::vector<LitmusTest> tests = litmus_tests();
  ASSERT_GT(tests.size(), 40u);
  for (const LitmusTest& test : tests) EXPECT_FALSE(test.never.empty()) << test.name;
}

// The model and the interpreter agree on programs that nobody wrote.
TEST(RandomLitmus, EveryOutcomeOfTheModelAndNoOther) {
  size_t outcomes = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    const LitmusProgram program = random_litmus(random, seed % 2);
    const bool one_block = random() % 2;
    const OrderOf order = [&](const LitmusStep& s) {
      return random_order(s, random, one_block ? ThreadScope::Block : ThreadScope::Device);
    };
    const std::set<Memory> allowed = outcomes_of_model(program);
    const auto f = parse(LitmusKernel(order).text(program));
    Schedules schedules(*f, grid_of(program, one_block), kVariables + kRegisters);
    ASSERT_EQ(schedules.outcomes(), allowed) << "seed " << seed << "\n" << print(*f);
    outcomes += allowed.size();
  }
  EXPECT_GT(outcomes, 2000u);
}

// What explores must itself see what goes wrong.
TEST(Schedules, SeeAnUpdateThatIsLost) {
  const LitmusProgram added = litmus("r0=x+1 | r1=x+1");
  for (const Memory& m : outcomes_of_model(added)) EXPECT_EQ(m[0], 2);
  const auto f = parse(R"(kernel "lost"
param @0 "m": array<int32, 1>
{
  %m = param @0 : array<int32, 1>
  %zero = const 0 : int64
  %one = const 1 : int32
  %old = load %m, %zero : int32
  %new = add %old, %one : int32
  store %m, %zero, %new
}
)");
  Schedules schedules(*f, {{2, 1, 1}, {1, 1, 1}}, 1);
  EXPECT_EQ(schedules.outcomes(), (std::set<Memory>{{1}, {2}}));
}

}  // namespace
}  // namespace cuda_device::ir::test
