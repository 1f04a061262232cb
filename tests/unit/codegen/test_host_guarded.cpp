// A lane that is off touches nothing: arrays lie against memory that faults, at their start and at
// their end, and some lanes of every gang lie beyond.
#include <gtest/gtest.h>

#include <deque>

#include "unit/codegen/array_compare.h"
#include "unit/codegen/guarded_memory.h"
#include "unit/codegen/long_tests.h"
#include "unit/codegen/memory_kernels.h"

namespace cuda_device::codegen::test {
namespace {

void expect_inside(const ir::Function& f, const LoadedImage& image, TestArguments arguments,
                   const ir::Grid& grid, Against side) {
  TestArguments expected = arguments;
  interpret(f, expected, grid);
  std::deque<GuardedMemory> memory;
  for (TestArgument& a : arguments) a.place = memory.emplace_back(a.array, side).elements();
  ASSERT_FALSE(faults([&] { image.run(arguments, grid); })) << "a lane that is off touches memory";
  for (size_t i = 0; i < arguments.size(); ++i) {
    memory[i].copy_back(arguments[i].array);
    const auto difference = first_difference(arguments[i].array, expected[i].array);
    EXPECT_FALSE(difference) << "'" << f.params[i].name << "': " << *difference;
  }
}

struct Launch {
  TestArguments arguments;
  ir::Grid grid;
};

void check(const std::string& text, const std::vector<Launch>& runs) {
  const auto f = ir::parse(text);
  for (const Way& way : all_ways()) {
    const LoadedImage image(compile_way(*f, way));
    for (const Launch& run : runs)
      for (Against side : {Against::Start, Against::End}) {
        SCOPED_TRACE(way.name() + (side == Against::Start ? ", start, " : ", end, ") +
                     std::to_string(run.arguments[0].array.count()) + " elements");
        expect_inside(*f, image, run.arguments, run.grid, side);
      }
  }
}

Launch move_of(ScalarKind kind, int64_t count) {
  std::vector<int32_t> index;
  for (int64_t i = 0; i < count; ++i) index.push_back(static_cast<int32_t>((i * 7 + 3) % count));
  return {{TestArray::of_bytes(kind, {count}), numbered(kind, {count}),
           TestArray::of(ScalarKind::I32, index)},
          {{3, 1, 1}, {kMoveBlock, 1, 1}}};
}

// A shift puts the first lanes before the arrays and the last ones after them.
void check_moves(const std::string& indices, const char* facts, int shift) {
  for (ScalarKind kind : sampled_kinds()) {
    SCOPED_TRACE(std::string(name_of(kind)) + " " + facts);
    std::vector<Launch> runs;
    for (int64_t count : {0, 1, 3, 27, 28, 60, 100}) runs.push_back(move_of(kind, count));
    check(move_1d(kind, facts, indices, shift), runs);
  }
}

void check_moves(const std::string& indices) {
  for (const char* facts : {kNoFacts, kAllFacts}) check_moves(indices, facts, 5);
}

void check_rows(const char* facts) {
  for (ScalarKind kind : sampled_kinds())
    for (const auto& [x, y] : {std::pair{8u, 8u}, {16u, 4u}, {10u, 3u}, {32u, 2u}}) {
      SCOPED_TRACE(std::string(name_of(kind)) + ", rows of " + std::to_string(x));
      std::vector<Launch> runs;
      for (const auto& [height, width] :
           {std::pair{1, 1}, {3, 5}, {9, 21}, {1, 33}, {9, 32}, {8, 72}})
        runs.push_back(
            {{TestArray::of_bytes(kind, {height, width}), numbered(kind, {height, width})},
             {{72 / x + 1, 9 / y + 1, 1}, {x, y, 1}}});
      const std::string block = std::to_string(x) + " " + std::to_string(y);
      check(copy_2d(kind, "launch block " + block + " 1 grid_fits_31", facts), runs);
    }
}

TEST(HostGuarded, Straight) { check_moves(kStraight); }

TEST(HostGuarded, Gather) { check_moves(kGather); }

TEST(HostGuarded, Scatter) { check_moves(kScatter); }

TEST(HostGuarded, OneForAll) {
  check_moves("%from = add %zero, %zero : int64 %to = add %zero, %zero : int64");
}

TEST(HostGuarded, Rows) { check_rows(kAllFacts); }

// Non-temporal stores fault where a line does not begin: against the end of memory, arrays begin
// anywhere, and so do their rows.
constexpr char kBeyondCache[] =
    "unit_inner contiguous element_aligned fits_31 no_alias beyond_cache";

TEST(HostGuarded, NontemporalRuns) {
  for (int shift : {0, 5}) check_moves(kStraight, kBeyondCache, shift);
}

TEST(HostGuarded, NontemporalRows) { check_rows(kBeyondCache); }

}  // namespace
}  // namespace cuda_device::codegen::test
