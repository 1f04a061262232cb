// Guards: whole gangs run what is guarded without a mask; where that is not worth it, it is emitted
// once.
#include <gtest/gtest.h>

#include "unit/codegen/array_compare.h"
#include "unit/codegen/host_run.h"
#include "unit/codegen/memory_kernels.h"

namespace cuda_device::codegen::test {
namespace {

constexpr char kWhole[] = "all_pass";  // the block's name

// `body` has the arrays %a, to write, and %b, of float32, positions %x and %y, the number %n and
// extents %w and %h of %a.
std::string kernel(const std::string& body, const std::string& block = "32 8") {
  const std::string head = R"(kernel "guarded"
launch block BLOCK 1 grid_fits_31
param @0 "a": array<float32, 2> unit_inner contiguous element_aligned fits_31 no_alias
param @1 "b": array<float32, 2> unit_inner contiguous element_aligned fits_31 no_alias
param @2 "n": int32
slot $0 "inside": bool
slot $1 "sum": float32
slot $2 "k": int32
{
  %a = param @0 : array<float32, 2>
  %b = param @1 : array<float32, 2>
  %n = param @2 : int32
  %x = tid #0 : int32
  %y = tid #1 : int32
  %zero = const 0 : int32
  %one = const 1 : int32
  %two = const 2 : int32
  %h64 = extent #0, %a : int64
  %h = convert %h64 : int32
  %w64 = extent #1, %a : int64
  %w = convert %w64 : int32
  %inx = lt %x, %w : bool
  %iny = lt %y, %h : bool
  %in = and %inx, %iny : bool
)";
  return replaced(head, "BLOCK", block) + body + "\n}\n";
}

constexpr char kMove[] = " %v = load %b, %y, %x : float32 store %a, %y, %x, %v ";

std::string guarded(const std::string& condition) { return "if " + condition + " {" + kMove + "}"; }

std::string emitted(const std::string& text, const Way& way = {}) {
  std::string llvm;
  Listing listing;
  listing.llvm = &llvm;
  compile_way(*ir::parse(text), way, listing);
  return llvm;
}

size_t count(const std::string& text, const std::string& what) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++found;
  return found;
}

// The first basic block that is for whole gangs; empty if there is none.
std::string whole_block(const std::string& llvm) {
  const size_t begin = llvm.find(std::string("\n") + kWhole + ":");
  if (begin == std::string::npos) return "";
  return llvm.substr(begin, llvm.find("\n\n", begin) - begin);
}

size_t versions(const std::string& body, const std::string& block = "32 8") {
  return count(emitted(kernel(body, block)), std::string("\n") + kWhole);
}

TestArguments arguments(int64_t height, int64_t width, int64_t n) {
  return {TestArray::of_bytes(ScalarKind::F32, {height, width}),
          numbered(ScalarKind::F32, {height, width}), TestArgument(n)};
}

// Checks every way of compiling, with rows that end inside of a gang and at its end. All threads
// are inside of the array's height.
void expect_right(const std::string& body, const std::string& block) {
  SCOPED_TRACE(block);
  const auto f = ir::parse(kernel(body, block));
  ASSERT_EQ(ir::verify(*f), std::vector<std::string>());
  const auto [x, y, z] = f->launch.block;
  for (const Way& way : all_ways()) {
    const LoadedImage image(compile_way(*f, way));
    for (uint32_t width : {0u, 1u, 31u, 32u, 33u, 64u}) {
      SCOPED_TRACE(way.name() + ", " + std::to_string(width));
      const uint32_t height = 3 * y;
      const ir::Grid grid{{width / x + 1, 3, 1}, {x, y, 1}};
      TestArguments actual = arguments(height, width, width / 4);
      TestArguments expected = actual;
      interpret(*f, expected, grid);
      image.run(actual, grid);
      const auto difference = first_difference(actual[0].array, expected[0].array);
      EXPECT_FALSE(difference) << *difference;
    }
  }
}

TEST(HostGuards, WholeGangsMoveWholeVectors) {
  for (MaskForm form : kMaskForms) {
    Way way;
    way.form = form;
    const std::string llvm = emitted(kernel(guarded("%in")), way);
    const std::string whole = whole_block(llvm);
    EXPECT_NE(whole.find("load <32 x float>"), std::string::npos) << llvm;
    EXPECT_NE(whole.find("store <32 x float>"), std::string::npos) << llvm;
    EXPECT_EQ(whole.find("call"), std::string::npos) << whole;
    EXPECT_EQ(count(whole, "x i1>"), 0u) << whole;
  }
}

TEST(HostGuards, TheTestIsOfOneLane) {
  const std::string llvm = emitted(kernel(guarded("%in"), "16 4"));
  ASSERT_NE(whole_block(llvm), "");
  const std::string before = llvm.substr(0, llvm.find(std::string("\n") + kWhole + ":"));
  EXPECT_EQ(count(before, "reduce"), 0u) << before;
}

constexpr char kMore[] = "%zerof = const 0.0 : float32 %low2 = ge %x, %two : bool ";

struct Case {
  const char* what;
  const char* body;
  size_t versions;  // for whole gangs
};

#define MOVE "{ %v = load %b, %y, %x : float32 store %a, %y, %x, %v }"

constexpr Case kCases[] = {
    {"a bound", "if %inx " MOVE, 1},
    {"two axes", "if %in " MOVE, 1},
    {"three bounds", "%low = gt %x, %one : bool %both = and %low, %in : bool if %both " MOVE, 1},
    {"not", "%out = not %in : bool %in2 = not %out : bool if %in2 " MOVE, 1},
    {"what an early return leaves", "%out = ge %x, %w : bool if %out {} else " MOVE, 1},
    {"either end, early return",
     "%low = lt %x, %two : bool %high = ge %x, %w : bool %out = or %low, %high : bool "
     "if %out {} else " MOVE,
     1},
    {"the border on one side, the inside on the other",
     "%low = lt %x, %two : bool %high = ge %x, %w : bool %o = or %low, %high : bool "
     "if %in { if %o { store %a, %y, %x, %zerof } else " MOVE " } ",
     2},
    {"with an else", "if %in { if %low2 " MOVE " else { store %a, %y, %x, %zerof } }", 2},
    {"not equal", "%ne = ne %x, %two : bool %and = and %ne, %in : bool if %and " MOVE, 1},
    {"a variable",
     "slot_store $0, %in if %iny { %low = gt %x, %two : bool %both = and %low, %in : bool "
     "slot_store $0, %both } %loaded = slot_load $0 : bool if %loaded " MOVE,
     1},
    {"a loop around",
     "for $2, %zero, %n, %one { %k = slot_load $2 : int32 %low = gt %x, %k : bool "
     "%both = and %low, %in : bool if %both " MOVE "}",
     1},
    {"a loop that lanes run together", "if %in { for $2, %zero, %n, %one " MOVE " }", 1},
    {"a loop that lanes leave one by one", "if %in { for $2, %zero, %x, %one " MOVE " }", 0},
    {"beyond one bound or the other",
     "%low = lt %x, %two : bool %high = ge %x, %n : bool %out = or %low, %high : bool "
     "if %in { if %out " MOVE " }",
     0},
    {"one in another", "if %in { if %low2 " MOVE " }", 2},
    {"one in another in another",
     "if %in { if %low2 { %low = gt %x, %n : bool if %low " MOVE " } }", 2},
    {"one after another", "if %in " MOVE "if %low2 { if %in { store %a, %y, %x, %zerof } }", 3},
    {"equal", "%eq = eq %x, %two : bool %and = and %eq, %in : bool if %and " MOVE, 0},
    {"data",
     "if %in { %v = load %b, %y, %x : float32 %c = gt %v, %zerof : bool %m = and %c, %low2 "
     ": bool if %m { store %a, %y, %x, %v } }",
     1},
    {"a variable that holds data too",
     "slot_store $0, %low2 if %in { %u = load %b, %y, %x : float32 %c = gt %u, %zerof : bool "
     "slot_store $0, %c } %loaded = slot_load $0 : bool %and = and %in, %loaded : bool if "
     "%and " MOVE,
     1},
    {"nothing but arithmetic",
     "%f = convert %x : float32 if %in { %g = div %f, %f : float32 slot_store $1, %g } "
     "%s = slot_load $1 : float32 if %in { }",
     0},
};

TEST(HostGuards, WhatHasAVersionForWholeGangs) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(versions(std::string(kMore) + c.body), c.versions);
  }
}

TEST(HostGuards, EveryVersionIsRight) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.what);
    for (const char* block : {"32 8", "16 4"}) expect_right(std::string(kMore) + c.body, block);
  }
}

// The last gang of a block has few threads; the others are whole.
TEST(HostGuards, BlocksThatGangsDoNotDivide) {
  EXPECT_EQ(versions(guarded("%in"), "100 1"), 1u);
  EXPECT_EQ(versions(guarded("%in"), "8 6"), 1u);
  EXPECT_EQ(versions(guarded("%in"), "10 3"), 0u);  // thirty in every gang
  for (const char* block : {"100 1", "33 1", "31 2", "8 6", "10 3"})
    expect_right(guarded("%in"), block);
}

// What one access pays for is bounded.
TEST(HostGuards, LargeOnesAreEmittedOnce) {
  std::string body = "if %in { %v = load %b, %y, %x : float32 %s0 = add %v, %v : float32 ";
  for (int i = 0; i < 60; ++i)
    body += "%s" + std::to_string(i + 1) + " = mul %s" + std::to_string(i) + ", %v : float32 ";
  const std::string store = "store %a, %y, %x, %s60 ";
  EXPECT_EQ(versions(body + store + "}"), 0u);
  EXPECT_EQ(versions(body + store + store + store + "}"), 1u);
}

}  // namespace
}  // namespace cuda_device::codegen::test
