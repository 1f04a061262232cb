// What a deadlock reads like.
#include <gtest/gtest.h>

#include "support/report.h"

namespace cuda_device {
namespace {

TEST(DeadlockText, NamesPlacesAndOneThreadOfEach) {
  Deadlock deadlock;
  deadlock.places = {{1, 31, {0, 0, 0}, {1, 0, 0}}, {0, 1, {0, 2, 0}, {0, 0, 3}}};
  EXPECT_EQ(text_of(deadlock, {"k.py:15", "k.py:12"}),
            "its threads wait for each other and none can go on (deadlock): 31 threads "
            "at k.py:12 (block (0, 0, 0), thread (1, 0, 0) is one), 1 thread at k.py:15 (block "
            "(0, 2, 0), thread (0, 0, 3))");
}

TEST(DeadlockText, NamesEightPlacesAndCountsTheRest) {
  Deadlock deadlock;
  for (uint32_t site = 0; site < 11; ++site) deadlock.places.push_back({site, 2, {}, {}});
  const std::string text = text_of(deadlock, {"k.py:1"});
  EXPECT_NE(text.find("2 threads at k.py:1 (block"), std::string::npos) << text;
  EXPECT_NE(text.find("2 threads at an unknown place (block"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("is one), and 6 threads at 3 more places")) << text;
}

TEST(DeadlockText, SaysThatMemoryKeptBlocksFromBeginning) {
  Deadlock deadlock;
  deadlock.places = {{0, 1, {}, {}}};
  deadlock.not_started = 700;
  EXPECT_TRUE(text_of(deadlock, {"k.py:1"})
                  .ends_with("; 700 blocks have not begun, for want of memory: launch fewer "
                             "blocks, or fewer threads"));
}

}  // namespace
}  // namespace cuda_device
