// For which loads the lines a page away are prefetched.
#include <algorithm>

#include "analysis/memory/prefetch.h"

#include "unit/analysis/analysed.h"

namespace cuda_device::analysis::testing {
namespace {

struct Case {
  std::string facts = "no_alias beyond_cache";
  std::string body = "%v = load %a, %y, %x : float32\n";
};

bool prefetches_page(const Case& c) {
  const Analysed f(R"(kernel "k"
param @0 "a": array<float32, 2> )" +
                   c.facts + R"(
param @1 "b": array<float32, 1> no_alias beyond_cache
param @2 "n": int32
param @3 "c": array<int32, 1> no_alias
slot $0 "k": int32
{
  %a = param @0 : array<float32, 2>
  %b = param @1 : array<float32, 1>
  %c = param @3 : array<int32, 1>
  %n = param @2 : int32
  %x = tid #0 : int32
  %y = tid #1 : int32
  %zero = const 0 : int32
  %one = const 1 : int32
  %many = const 9000 : int32
)" + c.body + "}\n");
  const auto prefetches = find_prefetches(*f.f, f.a)[f.nth(ir::Op::Load).id];
  return std::ranges::count(prefetches, Prefetch::What::Page, &Prefetch::what) == 1;
}

std::string loop(const std::string& to) {
  return "for $0, %zero, " + to + ", %one {\n%v = load %a, %y, %x : float32\n}\n";
}

TEST(PrefetchPage, RowsOfArraysBeyondTheCache) {
  EXPECT_TRUE(prefetches_page({}));
  EXPECT_TRUE(
      prefetches_page({.body = "%less = lt %x, %n : bool\nif %less {\n" + Case{}.body + "}\n"}));
  EXPECT_TRUE(prefetches_page({.body = loop("%one")})) << "unrolled";
}

TEST(PrefetchPage, Others) {
  EXPECT_FALSE(prefetches_page({.facts = "no_alias"})) << "the caches hold it";
  EXPECT_FALSE(prefetches_page({.body = "%v = load %b, %x : float32\n"})) << "one stream of memory";
  EXPECT_FALSE(prefetches_page({.body = loop("%n")}));
  EXPECT_FALSE(prefetches_page({.body = loop("%many")}));
  EXPECT_FALSE(prefetches_page({.body = Case{}.body + "barrier\n"}));
}

// A load, and so many operations on `value`.
std::string operations(int count, const std::string& value) {
  std::string body = "%w = load %c, %x : int32\n%s0 = add " + value + ", %n : int32\n";
  for (int k = 1; k < count; ++k)
    body += "%s" + std::to_string(k) + " = add %s" + std::to_string(k - 1) + ", %n : int32\n";
  return body;
}

TEST(PrefetchPage, WhereAGangComputesForLong) {
  EXPECT_TRUE(prefetches_page({.body = operations(40, "%w")})) << "of any size";
  EXPECT_FALSE(prefetches_page({.body = operations(10, "%w")}));
  EXPECT_FALSE(prefetches_page({.body = operations(40, "%n")})) << "the same for all lanes";
  EXPECT_FALSE(prefetches_page({.body = operations(40, "%w") + "barrier\n"}));
}

}  // namespace
}  // namespace cuda_device::analysis::testing
