// A bad lowering is right, and ten times too long: so every operation has a budget of instructions
// for 32 lanes, by mask form. Counted are the instructions that LLVM chooses for one CPU. With
// CD_PRINT_BUDGETS set, prints what is used, in budgets.inc's form; with it set to the name of an
// operation, "floordiv int32", its code.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "unit/codegen/long_tests.h"
#include "unit/codegen/op_cost.h"

namespace cuda_device::codegen::test {
namespace {

struct Budget {
  const char* name;
  int instructions[3];  // by MaskForm
};

constexpr Budget kBudgets[] = {
#define BUDGET(name, avx512, avx2, sse4) {name, {avx512, avx2, sse4}},
#include "unit/codegen/budgets.inc"
};

std::map<std::string, const Budget*> budgets() {
  std::map<std::string, const Budget*> by_name;
  for (const Budget& b : kBudgets) by_name[b.name] = &b;
  return by_name;
}

std::string wish() {
  const char* text = std::getenv("CD_PRINT_BUDGETS");
  return text ? text : "";
}

void print(const OpCase& c) {
  int used[3] = {};
  for (MaskForm form : kMaskForms) {
    used[static_cast<int>(form)] = instructions_of(c, form);
    if (wish() == c.name()) std::fputs(assembly_of(c, form).c_str(), stdout);
  }
  std::printf("BUDGET(\"%s\", %d, %d, %d)\n", c.name().c_str(), used[0], used[1], used[2]);
}

void check(const OpCase& c) {
  static const auto by_name = budgets();
  const auto found = by_name.find(c.name());
  ASSERT_NE(found, by_name.end()) << c.name() << " has no budget";
  for (MaskForm form : kMaskForms) {
    EXPECT_LE(instructions_of(c, form), found->second->instructions[static_cast<int>(form)])
        << c.name() << ", " << name_of(form);
  }
}

class HostBudgets : public testing::TestWithParam<int> {};

TEST_P(HostBudgets, Operations) {
  OpCases cases = op_cases_of(static_cast<ScalarKind>(GetParam()), [](ir::Op) { return true; });
  std::erase_if(cases, [](const OpCase& c) { return !is_for_targets(c); });
  for (size_t i = 0; i < cases.size(); ++i) {
    if (!wish().empty())
      print(cases[i]);
    else if (is_sampled(i, static_cast<size_t>(GetParam())))
      check(cases[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, HostBudgets, testing::Range(0, kScalarCount), [](const auto& info) {
  return std::string(name_of(static_cast<ScalarKind>(info.param)));
});

TEST(HostBudgetList, EachIsOfAnOperation) {
  std::map<std::string, int> uses;
  for (const Budget& b : kBudgets) ++uses[b.name];
  for (const OpCase& c : all_op_cases())
    if (is_for_targets(c)) --uses[c.name()];
  for (const auto& [name, count] : uses) EXPECT_EQ(count, 0) << name;
}

}  // namespace
}  // namespace cuda_device::codegen::test
