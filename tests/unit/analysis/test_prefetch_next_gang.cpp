// For which loads it is known what the next gang reads, which is prefetched.
#include "analysis/memory/prefetch.h"

#include "unit/analysis/analysed.h"

namespace cuda_device::analysis::testing {
namespace {

struct Case {
  std::string facts = "no_alias beyond_cache";
  std::string first = "%first", last = "%last", step = "%one";
  std::string body = "%v = load %a, %k : float32\n";
};

// For each load from "a": whether it is known where the next gang reads; those of the loop itself,
// if `body` has another one.
std::vector<bool> along_rows(const Case& c) {
  const Analysed f(R"(kernel "k"
launch block 256 1 1 grid_fits_31
param @0 "a": array<float32, 1> )" +
                   c.facts + R"(
param @1 "starts": array<int32, 1> no_alias
param @2 "n": int32
slot $0 "k": int32
slot $1 "j": int32
{
  %a = param @0 : array<float32, 1>
  %s = param @1 : array<int32, 1>
  %n = param @2 : int32
  %x = tid #0 : int32
  %one = const 1 : int32
  %two = const 2 : int32
  %y = add %x, %one : int32
  %twice = add %x, %x : int32
  %block = const 256 : int32
  %grid = grid_size #0 : int32
  %first = load %s, %x : int32
  %last = load %s, %y : int32
  for $0, )" + c.first +
                   ", " + c.last + ", " + c.step + R"( {
    %k = slot_load $0 : int32
)" + c.body + "}\n}\n");
  const auto by_inst = find_prefetches(*f.f, f.a);
  const ir::Inst& loop = f.nth(ir::Op::For);
  std::vector<bool> found;
  ir::for_each_inst(f.f->body, [&](const ir::Inst& i) {
    if (i.op != ir::Op::Load || i.operands[0]->imm != 0) return;
    found.push_back(false);
    for (const Prefetch& prefetch : by_inst[i.id]) {
      if (!prefetch.loop) continue;
      EXPECT_EQ(prefetch.loop, &loop);
      found.back() = true;
    }
  });
  return found;
}

using Found = std::vector<bool>;

TEST(PrefetchNextGang, TheCounterIsTheIndex) {
  EXPECT_EQ(along_rows({}), Found{true});
  EXPECT_EQ(along_rows({.body = "%e = extent #0, %a : int64\n%w = convert %k : int64\n"
                                "%i = wrap %w, %e : int64\n%v = load %a, %i : float32\n"}),
            Found{true});
  EXPECT_EQ(along_rows({.body = "%c = lt %k, %n : bool\nif %c {\n%v = load %a, %k : float32\n}\n"}),
            Found{true})
      << "by some lanes, in some iterations";
}

TEST(PrefetchNextGang, OtherIndices) {
  EXPECT_EQ(along_rows({.body = "%v = load %a, %x : float32\n"}), Found{false});
  EXPECT_EQ(along_rows({.body = "%i = mul %k, %two : int32\n%v = load %a, %i : float32\n"}),
            Found{false});
  EXPECT_EQ(along_rows({.body = "for $1, %first, %last, %two {\n%v = load %a, %k : float32\n}\n"}),
            Found{false})
      << "it stands still in the innermost loop";
}

TEST(PrefetchNextGang, SideBySideInStrides) {
  EXPECT_EQ(along_rows({.first = "%x", .last = "%n", .step = "%grid"}), Found{true});
  EXPECT_EQ(along_rows({.first = "%y", .last = "%n", .step = "%grid"}), Found{true});
  EXPECT_EQ(along_rows({.first = "%x", .last = "%n", .step = "%block"}), Found{true});
  EXPECT_EQ(along_rows({.first = "%x", .last = "%n", .step = "%two"}), Found{false})
      << "the next iteration reads what the next gang does";
  EXPECT_EQ(along_rows({.first = "%x", .last = "%n", .step = "%n"}), Found{false})
      << "it may count down";
  EXPECT_EQ(along_rows({.first = "%twice", .last = "%n", .step = "%grid"}), Found{false});
  EXPECT_EQ(along_rows({.first = "%x", .last = "%last", .step = "%grid"}), Found{false});
}

TEST(PrefetchNextGang, OtherLoops) {
  EXPECT_EQ(along_rows({.step = "%two"}), Found{false});
  EXPECT_EQ(along_rows({.first = "%n"}), Found{false}) << "all lanes begin in one place";
  EXPECT_EQ(along_rows({.last = "%n"}), Found{false});
  EXPECT_EQ(along_rows({.facts = "no_alias"}), Found{false}) << "the caches hold it";
}

}  // namespace
}  // namespace cuda_device::analysis::testing
