// Budgets of instructions for loads and stores of 32 lanes, by mask form: what a kernel takes
// beyond an empty one, plain moves between registers and arrays not counted.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "unit/codegen/memory_kernels.h"
#include "unit/codegen/op_cost.h"

namespace cuda_device::codegen::test {
namespace {

struct Access {
  const char* name;
  const char* block;
  const char* body;  // a: written, b: read, i: int32, all of the elements' type but i; x, y: thread
};

constexpr Access kRun = {"a run", "32 1", "%v = load %b, %zero, %x : KIND store %a, %zero, %x, %v"};
constexpr Access kMasked = {"a run under a mask", "32 1",
                            "%j = load %i, %zero, %x : int32 %c = ne %j, %zero32 : bool if %c {"
                            " %v = load %b, %zero, %x : KIND store %a, %zero, %x, %v }"};
constexpr Access kGathered = {"gather", "32 1",
                              "%j = load %i, %zero, %x : int32 %v = load %b, %zero, %j : KIND "
                              "store %a, %zero, %x, %v"};
constexpr Access kScattered = {"scatter", "32 1",
                               "%j = load %i, %zero, %x : int32 %v = load %b, %zero, %x : KIND "
                               "store %a, %zero, %j, %v"};
constexpr Access kRows = {"rows of 8", "8 4", "%v = load %b, %y, %x : KIND store %a, %y, %x, %v"};
constexpr Access kReversed = {"backwards", "32 1",
                              "%r = sub %last, %x : int32 %v = load %b, %zero, %r : KIND "
                              "store %a, %zero, %x, %v"};

struct Budget {
  const Access& access;
  ScalarKind kind;
  int instructions[3];  // by MaskForm
};

constexpr Budget kBudgets[] = {
    {kRun, ScalarKind::U8, {0, 0, 0}},          {kRun, ScalarKind::F32, {0, 0, 0}},
    {kMasked, ScalarKind::U8, {12, 69, 97}},    {kMasked, ScalarKind::I16, {12, 72, 103}},
    {kMasked, ScalarKind::F32, {14, 39, 113}},  {kMasked, ScalarKind::F64, {23, 73, 128}},
    {kGathered, ScalarKind::U8, {17, 19, 29}},  {kGathered, ScalarKind::I16, {17, 23, 34}},
    {kGathered, ScalarKind::F32, {6, 12, 44}},  {kGathered, ScalarKind::F64, {12, 26, 60}},
    {kScattered, ScalarKind::U8, {14, 16, 25}}, {kScattered, ScalarKind::I16, {14, 17, 27}},
    {kScattered, ScalarKind::F32, {4, 22, 34}}, {kScattered, ScalarKind::F64, {8, 25, 59}},
    {kRows, ScalarKind::U8, {47, 74, 116}},     {kRows, ScalarKind::I16, {29, 29, 30}},
    {kRows, ScalarKind::F32, {30, 30, 30}},     {kReversed, ScalarKind::U8, {25, 29, 42}},
    {kReversed, ScalarKind::I16, {25, 31, 47}}, {kReversed, ScalarKind::F32, {12, 22, 57}},
    {kReversed, ScalarKind::F64, {22, 39, 73}},
};

std::unique_ptr<ir::Function> kernel(const Access& access, ScalarKind kind) {
  const std::string head = R"(kernel "access"
launch block BLOCK 1 grid_fits_31
param @0 "a": array<KIND, 2> unit_inner contiguous element_aligned fits_31 no_alias
param @1 "b": array<KIND, 2> unit_inner contiguous element_aligned fits_31 no_alias
param @2 "i": array<int32, 2> unit_inner contiguous element_aligned fits_31 no_alias
{
  %a = param @0 : array<KIND, 2>
  %b = param @1 : array<KIND, 2>
  %i = param @2 : array<int32, 2>
  %x = tid #0 : int32
  %y = tid #1 : int32
  %zero = const 0 : int64
  %zero32 = const 0 : int32
  %last = const 1000000 : int32
)";
  const std::string text = replaced(head, "BLOCK", access.block) + access.body + "\n}\n";
  return ir::parse(replaced(text, "KIND", std::string(name_of(kind))));
}

int cost(const Access& access, ScalarKind kind, MaskForm form) {
  return instructions_of(*kernel(access, kind), form) - instructions_of(*kernel(kRun, kind), form);
}

void check(const Budget& b) {
  for (MaskForm form : kMaskForms) {
    EXPECT_LE(cost(b.access, b.kind, form), b.instructions[static_cast<int>(form)])
        << b.access.name << " " << name_of(b.kind) << ", " << name_of(form);
  }
}

void print(const Budget& b) {
  std::cout << b.access.name << " " << name_of(b.kind) << ":";
  for (MaskForm form : kMaskForms) std::cout << " " << cost(b.access, b.kind, form);
  std::cout << "\n";
}

TEST(HostBudgetList, LoadsAndStores) {
  for (const Budget& b : kBudgets) std::getenv("CD_PRINT_BUDGETS") ? print(b) : check(b);
}

}  // namespace
}  // namespace cuda_device::codegen::test
