// What values are modulo powers of two.
#include "unit/analysis/analysed.h"

namespace cuda_device::analysis::testing {
namespace {

Congruence last_of(const std::string& body, const std::string& launch = "64 1 1") {
  const Analysed k("kernel \"k\"\nlaunch block " + launch + "\n{\n" + body + "}\n");
  return k.a.congruences[k.numbered.back()->id];
}

constexpr Congruence number(uint32_t value) { return {Congruence::kMostModulus, value}; }

// Multiples of 32 and 5.
const char kBase[] =
    "  %0 = block_idx #0 : uint32\n"
    "  %1 = const 32 : uint32\n"
    "  %2 = mul %0, %1 : uint32\n"
    "  %3 = const 5 : uint32\n"
    "  %4 = add %2, %3 : uint32\n";

TEST(Congruence, OfSumsAndProducts) {
  EXPECT_EQ(last_of(kBase), (Congruence{32, 5}));
  EXPECT_EQ(last_of(std::string(kBase) + "  %5 = mul %4, %4 : uint32\n"), (Congruence{32, 25}));
  EXPECT_EQ(last_of(std::string(kBase) + "  %5 = sub %2, %4 : uint32\n"), (Congruence{32, 27}));
  EXPECT_EQ(last_of(std::string(kBase) + "  %5 = not %4 : uint32\n"), (Congruence{32, 26}));
  EXPECT_EQ(last_of(std::string(kBase) + "  %5 = const 12 : uint32\n"
                                         "  %6 = mul %4, %5 : uint32\n"),
            (Congruence{128, 60}));
}

TEST(Congruence, OfQuotientsAndRemainders) {
  const std::string by4 = std::string(kBase) + "  %5 = const 4 : uint32\n";
  EXPECT_EQ(last_of(by4 + "  %6 = floordiv %4, %5 : uint32\n"), (Congruence{8, 1}));
  EXPECT_EQ(last_of(by4 + "  %6 = floormod %4, %5 : uint32\n"), number(1));
  const std::string by2 = std::string(kBase) + "  %5 = const 2 : uint32\n";
  EXPECT_EQ(last_of(by2 + "  %6 = shr %4, %5 : uint32\n"), (Congruence{8, 1}));
  EXPECT_EQ(last_of(by2 + "  %6 = shl %4, %5 : uint32\n"), (Congruence{128, 20}));
}

TEST(Congruence, OfBits) {
  const std::string with6 = std::string(kBase) + "  %5 = const 6 : uint32\n";
  EXPECT_EQ(last_of(with6 + "  %6 = and %4, %5 : uint32\n").value, 4u);
  EXPECT_EQ(last_of(with6 + "  %6 = or %4, %5 : uint32\n"), (Congruence{32, 7}));
  EXPECT_EQ(last_of(with6 + "  %6 = xor %4, %5 : uint32\n"), (Congruence{32, 3}));
}

TEST(Congruence, OfRows) {
  EXPECT_EQ(last_of("  %0 = thread_idx #0 : uint32\n", "16 16 1"), number(0));
  EXPECT_EQ(last_of("  %0 = thread_idx #1 : uint32\n", "16 16 1"), (Congruence{2, 0}));
  EXPECT_EQ(last_of("  %0 = thread_idx #1 : uint32\n", "32 8 1"), (Congruence{1, 0}));
}

}  // namespace
}  // namespace cuda_device::analysis::testing
