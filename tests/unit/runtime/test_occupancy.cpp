// Figures of ptxas, and how many blocks a multiprocessor holds. Expected: by hand from the table of
// technical specifications in NVIDIA's guide.
#include <gtest/gtest.h>

#include "runtime/cuda/occupancy.h"

namespace cuda_device::cuda {
namespace {

constexpr const char* kLog =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'f' for 'sm_80'\n"
    "ptxas info    : Function properties for f\n"
    "    48 bytes stack frame, 24 bytes spill stores, 32 bytes spill loads\n"
    "ptxas info    : Used 255 registers, used 1 barriers, 2064 bytes smem, 360 bytes cmem[0]\n";

TEST(Resources, AsPtxasSays) {
  const auto r = resources_of(kLog);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->registers, 255U);
  EXPECT_EQ(r->stack, 48U);
  EXPECT_EQ(r->spill_stores, 24U);
  EXPECT_EQ(r->spill_loads, 32U);
  EXPECT_EQ(r->shared, 2064U);
}

TEST(Resources, NoneWhereItSaysNothing) {
  EXPECT_FALSE(resources_of(""));
  EXPECT_FALSE(resources_of("ptxas fatal   : Unresolved extern function 'g'"));
}

struct Case {
  int sm;
  uint32_t registers, threads, shared;
  uint32_t blocks;
  const char* limit;
};

TEST(Occupancy, TheScarcestThingDecides) {
  for (const Case& c : {
           Case{80, 32, 256, 0, 8, "threads"},    // 2048 / 256
           Case{80, 64, 256, 0, 4, "registers"},  // 65536 / 64 = 1024 threads
           Case{80, 33, 256, 0, 6, "registers"},  // a warp gets 1280: 12 warps in each of 4 parts
           Case{80, 255, 1024, 0, 0, "registers"},
           Case{80, 16, 32, 0, 32, "blocks"},
           Case{86, 32, 1024, 0, 1, "threads"},  // 1536 threads
           Case{75, 16, 64, 16 * 1024, 4, "shared memory"},
           Case{90, 16, 64, 48 * 1024, 4, "shared memory"},  // 49 KiB each, of 228
           Case{90, 16, 64, 227 * 1024, 1, "shared memory"},
           Case{120, 16, 33, 0, 24, "threads"},  // two warps each, 48 warps
       }) {
    const auto o = occupancy(c.sm, c.registers, c.threads, c.shared);
    ASSERT_TRUE(o);
    EXPECT_EQ(o->blocks, c.blocks) << c.sm << " " << c.registers << " " << c.threads;
    EXPECT_STREQ(o->limit, c.limit) << c.sm << " " << c.registers << " " << c.threads;
  }
}

TEST(Occupancy, OfOtherArchitecturesIsNotKnown) { EXPECT_FALSE(occupancy(70, 32, 256, 0)); }

}  // namespace
}  // namespace cuda_device::cuda
