// Sets of slots, and tables whose copies share what is alike, against the standard's containers.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "analysis/ranges/shared_table.h"
#include "analysis/slot_set.h"

namespace cuda_device::analysis {
namespace {

using Table = SharedTable<int>;

std::vector<int> contents(const Table& table, size_t size) {
  std::vector<int> all;
  for (size_t i = 0; i < size; ++i) all.push_back(table[i]);
  return all;
}

TEST(SharedTable, CopiesAreIndependent) {
  constexpr size_t kSize = 700;  // three levels
  std::mt19937 random(1);
  std::vector<Table> tables{Table(kSize)};
  std::vector<std::vector<int>> expected{std::vector<int>(kSize)};
  for (int step = 0; step < 3000; ++step) {
    const size_t which = random() % tables.size();
    if (tables.size() < 20 && random() % 50 == 0) {
      tables.push_back(tables[which]);
      expected.push_back(expected[which]);
    }
    const size_t at = random() % kSize;
    tables[which].set(at, step);
    expected[which][at] = step;
  }
  for (size_t t = 0; t < tables.size(); ++t) EXPECT_EQ(contents(tables[t], kSize), expected[t]);
}

TEST(SharedTable, DifferencesAreAllFoundAndLittleElse) {
  constexpr size_t kSize = 5000;
  Table a(kSize);
  for (size_t i = 0; i < kSize; ++i) a.set(i, 1);
  Table b = a;
  std::set<size_t> changed{0, 17, 18, 4999};
  for (size_t i : changed) b.set(i, 2);
  std::set<size_t> found;
  size_t visited = 0;
  Table::for_each_difference(a, b, [&](size_t i, int x, int y) {
    ++visited;
    if (x != y) found.insert(i);
  });
  EXPECT_EQ(found, changed);
  EXPECT_LE(visited, 3u * 16) << "a leaf of 16 for each place that changed";
}

TEST(SharedTable, WhatWasNeverSetIsZero) {
  Table a(100);
  EXPECT_EQ(a[99], 0);
  Table b(100);
  b.set(40, 3);
  std::set<size_t> found;
  Table::for_each_difference(a, b, [&](size_t i, int x, int y) {
    if (x != y) found.insert(i);
  });
  EXPECT_EQ(found, std::set<size_t>{40});
}

TEST(SlotSet, IsASet) {
  constexpr size_t kSize = 130;
  std::mt19937 random(2);
  for (int round = 0; round < 50; ++round) {
    SlotSet a(kSize), b(kSize);
    std::set<size_t> x, y;
    for (int i = 0; i < 60; ++i) {
      const size_t p = random() % kSize, q = random() % kSize;
      a.insert(p), x.insert(p);
      b.insert(q), y.insert(q);
      if (random() % 4 == 0) a.erase(q), x.erase(q);
    }
    const auto members = [](const SlotSet& set) {
      std::set<size_t> all;
      set.for_each([&](size_t slot) { all.insert(slot); });
      return all;
    };
    EXPECT_EQ(members(a), x);
    SlotSet both = a, rest = a, all = a;
    both.keep(b);
    rest.remove(b);
    std::set<size_t> xy = x, only = x, either = x;
    std::erase_if(xy, [&](size_t s) { return !y.contains(s); });
    std::erase_if(only, [&](size_t s) { return y.contains(s); });
    either.insert(y.begin(), y.end());
    EXPECT_EQ(members(both), xy);
    EXPECT_EQ(members(rest), only);
    EXPECT_EQ(all.add(b), either.size() > x.size());
    EXPECT_EQ(members(all), either);
    EXPECT_FALSE(all.add(b));
    EXPECT_EQ(rest.empty(), only.empty());
  }
}

}  // namespace
}  // namespace cuda_device::analysis
