// Functions of a module that are lent local arrays by their callers: text, rules, meaning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/effects.h"
#include "ir/interpreter.h"
#include "unit/ir/arguments.h"

namespace cuda_device::ir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Adds to both elements and calls itself with the arrays exchanged, until n is 0.
constexpr const char* kModule = R"(kernel "k"
param @0 "out": array<int32, 1>
array &0 "a": array<int32, 1, local> shape 2 strides 4 align 4
array &1 "b": array<int32, 1, local> shape 2 strides 4 align 4
array &2 "x": array<int32, 1, local> shape 2 strides 4 align 4 lent
array &3 "y": array<int32, 1, local> shape 2 strides 4 align 4 lent
failure ~0 "RecursionError" "too deep" function 0 line 1
{
  %0 = param @0 : array<int32, 1>
  %1 = array &0 : array<int32, 1, local>
  %2 = array &1 : array<int32, 1, local>
  %3 = const 0 : int32
  %4 = const 1 : int32
  %5 = const 3 : int32
  store %1, %3, %3
  store %1, %4, %3
  store %2, %3, %3
  store %2, %4, %3
  call ^0, %5, FIRST, SECOND
  %6 = load %1, %3 : int32
  store %0, %3, %6
  %7 = load %2, %4 : int32
  store %0, %4, %7
}
function ^0 "f" too_deep ~0
param @1 "n": int32
lent &2
lent &3
{
  %0 = param @1 : int32
  %1 = array &2 : array<int32, 1, local>
  %2 = array &3 : array<int32, 1, local>
  %3 = const 0 : int32
  %4 = const 1 : int32
  %5 = load %1, %3 : int32
  %6 = add %5, %0 : int32
  store %1, %3, %6
  %7 = load %2, %4 : int32
  %8 = mul %0, %0 : int32
  %9 = add %7, %8 : int32
  store %2, %4, %9
  %10 = gt %0, %3 : bool
  if %10 {
    %11 = sub %0, %4 : int32
    call ^0, %11, %2, %1
  }
}
)";

std::string module_with(std::string first, std::string second) {
  std::string text = kModule;
  text.replace(text.find("FIRST"), 5, first);
  text.replace(text.find("SECOND"), 6, second);
  return text;
}

TEST(Called, TextOfLentArraysReadsBack) {
  const std::string text = module_with("%1", "%2");
  const auto f = parse(text);
  EXPECT_EQ(print(*f), text);
  EXPECT_TRUE(verify(*f).empty());
}

TEST(Called, AnArrayThatIsLentIsTheCallersOwn) {
  std::vector<int32_t> out(2, -1);
  interpret(*parse(module_with("%1", "%2")), {array_of(out)}, {{1, 1, 1}, {1, 1, 1}}, 10000);
  EXPECT_THAT(out, ElementsAre(3 + 1, 9 + 1));
}

TEST(Called, OneArrayMayBeLentTwice) {
  std::vector<int32_t> out(2, -1);
  interpret(*parse(module_with("%1", "%1")), {array_of(out)}, {{1, 1, 1}, {1, 1, 1}}, 10000);
  EXPECT_THAT(out, ElementsAre(3 + 2 + 1, 0));
  const auto f = parse(module_with("%1", "%1"));
  const Function& called = *f->functions[0];
  const Inst *x = called.body.insts[1], *y = called.body.insts[2];
  EXPECT_TRUE(may_overlap(called, *x, *y));
  EXPECT_FALSE(may_overlap(*f, *f->body.insts[1], *f->body.insts[2]));
}

std::string errors_of(const std::string& text) {
  std::string all;
  const auto f = parse(text);
  for (const auto& e : verify(*f)) all += e + "\n";
  for (const auto& one : f->functions)
    for (const auto& e : verify(*one)) all += e + "\n";
  return all;
}

TEST(Called, WhatIsLentHasToFit) {
  EXPECT_THAT(errors_of(module_with("%1", "%3")), HasSubstr("operand 2 is int32"));
  std::string other = module_with("%1", "%2");
  other.replace(other.find("shape 2"), 7, "shape 3");
  EXPECT_THAT(errors_of(other), HasSubstr("operand 1 is of another shape"));
  std::string one = module_with("%1", "%2");
  one.replace(one.find("lent &3\n"), 8, "");
  EXPECT_THAT(errors_of(one), HasSubstr("array &3 is not lent to this function"));
  EXPECT_THAT(errors_of(one), HasSubstr("3 operands, expected 2"));
  std::string own = module_with("%1", "%2");
  own.replace(own.find("lent &3\n"), 8, "lent &0\n");
  EXPECT_THAT(errors_of(own), HasSubstr("array &0 is not lent"));
}

}  // namespace
}  // namespace cuda_device::ir
