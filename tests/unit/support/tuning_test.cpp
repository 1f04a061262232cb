// CUDA_DEVICE_TUNING: what its words switch off.
#include "support/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <iterator>
#include <set>
#include <stdexcept>

namespace cuda_device {
namespace {

using testing::HasSubstr;

TEST(Tuning, IsAllOnUnlessToldOtherwise) {
  const Tuning tuning = parse_tuning("");
  EXPECT_EQ(tuning, Tuning());
  for (const HeuristicInfo& info : kHeuristics) EXPECT_TRUE(tuning.on(info.heuristic)) << info.name;
}

TEST(Tuning, WordsSwitchHeuristicsOff) {
  const Tuning tuning = parse_tuning(" -guards,-windows ,");
  EXPECT_FALSE(tuning.on(Heuristic::guards));
  EXPECT_FALSE(tuning.on(Heuristic::windows));
  EXPECT_TRUE(tuning.on(Heuristic::rows));
  EXPECT_EQ(std::popcount(tuning.off()), 2);
}

TEST(Tuning, EachHasANameAPurposeAndABitOfItsOwn) {
  std::set<std::string_view> names;
  std::set<uint64_t> bits;
  for (const HeuristicInfo& info : kHeuristics) {
    const Tuning tuning = parse_tuning("-" + std::string(info.name));
    EXPECT_FALSE(tuning.on(info.heuristic)) << info.name;
    EXPECT_EQ(std::popcount(tuning.off()), 1) << info.name;
    EXPECT_GT(info.purpose.size(), 20u) << info.name;
    names.insert(info.name);
    bits.insert(tuning.off());
  }
  EXPECT_EQ(names.size(), std::size(kHeuristics));
  EXPECT_EQ(bits.size(), std::size(kHeuristics));
  EXPECT_EQ(std::popcount(parse_tuning("-all").off()), static_cast<int>(std::size(kHeuristics)));
}

TEST(Tuning, OtherWordsAreRefusedWithTheNames) {
  for (const char* list : {"-gards", "guards", "+guards", "-", "-guards,all", "-guards -rows"}) {
    try {
      parse_tuning(list);
      ADD_FAILURE() << list;
    } catch (const std::invalid_argument& e) {
      EXPECT_THAT(e.what(), HasSubstr("CUDA_DEVICE_TUNING has the word '")) << list;
      for (const HeuristicInfo& info : kHeuristics)
        EXPECT_THAT(e.what(), HasSubstr(std::string(info.name))) << list;
    }
  }
}

}  // namespace
}  // namespace cuda_device
