// What analyses say of a kernel with an operation of which nothing is known, or with a barrier:
// each claim is there without it and gone with it.
#include "ir/effects.h"

#include "analysis/blocks/block_runs.h"
#include "analysis/memory/invariant_shared_loads.h"
#include "unit/analysis/analysed.h"

namespace cuda_device::analysis::testing {
namespace {

constexpr char kOpaque[] = "%call = opaque 7, %n : int32\n";

Analysed kernel_with(const std::string& header, const std::string& body, const std::string& call) {
  return Analysed("kernel \"k\"\n" + header + R"(
param @0 "a": array<float32, 1> unit_inner fits_31 no_alias read_only
param @1 "out": array<float32, 1> unit_inner fits_31 no_alias beyond_cache
param @2 "n": int32
array &0 "tile": array<float32, 1, shared> shape 256 strides 4 align 64
{
  %a = param @0 : array<float32, 1>
  %out = param @1 : array<float32, 1>
  %n = param @2 : int32
  %tile = array &0 : array<float32, 1, shared>
  %x = tid #0 : int32
  %v = const 1.5 : float32
)" + call + body + "}\n");
}

TEST(Opaque, IsVaryingWhateverItsOperands) {
  const Analysed k = kernel_with("launch block 64 1 1", "", kOpaque);
  EXPECT_EQ(k.a.shape(k.nth(ir::Op::Opaque)).level, Level::Varying);
  EXPECT_EQ(k.a.shape(*k.nth(ir::Op::Opaque).operands[0]).level, Level::LaunchUniform);
}

TEST(Opaque, MayChangeWhatIsNeverStoredTo) {
  const std::string load = "%l = load %a, %n : float32\nstore %out, %x, %l\n";
  const Analysed without = kernel_with("", load, ""), with = kernel_with("", load, kOpaque);
  EXPECT_EQ(ir::changing_arrays(*without.f), (std::vector{false, true, false}));
  EXPECT_EQ(ir::changing_arrays(*with.f), (std::vector{true, true, true}));
  EXPECT_EQ(without.a.shape(without.nth(ir::Op::Load)).level, Level::LaunchUniform);
  EXPECT_EQ(with.a.shape(with.nth(ir::Op::Load)).level, Level::GangUniform);
}

TEST(Opaque, KeepsStoresInTheCache) {
  const std::string store = "store %out, %x, %v\n";
  const Analysed without = kernel_with("", store, ""), with = kernel_with("", store, kOpaque);
  EXPECT_TRUE(without.a.nontemporal_stores[without.nth(ir::Op::Store).id]);
  EXPECT_FALSE(with.a.nontemporal_stores[with.nth(ir::Op::Store).id]);
}

TEST(Opaque, MakesLoadsOfSharedMemoryUnsteadyInItsRegion) {
  const std::string load = "%l = load %tile, %n : float32\nstore %out, %x, %l\n";
  const auto steady = [&](const std::string& call) -> bool {
    const Analysed k = kernel_with("", load, "barrier\n" + call);
    return find_invariant_shared_loads(*k.f)[k.nth(ir::Op::Load).id];
  };
  EXPECT_TRUE(steady(""));
  EXPECT_FALSE(steady(kOpaque));
  EXPECT_TRUE(steady(std::string(kOpaque) + "barrier\n"));
}

TEST(Opaque, MakesThreadsOfAWarpALayout) {
  const auto layout = [](const std::string& call) {
    return analyse(*kernel_with("launch block 64 4 1", "", call).f, 64).layout;
  };
  EXPECT_EQ(layout("").width, 64u);
  EXPECT_EQ(layout("barrier\n").width, 64u);
  EXPECT_EQ(layout(kOpaque).width, 32u);
}

// Narrow blocks side by side would wait for each other.
TEST(Opaque, DoesNotRunInBlocksSideBySide) {
  const auto blocks = [](const std::string& call) {
    const auto f = ir::parse(R"(kernel "k"
launch block 32 8 1
param @0 "n": int32
{
  %n = param @0 : int32
)" + call + "}\n");
    return block_runs(*f, analyse(*f)).blocks;
  };
  EXPECT_GT(blocks(""), 1u);
  EXPECT_EQ(blocks(kOpaque), 1u);
  EXPECT_EQ(blocks("barrier\n"), 1u);
}

}  // namespace
}  // namespace cuda_device::analysis::testing
