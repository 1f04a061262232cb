// Facts as bits: each has one of its own, and comes back.
#include "support/facts.h"

#include <gtest/gtest.h>

#include <bit>

namespace cuda_device {
namespace {

TEST(Facts, EachArrayFactIsOneBit) {
  EXPECT_EQ(array_facts(0), ArrayFacts());
  FactBits all = 0;
#define ARRAY_FACT(name, words)                     \
  {                                                 \
    const FactBits one = bit(ArrayFact::name);      \
    EXPECT_TRUE(std::has_single_bit(one)) << #name; \
    EXPECT_EQ(all & one, 0u) << #name;              \
    all |= one;                                     \
    ArrayFacts expected;                            \
    expected.name = true;                           \
    EXPECT_EQ(array_facts(one), expected) << #name; \
  }
#include "support/facts.def"
  EXPECT_EQ(static_cast<size_t>(std::popcount(all)), sizeof(ArrayFacts));
}

TEST(Facts, EachLaunchFactIsOneBit) {
  const std::array<uint32_t, 3> block{32, 2, 1};
#define LAUNCH_FACT(name)                                   \
  {                                                         \
    const FactBits one = bit(LaunchFact::name);             \
    LaunchFacts expected;                                   \
    expected.block = block;                                 \
    EXPECT_EQ(launch_facts(0, block), expected);            \
    expected.name = true;                                   \
    EXPECT_EQ(launch_facts(one, block), expected) << #name; \
    EXPECT_EQ(bits_of(expected), one) << #name;             \
  }
#include "support/facts.def"
}

}  // namespace
}  // namespace cuda_device
