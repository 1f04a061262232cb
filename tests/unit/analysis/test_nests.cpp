// Loops in loops: what is found of the innermost, and what finding it costs.
#include "analysis/liveness.h"
#include "analysis/ranges/ranges.h"
#include "unit/analysis/analysed.h"

namespace cuda_device::analysis::testing {
namespace {

// `depth` loops, each of which counts from what the one around it has reached to `limit` and breaks
// off by what it reads.
std::string nest(int depth, int limit) {
  std::string text = "kernel \"k\"\nparam @0 \"a\": array<float32, 1> fits_31\n";
  for (int d = 0; d < depth; ++d) text += "slot $" + std::to_string(d) + " \"s\": int32\n";
  text += "{\n  %zero = const 0 : int32\n  %one = const 1 : int32\n  %limit = const " +
          std::to_string(limit) +
          " : int32\n  %a = param @0 : array<float32, 1>\n"
          "  %c = const 1.0 : float32\n";
  for (int d = 0; d < depth; ++d) {
    const std::string slot = "$" + std::to_string(d), n = std::to_string(d);
    const std::string start = d == 0 ? "%zero" : "%i" + std::to_string(d - 1);
    text += "  slot_store " + slot + ", " + start + "\n  while {\n  %t" + n + " = slot_load " +
            slot + " : int32\n  %u" + n + " = lt %t" + n + ", %limit : bool\n  yield %u" + n +
            "\n  } do {\n  %i" + n + " = slot_load " + slot + " : int32\n  %n" + n + " = add %i" +
            n + ", %one : int32\n  slot_store " + slot + ", %n" + n + "\n  %x" + n +
            " = load %a, %i" + n + " : float32\n  %y" + n + " = lt %x" + n +
            ", %c : bool\n  if %y" + n + " {\n    break\n  }\n";
  }
  for (int d = 0; d < depth; ++d) text += "  }\n";
  return text + "}\n";
}

size_t cost_of(int depth) {
  const auto f = ir::parse(nest(depth, 100));
  return find_ranges(*f, liveness(*f).entry).visits;
}

TEST(Nests, WalksAddUpWithTheDepth) {
  const size_t ten = cost_of(10), twenty = cost_of(20), forty = cost_of(40);
  EXPECT_LE(twenty, 6 * ten) << "instructions by depth; twice as many twice as deep are 4";
  EXPECT_LE(forty, 6 * twenty);
}

TEST(Nests, WhatIsFoundDoesNotDependOnTheDepth) {
  for (int depth : {1, 2, 3, 4, 6, 16}) {
    const Analysed k(nest(depth, 100));
    std::vector<Range> loads;
    ir::for_each_inst(k.f->body, [&](const ir::Inst& i) {
      if (i.op == ir::Op::SlotLoad) loads.push_back(k.a.range(i));
    });
    ASSERT_EQ(loads.size(), static_cast<size_t>(2 * depth));
    for (size_t d = 0; d < loads.size(); d += 2) {
      EXPECT_EQ(loads[d], range(0, 100)) << "loop " << d / 2 << " of " << depth;
      EXPECT_EQ(loads[d + 1], range(0, 99)) << "loop " << d / 2 << " of " << depth;
    }
  }
}

// The inner loop is entered in narrower states when the outer one has been narrowed.
TEST(Nests, AnInnerLoopIsNarrowedWithTheOuterOne) {
  const Analysed k(R"(kernel "k"
slot $0 "i": int32
slot $1 "j": int32
slot $2 "k": int32
{
  %0 = const 10 : int32
  %1 = const 0 : int32
  %2 = const 1 : int32
  slot_store $0, %1
  while {
    %3 = slot_load $0 : int32
    %4 = lt %3, %0 : bool
    yield %4
  } do {
    slot_store $1, %1
    while {
      %5 = slot_load $1 : int32
      %6 = slot_load $2 : int32
      %7 = lt %5, %6 : bool
      yield %7
    } do {
      %8 = slot_load $1 : int32
      %9 = add %8, %2 : int32
      slot_store $1, %9
      %10 = slot_load $0 : int32
      slot_store $2, %10
    }
    %11 = slot_load $0 : int32
    slot_store $2, %11
    %12 = add %11, %2 : int32
    slot_store $0, %12
  }
}
)");
  EXPECT_EQ(k.range(3), range(0, 10));
  EXPECT_EQ(k.range(6), range(0, 9));
  EXPECT_EQ(k.range(8), range(0, 8));
}

// `$0` enters the inner loop as 0 each time, and `%4` from outside of it does not: what the inner
// loop was found to hold when `%4` was 0 is not what it holds later.
TEST(Nests, ValuesFromOutsideGrowWithTheOuterLoop) {
  const Analysed k(R"(kernel "k"
param @0 "a": array<int32, 1> fits_31
param @1 "n": int32
slot $0 "y": int32
slot $1 "s": int32
slot $2 "j": int32
{
  %0 = param @0 : array<int32, 1>
  %1 = param @1 : int32
  %2 = const 0 : int32
  %3 = const 1 : int32
  for $2, %2, %1, %3 {
    %4 = slot_load $0 : int32
    slot_store $0, %2
    slot_store $1, %2
    while {
      %5 = slot_load $0 : int32
      %6 = lt %5, %1 : bool
      yield %6
    } do {
      %7 = slot_load $1 : int32
      store %0, %2, %7
      slot_store $1, %4
      %8 = slot_load $0 : int32
      %9 = add %8, %3 : int32
      slot_store $0, %9
    }
  }
}
)");
  const Range outside = k.range(4), inside = k.range(7);
  EXPECT_EQ(outside, range(0, 2147483647));
  EXPECT_EQ(inside, outside) << "it is stored in each iteration and read in the next";
}

}  // namespace
}  // namespace cuda_device::analysis::testing
