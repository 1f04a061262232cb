// Loads and stores of two-dimensional arrays: every element type, layout of lanes, set of facts and
// strides.
#include <gtest/gtest.h>

#include "unit/codegen/long_tests.h"
#include "unit/codegen/memory_kernels.h"

namespace cuda_device::codegen::test {
namespace {

struct Block {
  uint32_t x, y, z;
};

void check_copy(ScalarKind kind, Block block, bool known, const std::string& facts) {
  const std::string shape =
      std::to_string(block.x) + " " + std::to_string(block.y) + " " + std::to_string(block.z);
  SCOPED_TRACE(std::string(name_of(kind)) + " " + shape + (known ? " known " : " ") + facts);
  const std::string launch = known ? "launch block " + shape + " grid_fits_31" : "";
  const ir::Grid grid{{70 / block.x + 1, 19 / block.y + 1, 1}, {block.x, block.y, block.z}};
  expect_same(copy_2d(kind, launch, facts),
              {TestArray::of_bytes(kind, {19, 70}), numbered(kind, {19, 70})}, grid);
}

TEST(HostCopy, EveryType) {
  for (ScalarKind kind : sampled_kinds())
    for (Block block : {Block{32, 8, 1}, {8, 8, 1}, {10, 10, 1}})
      check_copy(kind, block, true, kAllFacts);
}

TEST(HostCopy, BlocksOfEveryShape) {
  for (Block block : {Block{16, 16, 1},
                      {4, 8, 1},
                      {5, 7, 1},
                      {3, 3, 3},
                      {1, 33, 1},
                      {33, 2, 1},
                      {64, 2, 1},
                      {100, 3, 1},
                      {2, 2, 2},
                      {1, 1, 1},
                      {31, 1, 1},
                      {12, 5, 2}})
    for (bool known : {false, true})
      if (known || long_tests()) check_copy(ScalarKind::F32, block, known, kAllFacts);
}

TEST(HostCopy, WithoutFacts) {
  for (Block block : {Block{32, 2, 1}, {8, 8, 1}, {10, 3, 1}})
    for (bool known : {false, true}) check_copy(ScalarKind::I32, block, known, kNoFacts);
}

TEST(HostCopy, AnyStrides) {
  for (int64_t step : {2, 3, -1}) {
    TestArguments arguments = {TestArray::of_bytes(ScalarKind::F32, {19, 70}),
                               numbered(ScalarKind::F32, {19, 70 * std::abs(step)})};
    TestArray& b = arguments[1].array;
    b.shape[1] = 70;
    b.strides[1] *= step;
    if (step < 0) b.offset += int64_t{69} * 4;
    for (const char* facts : {kNoFacts, "fits_31 element_aligned"})
      expect_same(copy_2d(ScalarKind::F32, "launch block 16 4 1 grid_fits_31", facts), arguments,
                  {{5, 5, 1}, {16, 4, 1}});
  }
}

TEST(HostCopy, MisalignedElements) {
  TestArguments arguments = {TestArray::of_bytes(ScalarKind::F64, {19, 70}),
                             numbered(ScalarKind::F64, {19, 70})};
  for (TestArgument& argument : arguments) argument.array.offset += 3;
  expect_same(copy_2d(ScalarKind::F64, "launch block 8 4 1 grid_fits_31", "unit_inner fits_31"),
              arguments, {{9, 5, 1}, {8, 4, 1}});
}

TEST(HostCopy, NothingIsTouchedInAnEmptyArray) {
  TestArguments arguments = {TestArray::of_bytes(ScalarKind::F32, {0, 70}),
                             TestArray::of_bytes(ScalarKind::F32, {0, 70})};
  expect_same(copy_2d(ScalarKind::F32, "", kAllFacts), arguments, {{3, 2, 1}, {32, 4, 1}});
}

// a[y, x] = b[INDEX]
std::string broadcast(const std::string& block, const std::string& index) {
  return R"(kernel "broadcast"
launch block )" +
         block + R"( 1 grid_fits_31
param @0 "a": array<int32, 2> unit_inner element_aligned fits_31 no_alias
param @1 "b": array<int32, 1> unit_inner element_aligned fits_31 no_alias
{
  %a = param @0 : array<int32, 2>
  %b = param @1 : array<int32, 1>
  %x = tid #0 : int32
  %y = tid #1 : int32
  %x64 = convert %x : int64
  %y64 = convert %y : int64
  %h = extent #0, %a : int64
  %w = extent #1, %a : int64
  %outx = ge %x64, %w : bool
  %outy = ge %y64, %h : bool
  %out = or %outx, %outy : bool
  if %out {
    return
  }
  %v = load %b, %)" +
         index + R"( : int32
  store %a, %y64, %x64, %v
}
)";
}

TEST(HostCopy, Broadcast) {
  const TestArguments arguments = {TestArray::of_bytes(ScalarKind::I32, {13, 21}),
                                   numbered(ScalarKind::I32, {21})};
  for (const char* index : {"y64", "x64"}) {
    expect_same(broadcast("8 8", index), arguments, {{3, 2, 1}, {8, 8, 1}});
    expect_same(broadcast("10 3", index), arguments, {{3, 5, 1}, {10, 3, 1}});
    expect_same(broadcast("32 2", index), arguments, {{1, 7, 1}, {32, 2, 1}});
    expect_same(broadcast("2 16", index), arguments, {{11, 1, 1}, {2, 16, 1}});
  }
}

}  // namespace
}  // namespace cuda_device::codegen::test
