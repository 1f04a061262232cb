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

struct Row {
  const char* name;
  const char* program;
  const char* forbidden;  // values of registers and variables: "r0=1 r1=0"; empty: nothing
  size_t outcomes;        // different ends
};

constexpr Row kRows[] = {
    {"MP", "x=1; y=1 | r0=y; r1=x", "r0=1 r1=0", 3},
    {"MP+fences", "x=1; f; y=1 | r0=y; f; r1=x", "r0=1 r1=0", 3},
    {"MP of plain data", ".x=1; y=1 | r0=y; r1=.x", "r0=1 r1=0", 3},
    {"SB", "x=1; r0=y | y=1; r1=x", "r0=0 r1=0", 3},
    {"SB+fences", "x=1; f; r0=y | y=1; f; r1=x", "r0=0 r1=0", 3},
    {"SB of exchanges", "r0=x+1; r1=y | r2=y+1; r3=x", "r1=0 r3=0", 3},
    {"LB", "r0=x; y=1 | r1=y; x=1", "r0=1 r1=1", 3},
    {"LB+fences", "r0=x; f; y=1 | r1=y; f; x=1", "r0=1 r1=1", 3},
    {"S", "x=2; y=1 | r0=y; x=1", "r0=1 x=2", 3},
    {"R", "x=1; y=1 | y=2; r0=x", "y=2 r0=0", 3},
    {"2+2W", "x=1; y=2 | y=1; x=2", "x=1 y=1", 3},
    {"IRIW", "x=1 | y=1 | r0=x; r1=y | r2=y; r3=x", "r0=1 r1=0 r2=1 r3=0", 15},
    {"IRIW+fences", "x=1 | y=1 | r0=x; f; r1=y | r2=y; f; r3=x", "r0=1 r1=0 r2=1 r3=0", 15},
    {"WRC", "x=1 | r0=x; y=1 | r1=y; r2=x", "r0=1 r1=1 r2=0", 7},
    {"RWC", "x=1 | r0=x; r1=y | y=1; r2=x", "r0=1 r1=0 r2=0", 7},
    {"ISA2", "x=1; y=1 | r0=y; z=1 | r1=z; r2=x", "r0=1 r1=1 r2=0", 7},
    {"WWC", "x=2 | r0=x; y=1 | r1=y; x=1", "r0=2 r1=1 x=2", 9},
    {"CoRR", "x=1; x=2 | r0=x; r1=x", "r0=2 r1=1", 6},
    {"CoRR of two", "x=1 | x=2 | r0=x; r1=x | r2=x; r3=x", "r0=1 r1=2 r2=2 r3=1", 0},
    {"CoRW", "r0=x; x=1", "r0=1", 1},
    {"CoWR", "x=1; r0=x | x=2", "r0=0", 3},
    {"CoWW", "x=1; x=2", "x=1", 1},
    {"additions", "r0=x+1 | r1=x+1 | r2=x+1", "x=2", 6},
    {"compare and swap", "r0=x?0:1 | r1=x?0:2", "r0=0 r1=0", 2},
    {"a swap that fails", "x=1; r0=x?0:2 | r1=x", "x=2", 2},
    {"a lock", "r0=x?0:1; .y=1; r1=.y; x=0 | r2=x?0:1", "x=2", 3},
};

// Whether an outcome has all the values.
bool has(const Memory& m, const std::string& values) {
  for (const std::string& one : [&] {
         std::vector<std::string> all;
         std::istringstream in(values);
         for (std::string part; in >> part;) all.push_back(part);
         return all;
       }()) {
    const size_t number = static_cast<size_t>(one[0] == 'r' ? one[1] - '0' : one[0] - 'x');
    const size_t at = one[0] == 'r' ? kVariables + number : number;
    if (m[at] != std::stoi(one.substr(one.find('=') + 1))) return false;
  }
  return true;
}

class Litmus : public testing::TestWithParam<Row> {};

TEST_P(Litmus, ReachesWhatIsAllowedAndNothingElse) {
  const LitmusProgram program = litmus(GetParam().program);
  const std::set<Memory> allowed = outcomes_of_model(program);
  if (GetParam().outcomes) {
    EXPECT_EQ(allowed.size(), GetParam().outcomes);
  }
  for (const Memory& m : allowed) EXPECT_FALSE(has(m, GetParam().forbidden));
  for (const MemoryOrder load : orders_for(LitmusStep::Kind::Load)) {
    for (const MemoryOrder store : orders_for(LitmusStep::Kind::Store)) {
      for (const MemoryOrder fence : orders_for(LitmusStep::Kind::Fence)) {
        for (const bool one_block : {false, true}) {
          const auto scope = one_block ? ThreadScope::Block : ThreadScope::Device;
          const OrderOf order = [&](const LitmusStep& s) {
            const bool loads = s.kind == LitmusStep::Kind::Load;
            const bool fences = s.kind == LitmusStep::Kind::Fence;
            return AtomicSpec{.order = loads ? load : fences ? fence : store, .scope = scope};
          };
          EXPECT_EQ(explored(program, order, one_block), allowed);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Litmus, testing::ValuesIn(kRows), [](const auto& info) {
  std::string name;
  for (const char c : std::string(info.param.name))
    name += c == '+' ? std::string("With") : std::isalnum(c) ? std::string(1, c) : std::string();
  return name;
});

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
