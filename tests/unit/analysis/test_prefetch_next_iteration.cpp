// How far loads move from one iteration of a loop with a barrier to the next.
#include "analysis/memory/prefetch.h"

#include "unit/analysis/analysed.h"

namespace cuda_device::analysis::testing {
namespace {

using Strides = std::vector<std::vector<int64_t>>;

// For each load, in order; `body` is that of a loop with the counter %k, by threes.
Strides strides(const std::string& body, const std::string& facts = "no_alias beyond_cache",
                const std::string& barrier = "barrier\n") {
  const Analysed f(R"(kernel "k"
param @0 "a": array<float32, 2> )" +
                   facts + R"(
param @1 "n": int32
slot $0 "k": int32
slot $1 "i": int32
slot $2 "j": int32
{
  %a = param @0 : array<float32, 2>
  %n = param @1 : int32
  %x = tid #0 : int32
  %zero = const 0 : int32
  %one = const 1 : int32
  %three = const 3 : int32
  slot_store $2, %x
  for $0, %zero, %n, %three {
    %k = slot_load $0 : int32
)" + body + barrier +
                   "}\n}\n");
  const auto by_inst = find_prefetches(*f.f, f.a);
  Strides found;
  ir::for_each_inst(f.f->body, [&](const ir::Inst& i) {
    if (i.op != ir::Op::Load) return;
    found.emplace_back();
    for (const Prefetch& prefetch : by_inst[i.id])
      if (prefetch.what == Prefetch::What::NextIteration) found.back() = prefetch.strides;
  });
  return found;
}

std::string load(const std::string& row, const std::string& column) {
  return "%v = load %a, %" + row + ", %" + column + " : float32\n";
}

TEST(PrefetchNextIteration, FollowsTheCounter) {
  EXPECT_EQ(strides(load("k", "x")), (Strides{{3, 0}}));
  EXPECT_EQ(strides("%i = add %x, %k : int32\n" + load("k", "i")), (Strides{{3, 3}}));
  EXPECT_EQ(strides("%i = sub %n, %k : int32\n" + load("i", "x")), (Strides{{-3, 0}}));
  EXPECT_EQ(strides("%c = const 5 : int32\n%i = mul %k, %c : int32\n" + load("i", "x")),
            (Strides{{15, 0}}));
  EXPECT_EQ(
      strides("%w = convert %k : int64\n%e = extent #0, %a : int64\n%i = wrap %w, %e : int64\n" +
              load("i", "x")),
      (Strides{{3, 0}}));
}

TEST(PrefetchNextIteration, ThroughVariables) {
  EXPECT_EQ(strides("slot_store $1, %k\n%i = slot_load $1 : int32\n" + load("i", "x")),
            (Strides{{3, 0}}));
  EXPECT_EQ(strides("%j = slot_load $2 : int32\n" + load("k", "j")), (Strides{{3, 0}}))
      << "set before the loop: stays";
  EXPECT_EQ(
      strides("slot_store $1, %k\nslot_store $1, %x\n%i = slot_load $1 : int32\n" + load("i", "x")),
      Strides{{}})
      << "two values";
}

TEST(PrefetchNextIteration, SaysNothing) {
  EXPECT_EQ(strides(load("x", "n")), Strides{{}}) << "it stays where it is";
  EXPECT_EQ(strides("%i = mul %k, %k : int32\n" + load("i", "x")), Strides{{}}) << "no constant";
  EXPECT_EQ(strides("%i = floordiv %k, %three : int32\n" + load("i", "x")), Strides{{}});
  EXPECT_EQ(strides(load("k", "x"), "no_alias"), Strides{{}}) << "the caches hold it";
  EXPECT_EQ(strides(load("k", "x"), "no_alias beyond_cache", ""), Strides{{}}) << "no barrier";
}

}  // namespace
}  // namespace cuda_device::analysis::testing
