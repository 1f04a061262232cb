// Which stores are non-temporal: to arrays that are written only, and not again and again to the
// same place.
#include "analysis/memory/nontemporal_stores.h"

#include "unit/analysis/analysed.h"

namespace cuda_device::analysis::testing {
namespace {

// For each store, in order.
std::vector<bool> nontemporal(const std::string& facts, const std::string& body) {
  const Analysed k(R"(kernel "k"
param @0 "out": array<float32, 2> )" +
                   facts + R"(
param @1 "n": int32
slot $0 "i": int32
slot $1 "j": int32
{
  %out = param @0 : array<float32, 2>
  %n = param @1 : int32
  %x = tid #0 : int32
  %zero = const 0 : int32
  %one = const 1 : int32
  %v = const 1.5 : float32
)" + body + "}\n");
  std::vector<bool> found;
  ir::for_each_inst(k.f->body, [&](const ir::Inst& i) {
    if (i.op == ir::Op::Store) found.push_back(k.a.nontemporal_stores[i.id]);
  });
  return found;
}

using Answers = std::vector<bool>;
constexpr char kBeyond[] = "no_alias beyond_cache";
constexpr char kStore[] = "store %out, %n, %x, %v\n";
constexpr char kView[] = R"(
  %zero64 = const 0 : int64
  %four64 = const 4 : int64
  %view = view %out, %zero64, %four64, %four64 : array<float32, 1>
)";

TEST(NontemporalStores, NeedTheFacts) {
  EXPECT_EQ(nontemporal(kBeyond, kStore), Answers{true});
  EXPECT_EQ(nontemporal("no_alias", kStore), Answers{false});
  EXPECT_EQ(nontemporal("beyond_cache", kStore), Answers{false})
      << "loaded by another name, perhaps";
  EXPECT_EQ(nontemporal("", kStore), Answers{false});
}

TEST(NontemporalStores, NotToWhatIsLoaded) {
  const std::string load = "%w = load %out, %x, %x : float32\n";
  EXPECT_EQ(nontemporal(kBeyond, kStore + load), Answers{false});
  const std::string part = "%w = load %view, %x : float32\n";
  EXPECT_EQ(nontemporal(kBeyond, kView + part + kStore), Answers{false}) << "a part of it";
  EXPECT_EQ(nontemporal(kBeyond, kView + std::string("store %view, %x, %v\n") + kStore),
            (Answers{false, true}));
}

std::string loop(const std::string& body, const std::string& after = "") {
  return "for $0, %zero, %n, %one {\n" + body + "} else {\n" + after + "}\n";
}

// %i is the counter of the loop around, %j that of the inner one.
constexpr char kI[] = "%i = slot_load $0 : int32\n";
constexpr char kJ[] = "%j = slot_load $1 : int32\n";

TEST(NontemporalStores, LoopsMoveOn) {
  EXPECT_EQ(nontemporal(kBeyond, loop(kStore)), Answers{false});
  EXPECT_EQ(nontemporal(kBeyond, loop("", kStore)), Answers{true}) << "after the last iteration";
  EXPECT_EQ(nontemporal(kBeyond, loop(std::string(kI) + "store %out, %i, %x, %v\n")),
            Answers{true});
  EXPECT_EQ(
      nontemporal(kBeyond, loop(std::string(kI) + "%y = add %i, %x : int32 %z = convert %y : int64 "
                                                  "store %out, %n, %z, %v\n")),
      Answers{true});
}

TEST(NontemporalStores, WhatComesBackDoesNotMove) {
  for (const char* y : {"and %i, %one", "floormod %i, %one", "floordiv %i, %n", "xor %i, %one"})
    EXPECT_EQ(nontemporal(kBeyond, loop(std::string(kI) + "%y = " + y +
                                        " : int32 store %out, %y, %x, %v\n")),
              Answers{false})
        << y;
}

TEST(NontemporalStores, EveryLoopAround) {
  auto nest = [](const char* start, const char* row) {
    return loop(std::string(kI) + "for $1, " + start + ", %n, %one {\n" + kJ +
                "%ij = add %i, %j : int32 store %out, " + row + ", %x, %v\n}\n");
  };
  EXPECT_EQ(nontemporal(kBeyond, nest("%zero", "%ij")), Answers{true});
  EXPECT_EQ(nontemporal(kBeyond, nest("%zero", "%j")), Answers{false}) << "the outer one";
  EXPECT_EQ(nontemporal(kBeyond, nest("%zero", "%i")), Answers{false}) << "the inner one";
  EXPECT_EQ(nontemporal(kBeyond, nest("%i", "%j")), Answers{true})
      << "it starts elsewhere each time";
}

std::string counting(const std::string& step, const std::string& before = "") {
  return R"(while {
    %i = slot_load $0 : int32
    %more = lt %i, %n : bool
    yield %more
  } do {
)" + before +
         R"(    %k = slot_load $0 : int32
    store %out, %k, %x, %v
    %next = )" +
         step + R"( : int32
    slot_store $0, %next
  }
)";
}

TEST(NontemporalStores, LoopsThatCountThemselves) {
  EXPECT_EQ(nontemporal(kBeyond, counting("add %k, %n")), Answers{true});
  EXPECT_EQ(nontemporal(kBeyond, counting("sub %k, %n")), Answers{true});
  EXPECT_EQ(nontemporal(kBeyond, counting("sub %one, %k")), Answers{false}) << "0, 1, 0, 1";
  EXPECT_EQ(nontemporal(kBeyond, counting("add %n, %one")), Answers{false}) << "the same each time";
  EXPECT_EQ(nontemporal(kBeyond, counting("add %k, %n", "slot_store $0, %zero\n")), Answers{false})
      << "set back";
}

}  // namespace
}  // namespace cuda_device::analysis::testing
