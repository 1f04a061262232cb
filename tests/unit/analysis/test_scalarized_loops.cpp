// Which loops are scalarized, and what is known in them.
#include "analysis/loops/scalarized_loops.h"

#include "unit/analysis/analysed.h"

namespace cuda_device::analysis::testing {
namespace {

struct Case {
  std::string first = "%first", last = "%last", step = "%one";
  std::string body = "%v = load %a, %i : float32\n";
  std::string after = "}";
};

Analysed analysed(const Case& c) {
  return Analysed(R"(kernel "k"
launch block 256 1 1 grid_fits_31
param @0 "a": array<float32, 1> no_alias
param @1 "starts": array<int32, 1> no_alias
param @2 "b": array<int32, 2> no_alias
slot $0 "k": int32
slot $1 "sum": float32
slot $2 "same": float32
array &0 "tile": array<float32, 1, shared> shape 8 strides 4 align 4
{
  %a = param @0 : array<float32, 1>
  %s = param @1 : array<int32, 1>
  %b = param @2 : array<int32, 2>
  %x = tid #0 : int32
  %one = const 1 : int32
  %zero = const 0 : int32
  %half = const 0.5 : float32
  %y = add %x, %one : int32
  %first = load %s, %x : int32
  %last = load %s, %y : int32
  for $0, )" + c.first +
                  ", " + c.last + ", " + c.step + R"( {
    %k = slot_load $0 : int32
    %e = extent #0, %a : int64
    %w = convert %k : int64
    %i = wrap %w, %e : int64
)" + c.body + c.after +
                  "\n}\n");
}

bool found(const Case& c) {
  const Analysed f = analysed(c);
  return find_scalarized_loops(*f.f, f.a)[f.nth(ir::Op::For).id];
}

const std::string kLoad = "%v = load %a, %i : float32\n";

TEST(ScalarizedLoops, RowsThatMemoryTells) {
  EXPECT_TRUE(found({}));
  EXPECT_TRUE(found({.last = "%one"}));
  EXPECT_TRUE(found({.step = "%y"}));
  EXPECT_TRUE(found({.body = kLoad + "slot_store $1, %v\n"}));
}

TEST(ScalarizedLoops, NotRowsThatFollowAPattern) {
  EXPECT_FALSE(found({.first = "%x"}));
  EXPECT_FALSE(found({.first = "%zero"}));
  EXPECT_FALSE(found({.first = "%zero", .last = "%one"}));
}

TEST(ScalarizedLoops, LoadsAreScatteredOrOne) {
  EXPECT_FALSE(found({.body = ""})) << "nothing is loaded";
  EXPECT_FALSE(found({.body = "%v = load %a, %one : float32\n"})) << "nor scattered";
  EXPECT_TRUE(found({.body = kLoad + "%u = load %a, %one : float32\n"}));
  EXPECT_FALSE(found({.body = kLoad + "%u = load %a, %x : float32\n"})) << "side by side";
  EXPECT_TRUE(found({.body = "%v = load %b, %i, %x : int32\n"}));
  EXPECT_TRUE(found({.body = "%v = load %b, %one, %k : int32\n"}));
}

TEST(ScalarizedLoops, OnlyArraysOfTheKernel) {
  EXPECT_FALSE(found({.body = "%h = array &0 : array<float32, 1, shared>\n"
                              "%v = load %h, %i : float32\n"}));
}

TEST(ScalarizedLoops, ACheapStraightLine) {
  std::string eight = kLoad, many = kLoad;
  for (int n = 0; n < 12; ++n) {
    const std::string one = "%p" + std::to_string(n) + " = add %k, %one : int32\n";
    if (n < 6) eight += one;
    many += one;
  }
  EXPECT_TRUE(found({.body = eight})) << "with the index";
  EXPECT_FALSE(found({.body = many}));
  EXPECT_FALSE(found({.body = kLoad + "%q = div %v, %half : float32\n"}));
  EXPECT_FALSE(found({.body = kLoad + "%t = thread_idx #0 : uint32\n"}));
  EXPECT_FALSE(found({.body = kLoad + "%c = gt %v, %half : bool\nif %c {\n}\n"}));
  EXPECT_FALSE(found({.body = kLoad + "break\n"}));
  EXPECT_FALSE(found({.body = kLoad + "store %a, %i, %v\n"}));
}

TEST(ScalarizedLoops, NothingAfterTheLoopsEnd) {
  EXPECT_FALSE(found({.after = "} else {\nslot_store $1, %half\n}"}));
}

TEST(ScalarizedLoops, VariablesDifferByLane) {
  EXPECT_FALSE(found({.body = kLoad + "slot_store $2, %half\n"}));
}

TEST(ScalarizedLoops, InsideAllLanesAreOne) {
  const Analysed f = analysed({.body = kLoad + "%m = add %k, %x : int32\nslot_store $1, %v\n"});
  const ir::Inst& loop = f.nth(ir::Op::For);
  const Analysis one = in_scalarized_loop(f.a, loop);
  EXPECT_TRUE(f.a.divergent[loop.id]);
  EXPECT_FALSE(one.divergent[loop.id]);
  const ir::Inst& place = f.nth(ir::Op::Tid);
  EXPECT_TRUE(f.a.shape(place).affine());
  EXPECT_TRUE(one.shape(place).uniform()) << "read from outside";
  EXPECT_TRUE(one.shape(*loop.operands[0]).uniform());
  for (const ir::Inst* i : loop.regions[0].insts) EXPECT_TRUE(one.shape(*i).uniform());
}

TEST(ScalarizedLoops, CountingFromZero) {
  const Analysed f = analysed({});
  const ir::Inst& loop = f.nth(ir::Op::For);
  ASSERT_TRUE(may_count_from_zero(f.a, loop));
  const Analysis more = counting_from_zero(f.a, loop);
  const ir::Block& body = loop.regions[0];
  const ir::Inst &counter = *body.insts[0], &wide = *body.insts[2];
  EXPECT_FALSE(f.a.range(counter).non_negative());
  EXPECT_TRUE(more.range(counter).non_negative());
  EXPECT_TRUE(more.range(wide).non_negative());
  EXPECT_EQ(more.range(counter).hi, f.a.range(counter).hi);
}

TEST(ScalarizedLoops, OnlyWhatKeepsItsValueCountsFromZero) {
  const Analysed f = analysed({.body = kLoad + "%u = convert %k : uint32\n"
                                               "%same = convert %u : int32\n"
                                               "%wider = convert %u : int64\n"
                                               "%less = convert %k : int16\n"});
  const ir::Inst& loop = f.nth(ir::Op::For);
  const Analysis more = counting_from_zero(f.a, loop);
  const std::vector<ir::Inst*>& body = loop.regions[0].insts;
  const size_t end = body.size();
  EXPECT_FALSE(more.range(*body[end - 3]).non_negative()) << "4294967295 becomes -1";
  EXPECT_TRUE(more.range(*body[end - 2]).non_negative());
  EXPECT_FALSE(more.range(*body[end - 1]).non_negative()) << "32768 becomes -32768";
}

TEST(ScalarizedLoops, ACounterThatMayFall) {
  const auto may = [](const Case& c) {
    const Analysed f = analysed(c);
    return may_count_from_zero(f.a, f.nth(ir::Op::For));
  };
  EXPECT_FALSE(may({.step = "%last"}));
  EXPECT_FALSE(may({.body = kLoad + "%d = sub %k, %last : int32\nslot_store $0, %d\n"}));
  EXPECT_FALSE(may({.first = "%one"})) << "known already";
}

}  // namespace
}  // namespace cuda_device::analysis::testing
