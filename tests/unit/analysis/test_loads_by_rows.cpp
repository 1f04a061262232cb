// Which loads go through an array by rows, as blocks do.
#include "analysis/loads_by_rows.h"

#include "unit/analysis/analysed.h"

namespace cuda_device::analysis::testing {
namespace {

struct Case {
  std::string facts = "no_alias beyond_cache";
  std::string body = "%v = load %a, %y, %x : float32\n";
};

bool by_rows(const Case& c) {
  const Analysed f(R"(kernel "k"
param @0 "a": array<float32, 2> )" +
                   c.facts + R"(
param @1 "b": array<float32, 1> no_alias beyond_cache
param @2 "n": int32
slot $0 "k": int32
{
  %a = param @0 : array<float32, 2>
  %b = param @1 : array<float32, 1>
  %n = param @2 : int32
  %x = tid #0 : int32
  %y = tid #1 : int32
  %zero = const 0 : int32
  %one = const 1 : int32
  %many = const 9000 : int32
)" + c.body + "}\n");
  return loads_by_rows(*f.f, f.a)[f.nth(ir::Op::Load).id];
}

std::string loop(const std::string& to) {
  return "for $0, %zero, " + to + ", %one {\n%v = load %a, %y, %x : float32\n}\n";
}

TEST(LoadsByRows, Once) {
  EXPECT_TRUE(by_rows({}));
  EXPECT_TRUE(by_rows({.body = "%c = lt %x, %n : bool\nif %c {\n" + Case{}.body + "}\n"}));
  EXPECT_TRUE(by_rows({.body = loop("%one")})) << "written out";
}

TEST(LoadsByRows, Others) {
  EXPECT_FALSE(by_rows({.facts = "no_alias"})) << "the caches hold it";
  EXPECT_FALSE(by_rows({.body = "%v = load %b, %x : float32\n"})) << "one stream of memory";
  EXPECT_FALSE(by_rows({.body = loop("%n")}));
  EXPECT_FALSE(by_rows({.body = loop("%many")}));
  EXPECT_FALSE(by_rows({.body = Case{}.body + "barrier\n"}));
}

}  // namespace
}  // namespace cuda_device::analysis::testing
