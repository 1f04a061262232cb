// Where a gather is slow, lanes at constant distances are loaded one by one.
#include <gtest/gtest.h>

#include "unit/codegen/array_compare.h"
#include "unit/codegen/memory_kernels.h"

namespace cuda_device::codegen::test {
namespace {

// A column; and elements at places that memory tells.
constexpr char kColumn[] = R"(kernel "column"
launch block 32 1 1 grid_fits_31
param @0 "out": array<int32, 1> unit_inner contiguous element_aligned fits_31 no_alias
param @1 "a": array<int32, 1> unit_inner contiguous element_aligned fits_31 no_alias
{
  %out = param @0 : array<int32, 1>
  %a = param @1 : array<int32, 1>
  %t = thread_idx #0 : uint32
  %pitch = const 33 : uint32
  %i = mul %t, %pitch : uint32
  %w = load %a, %i : int32
  store %out, %t, %w
}
)";
std::string anywhere() {
  return replaced(kColumn, "%i = mul %t, %pitch : uint32", "%i = load %a, %t : int32");
}

// `more` times a load and a store at places that memory tells.
std::string often(int more) {
  std::string body = "%i = load %a, %t : int32\n";
  for (int n = 0; n < more; ++n) {
    const std::string v = "%v" + std::to_string(n);
    body += v + " = load %a, %i : int32\nstore %out, %i, " + v + "\n";
  }
  return replaced(kColumn, "%i = mul %t, %pitch : uint32", body);
}

// Each thread sums up a row of its own.
constexpr char kRows[] = R"(kernel "rows"
launch block 32 1 1 grid_fits_31
param @0 "out": array<int32, 1> unit_inner contiguous element_aligned fits_31 no_alias
param @1 "starts": array<int32, 1> unit_inner contiguous element_aligned fits_31 no_alias
param @2 "a": array<int32, 1> unit_inner contiguous element_aligned fits_31 no_alias
slot $0 "k": int32
slot $1 "sum": int32
{
  %out = param @0 : array<int32, 1>
  %starts = param @1 : array<int32, 1>
  %a = param @2 : array<int32, 1>
  %t = thread_idx #0 : uint32
  %one = const 1 : int32
  %one_more = const 1 : uint32
  %next = add %t, %one_more : uint32
  %zero = const 0 : int32
  slot_store $1, %zero
  %first = load %starts, %t : int32
  %last = load %starts, %next : int32
  for $0, %first, %last, %one {
    %k = slot_load $0 : int32
    %v = load %a, %k : int32
    %so_far = slot_load $1 : int32
    %sum = add %so_far, %v : int32
    slot_store $1, %sum
  }
  %all = slot_load $1 : int32
  store %out, %t, %all
}
)";

uint32_t frame(const std::string& text, const Way& way) {
  uint32_t bytes = 0;
  Listing listing;
  listing.frame = &bytes;
  compile_way(*ir::parse(text), way, listing);
  return bytes;
}

bool gathers(const std::string& text, MaskForm form, const char* tune) {
  std::string assembly;
  compile_way(*ir::parse(text), {form, true, 32, tune}, {nullptr, nullptr, &assembly});
  return assembly.find("gather") != std::string::npos;
}

TEST(HostGathers, NotAtConstantDistancesWhereTheyAreSlow) {
  EXPECT_TRUE(gathers(kColumn, MaskForm::Avx512, Way::kTune));
  EXPECT_FALSE(gathers(kColumn, MaskForm::Avx512, Way::kTuneAmd));
  EXPECT_FALSE(gathers(kColumn, MaskForm::Avx2, Way::kTune));
  EXPECT_FALSE(gathers(kColumn, MaskForm::Avx2, Way::kTuneAmd));
}

TEST(HostGathers, NotForRowsWhereTheyAreSlow) {
  EXPECT_TRUE(gathers(kRows, MaskForm::Avx512, Way::kTune));
  EXPECT_FALSE(gathers(kRows, MaskForm::Avx512, Way::kTuneAmd));
  EXPECT_FALSE(gathers(kRows, MaskForm::Avx2, Way::kTune));
}

// Threads may have little of a stack. LLVM may look at less where there are many (effort.h), and
// spills some vectors more then; lanes of gathers one by one would take 256 bytes and more each.
TEST(HostGathers, TheirMemoryIsForAll) {
  for (const Way& way : every_way()) {
    SCOPED_TRACE(way.name());
    const uint32_t many = frame(often(200), way);
    EXPECT_LE(many, frame(often(2), way) + 1024);
    EXPECT_LE(frame(often(300), way), many + 256);
  }
}

TEST(HostGathers, EachLaneGoesThroughItsRow) {
  std::vector<int32_t> starts = {0};
  for (int32_t row = 0; row < 32; ++row) starts.push_back(starts.back() + row * 7 % 5);
  TestArray rows = TestArray::of_bytes(ScalarKind::I32, {33});
  std::memcpy(rows.data(), starts.data(), starts.size() * sizeof(int32_t));
  TestArray a = TestArray::of_bytes(ScalarKind::I32, {starts.back()});
  expect_same(kRows, {TestArray::of_bytes(ScalarKind::I32, {32}), rows, a},
              {{1, 1, 1}, {32, 1, 1}});
}

TEST(HostGathers, WhereMemoryTellsThePlaces) {
  for (const MaskForm form : {MaskForm::Avx512, MaskForm::Avx2})
    EXPECT_TRUE(gathers(anywhere(), form, Way::kTuneAmd));
}

TEST(HostGathers, EachLaneGetsItsOwn) {
  constexpr int32_t kCount = 32 * 33;
  std::vector<int32_t> numbers(kCount);
  for (int32_t i = 0; i < kCount; ++i) numbers[static_cast<size_t>(i)] = (i * 7 + 5) % kCount;
  TestArray a = TestArray::of_bytes(ScalarKind::I32, {kCount});
  std::memcpy(a.data(), numbers.data(), numbers.size() * sizeof(int32_t));
  for (const std::string& kernel : {std::string(kColumn), anywhere()})
    expect_same(kernel, {TestArray::of_bytes(ScalarKind::I32, {32}), a}, {{1, 1, 1}, {32, 1, 1}});
}

}  // namespace
}  // namespace cuda_device::codegen::test
