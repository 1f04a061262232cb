// Tables of workers: what a launch gets, and that arrays have everything when it is done, and
// nothing else.
#include "runtime/host/worker_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <numeric>
#include <thread>

#include "runtime/host/interrupt.h"
#include "runtime/host/pool.h"
#include "unit/runtime/blocks.h"

namespace cuda_device::runtime {
namespace {

using Merge = abi::WorkerTable::Merge;

// Parameters of one array each.
struct Arrays {
  abi::ParamLayout layout;
  std::vector<int64_t> words;
  std::vector<abi::WorkerTable> tables;

  void add(const void* data, ScalarKind element, const std::vector<int64_t>& shape,
           const std::vector<int64_t>& strides, Merge merge = Merge::Add) {
    tables.push_back({static_cast<uint32_t>(layout.slots.size()), merge, element});
    std::vector<abi::ParamSlot> slots = layout.slots;
    slots.push_back({true, false, element, static_cast<uint8_t>(shape.size())});
    layout = abi::layout_of(slots);
    words.push_back(static_cast<int64_t>(reinterpret_cast<uintptr_t>(data)));
    words.insert(words.end(), shape.begin(), shape.end());
    words.insert(words.end(), strides.begin(), strides.end());
  }
  TablePlan plan(uint64_t threads = uint64_t{1} << 20, uint64_t workers = 1) const {
    abi::LaunchDims dims = grid_of(static_cast<uint32_t>(threads / 32));
    dims.block = {32, 1, 1};
    return plan_tables(tables, layout, words.data(), dims, workers);
  }
};

template <class T>
ScalarKind kind_of() {
  if constexpr (sizeof(T) == 4) return std::is_signed_v<T> ? ScalarKind::I32 : ScalarKind::U32;
  return std::is_signed_v<T> ? ScalarKind::I64 : ScalarKind::U64;
}

template <class T>
Arrays array_of(std::vector<T>& values, Merge merge = Merge::Add) {
  Arrays arrays;
  arrays.add(values.data(), kind_of<T>(), {static_cast<int64_t>(values.size())}, {sizeof(T)},
             merge);
  return arrays;
}

TEST(TablePlan, IsForLaunchesThatAreWorthIt) {
  std::vector<int32_t> few(8), many(1 << 16);
  EXPECT_TRUE(array_of(few).plan(kLeastThreadsForTables - 32).empty());
  EXPECT_EQ(array_of(few).plan(kLeastThreadsForTables).size(), 1u);
  EXPECT_TRUE(array_of(few).plan(kLeastThreadsForTables, 2).empty());
  EXPECT_EQ(array_of(few).plan(2 * kLeastThreadsForTables, 2).size(), 1u);
  const uint64_t worth = sizeof(int32_t) * many.size() / kTableBytesAThread;
  EXPECT_EQ(array_of(many).plan(worth).size(), 1u);
  EXPECT_TRUE(array_of(many).plan(worth - 32).empty());
}

TEST(TablePlan, HasTheBytesThatArraysSpan) {
  std::vector<int64_t> memory(100);
  const uintptr_t at = reinterpret_cast<uintptr_t>(&memory[50]);
  const auto planned = [&](const std::vector<int64_t>& shape, const std::vector<int64_t>& strides) {
    Arrays arrays;
    arrays.add(&memory[50], ScalarKind::I64, shape, strides);
    const TablePlan plan = arrays.plan();
    return plan.empty() ? std::pair<int64_t, size_t>{0, 0}
                        : std::pair{static_cast<int64_t>(plan[0].first - at), plan[0].bytes};
  };
  using Span = std::pair<int64_t, size_t>;
  EXPECT_EQ(planned({}, {}), Span(0, 8));
  EXPECT_EQ(planned({10}, {8}), Span(0, 80));
  EXPECT_EQ(planned({10}, {-8}), Span(-72, 80));
  EXPECT_EQ(planned({3, 4}, {80, -16}), Span(-48, 8 + 48 + 160));
  EXPECT_EQ(planned({5}, {0}), Span(0, 8));
  EXPECT_EQ(planned({5, 0}, {8, 8}), Span(0, 0)) << "nothing to update";
  EXPECT_EQ(planned({2}, {INT64_MAX}), Span(0, 0));
  EXPECT_EQ(planned({4, 4}, {INT64_MAX / 4, INT64_MAX / 4}), Span(0, 0));
}

TEST(TablePlan, HasWholeElementsOfTheUpdates) {
  std::vector<int64_t> memory(100);
  Arrays arrays;
  arrays.add(reinterpret_cast<char*>(memory.data()) + 4, ScalarKind::I32, {4}, {4});
  arrays.tables[0].element = ScalarKind::I64;  // by a view
  const TablePlan plan = arrays.plan();
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0].first, reinterpret_cast<uintptr_t>(memory.data()));
  EXPECT_EQ(plan[0].bytes, 24u);
}

TEST(TablePlan, EndsWhereTheCacheDoes) {
  std::vector<int32_t> half(kMostTableBytes / 8), all(kMostTableBytes / 4);
  std::vector<int32_t> beyond(kMostTableBytes / 4 + 1);
  EXPECT_EQ(array_of(all).plan().size(), 1u);
  EXPECT_TRUE(array_of(beyond).plan().empty());
  Arrays arrays;
  for (auto* array : {&half, &all, &half})
    arrays.add(array->data(), ScalarKind::I32, {static_cast<int64_t>(array->size())}, {4});
  const TablePlan plan = arrays.plan();
  ASSERT_EQ(plan.size(), 3u);
  EXPECT_EQ(plan[0].bytes, kMostTableBytes / 2);
  EXPECT_EQ(plan[1].bytes, 0u) << "no room beside the first";
  EXPECT_EQ(plan[2].bytes, kMostTableBytes / 2);
  const WorkerTables tables(plan);
  EXPECT_NE(tables.pointers()[0], half.data());
  EXPECT_EQ(tables.pointers()[1], all.data()) << "updated in place";
}

template <class T>
T after(Merge merge, T x, T y) {
  using U = std::make_unsigned_t<T>;
  switch (merge) {
    case Merge::Add:
      return static_cast<T>(static_cast<U>(x) + static_cast<U>(y));
    case Merge::And:
      return x & y;
    case Merge::Or:
      return x | y;
    case Merge::Xor:
      return x ^ y;
    case Merge::Max:
      return std::max(x, y);
    case Merge::Min:
      return std::min(x, y);
  }
  return 0;
}

template <class T>
void expect_merges() {
  const T lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  const std::vector<T> values = {lowest, highest, 0, 1, static_cast<T>(-1), 77};
  for (const Merge merge :
       {Merge::Add, Merge::And, Merge::Or, Merge::Xor, Merge::Max, Merge::Min}) {
    for (const T update : values) {
      std::vector<T> array = values, expected = values;
      const TablePlan plan = array_of(array, merge).plan();
      WorkerTables tables(plan);
      ASSERT_TRUE(tables);
      T* const table = static_cast<T*>(tables.pointers()[0]);
      for (size_t i = 0; i + 1 < array.size(); ++i) {  // the last one stays as it is
        table[i] = after(merge, after(merge, table[i], update), T{3});
        expected[i] = after(merge, after(merge, expected[i], update), T{3});
      }
      EXPECT_EQ(array, values);
      tables.merge();
      EXPECT_EQ(array, expected) << static_cast<int>(merge) << " " << update;
    }
  }
}

TEST(WorkerTables, AreMerged) {
  expect_merges<int32_t>();
  expect_merges<uint32_t>();
  expect_merges<int64_t>();
  expect_merges<uint64_t>();
}

TEST(WorkerTables, AreOthersWithinALaunchWithinALaunch) {
  std::vector<int32_t> array(1000);
  const TablePlan plan = array_of(array).plan();
  WorkerTables outer(plan);
  {
    WorkerTables inner(plan);
    EXPECT_NE(inner.pointers()[0], outer.pointers()[0]);
    static_cast<int32_t*>(inner.pointers()[0])[5] = 3;
    static_cast<int32_t*>(outer.pointers()[0])[5] = 4;
    inner.merge();
  }
  outer.merge();
  EXPECT_EQ(array[5], 7);
  EXPECT_EQ(std::accumulate(array.begin(), array.end(), 0), 7);
}

// A kernel that adds one to an element a block, as compiled code does.
struct Adding {
  explicit Adding(uint32_t blocks) : blocks(blocks), arrays(array_of(counts)) {}
  const uint32_t blocks;
  std::vector<int32_t> counts = std::vector<int32_t>(64);
  Arrays arrays;
  Adding* self = this;
  std::atomic<int> in_tables{0};
  void (*during)(Adding& self, const abi::HostContext& context, uint64_t block) = nullptr;

  static void entry(const void* params, const abi::HostContext* context, uint64_t first,
                    uint64_t last) {
    Adding& self = **static_cast<Adding* const*>(params);
    for (uint64_t block = first; block < last; ++block) {
      if (self.during) self.during(self, *context, block);
      const size_t place = block % self.counts.size();
      if (context->tables) {
        self.in_tables.fetch_add(1, std::memory_order_relaxed);
        ++static_cast<int32_t*>(context->tables[0])[place];
      } else {
        std::atomic_ref(self.counts[place]).fetch_add(1);
      }
    }
  }
  std::shared_ptr<Job> job() {
    auto made = std::make_shared<Job>(&entry, &self, grid_of(blocks), 0);
    made->use_tables(arrays.plan());
    return made;
  }
  int32_t sum() const { return std::accumulate(counts.begin(), counts.end(), 0); }
};

TEST(WorkerTables, AreInTheArrayWhenTheLaunchIsDone) {
  for (const int threads : {1, 2, 5}) {
    WorkerPool pool(threads);
    for (int round = 0; round < 300; ++round) {
      Adding adding(2000);
      ASSERT_EQ(pool.run(adding.job()), "");
      ASSERT_EQ(adding.sum(), 2000);
      ASSERT_EQ(adding.counts[5], 2000 / 64 + 1);
      ASSERT_EQ(adding.in_tables, 2000);
    }
  }
}

// The launching thread has nothing to merge, the other one much.
TEST(WorkerTables, AreMergedBeforeBlocksCountAsDone) {
  static std::atomic<int> present;
  static const std::thread::id launcher = std::this_thread::get_id();
  WorkerPool pool(2);
  for (int round = 0; round < 200; ++round) {
    Adding adding(2);
    adding.counts.resize(kMostTableBytes / sizeof(int32_t));
    adding.arrays = array_of(adding.counts);
    present = 0;
    adding.during = [](Adding& self, const abi::HostContext& context, uint64_t) {
      ++present;
      while (present < 2) std::this_thread::yield();
      if (std::this_thread::get_id() == launcher) return;
      auto* const table = static_cast<int32_t*>(context.tables[0]);
      std::fill(table + 2, table + self.counts.size(), 1);
    };
    ASSERT_EQ(pool.run(adding.job()), "");
    ASSERT_EQ(adding.counts.back(), 1) << round;
    ASSERT_EQ(static_cast<size_t>(adding.sum()), adding.counts.size()) << round;
  }
}

TEST(WorkerTables, AreMergedAfterAFailure) {
  WorkerPool pool(2);
  Adding adding(100000);
  Report report({});
  adding.during = [](Adding&, const abi::HostContext& context, uint64_t block) {
    const uint32_t place[6] = {};
    if (block == 40) cd_kernel_failed(&context, 0, place, 0, nullptr);
  };
  const auto job = adding.job();
  job->report_to(report);
  EXPECT_EQ(pool.run(job), "");
  EXPECT_TRUE(report.take().failed);
  EXPECT_EQ(adding.sum(), adding.in_tables) << "of blocks that have run";
}

TEST(WorkerTables, AreMergedAfterAnInterruption) {
  WorkerPool pool(2);
  Adding adding(UINT32_MAX);
  adding.during = [](Adding&, const abi::HostContext&, uint64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  const std::function<bool()> ask = [] { return true; };
  Interrupt interrupt(ask);
  EXPECT_EQ(pool.run(adding.job(), &interrupt), "");
  EXPECT_GT(adding.sum(), 0);
  EXPECT_NEAR(adding.sum(), adding.in_tables, 2) << "but for blocks that were left in their midst";
}

TEST(WorkerTables, AreMergedBeforeEachQuestion) {
  WorkerPool pool(1);
  Adding adding(200);
  adding.during = [](Adding&, const abi::HostContext&, uint64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  int questions = 0;
  const std::function<bool()> ask = [&] {
    ++questions;
    EXPECT_EQ(adding.sum(), adding.in_tables);
    return false;
  };
  Interrupt interrupt(ask);
  EXPECT_EQ(pool.run(adding.job(), &interrupt), "");
  EXPECT_GT(questions, 0);
  EXPECT_EQ(adding.sum(), 200);
}

TEST(WorkerTables, OfSeveralLaunchesMeetInOneArray) {
  WorkerPool pool(3);
  std::vector<int32_t> counts(64);
  std::vector<std::thread> launching;
  for (int i = 0; i < 4; ++i)
    launching.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        Adding adding(500);
        adding.arrays = array_of(counts);
        EXPECT_EQ(pool.run(adding.job()), "");
      }
    });
  for (std::thread& t : launching) t.join();
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 4 * 100 * 500);
}

}  // namespace
}  // namespace cuda_device::runtime
