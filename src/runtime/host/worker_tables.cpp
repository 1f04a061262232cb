#include "runtime/host/worker_tables.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <limits>
#include <new>

#include "support/check.h"

namespace cuda_device::runtime {
namespace {

using Merge = abi::WorkerTable::Merge;

constexpr size_t kLine = 64;

constexpr size_t to_lines(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

thread_local KeptMemory kept_tables;

// The array's descriptor among the parameters (abi::ParamLayout).
int64_t word(const std::byte* descriptor, size_t number) {
  int64_t value;
  std::memcpy(&value, descriptor + 8 * number, sizeof value);
  return value;
}

// The bytes from the first element to the end of the last, in whole elements of the updates. Zero
// bytes: there are none, or more than a table may have.
void find_span(const abi::ParamSlot& slot, const std::byte* descriptor, PlannedTable& planned) {
  int64_t low = 0, high = 0;
  for (size_t axis = 0; axis < slot.ndim; ++axis) {
    const int64_t extent = word(descriptor, 1 + axis);
    if (extent == 0) return;
    int64_t reach;
    if (__builtin_mul_overflow(extent - 1, word(descriptor, 1 + slot.ndim + axis), &reach)) return;
    int64_t& side = reach < 0 ? low : high;
    if (__builtin_add_overflow(side, reach, &side)) return;
  }
  constexpr auto kMost = static_cast<int64_t>(kMostTableBytes);
  if (low < -kMost || high > kMost) return;
  const auto unit = static_cast<uintptr_t>(bytes_of(planned.kind.element));
  const uintptr_t begin = planned.data + static_cast<uintptr_t>(low);
  const uintptr_t end = planned.data + static_cast<uintptr_t>(high) + slot.item;
  planned.first = begin & ~(unit - 1);
  planned.bytes = ((end + unit - 1) & ~(unit - 1)) - planned.first;
}

uint64_t threads_of(const abi::LaunchDims& dims) {
  uint64_t threads = 1;
  for (const uint32_t extent :
       {dims.grid[0], dims.grid[1], dims.grid[2], dims.block[0], dims.block[1], dims.block[2]})
    if (__builtin_mul_overflow(threads, uint64_t{extent}, &threads))
      return std::numeric_limits<uint64_t>::max();
  return threads;
}

template <class T>
constexpr T neutral(Merge merge) {
  switch (merge) {
    case Merge::And:
      return static_cast<T>(-1);
    case Merge::Max:
      return std::numeric_limits<T>::min();
    case Merge::Min:
      return std::numeric_limits<T>::max();
    case Merge::Add:
    case Merge::Or:
    case Merge::Xor:
      break;
  }
  return 0;
}

template <class T>
void update(T& element, Merge merge, T by) {
  const std::atomic_ref<T> atomic(element);
  constexpr auto kOrder = std::memory_order_relaxed;
  const auto raise = [&](const auto& is_better) {
    T old = atomic.load(kOrder);
    while (is_better(by, old) && !atomic.compare_exchange_weak(old, by, kOrder)) {
    }
  };
  switch (merge) {
    case Merge::Add:
      atomic.fetch_add(by, kOrder);
      break;
    case Merge::And:
      atomic.fetch_and(by, kOrder);
      break;
    case Merge::Or:
      atomic.fetch_or(by, kOrder);
      break;
    case Merge::Xor:
      atomic.fetch_xor(by, kOrder);
      break;
    case Merge::Max:
      raise(std::greater<T>());
      break;
    case Merge::Min:
      raise(std::less<T>());
      break;
  }
}

// Calls f with a number of the type of the elements.
template <class F>
void with_type(ScalarKind element, const F& f) {
  switch (element) {
    case ScalarKind::I32:
      return f(int32_t{});
    case ScalarKind::U32:
      return f(uint32_t{});
    case ScalarKind::I64:
      return f(int64_t{});
    case ScalarKind::U64:
      return f(uint64_t{});
    default:
      CD_UNREACHABLE("a table of such elements");
  }
}

void fill(const PlannedTable& planned, char* table) {
  with_type(planned.kind.element, [&](auto type) {
    using T = decltype(type);
    std::fill_n(reinterpret_cast<T*>(table), planned.bytes / sizeof(T),
                neutral<T>(planned.kind.merge));
  });
}

void merge_one(const PlannedTable& planned, const char* table) {
  with_type(planned.kind.element, [&](auto type) {
    using T = decltype(type);
    const T nothing = neutral<T>(planned.kind.merge);
    const T* const from = reinterpret_cast<const T*>(table);
    T* const to = reinterpret_cast<T*>(planned.first);
    for (size_t i = 0; i < planned.bytes / sizeof(T); ++i)
      if (from[i] != nothing) update(to[i], planned.kind.merge, from[i]);
  });
}

}  // namespace

TablePlan plan_tables(const std::vector<abi::WorkerTable>& tables, const abi::ParamLayout& layout,
                      const void* params, const abi::LaunchDims& dims, uint64_t workers) {
  TablePlan plan;
  const uint64_t threads = threads_of(dims) / std::max<uint64_t>(workers, 1);
  if (tables.empty() || threads < kLeastThreadsForTables) return plan;
  size_t left = kMostTableBytes;
  bool any = false;
  for (const abi::WorkerTable& kind : tables) {
    const abi::ParamSlot& slot = layout.slots[kind.param];
    const std::byte* descriptor = static_cast<const std::byte*>(params) + slot.offset;
    PlannedTable planned{kind, static_cast<uintptr_t>(word(descriptor, 0))};
    find_span(slot, descriptor, planned);
    if (to_lines(planned.bytes) > left || planned.bytes / kTableBytesAThread > threads)
      planned.bytes = 0;
    left -= to_lines(planned.bytes);
    any = any || planned.bytes != 0;
    plan.push_back(planned);
  }
  if (!any) plan.clear();
  return plan;
}

WorkerTables::WorkerTables(const TablePlan& plan) : plan_(plan) {
  size_t bytes = 0;
  for (const PlannedTable& planned : plan) bytes += to_lines(planned.bytes);
  if (bytes == 0) return;
  try {
    memory_.emplace(kept_tables, bytes);
  } catch (const std::bad_alloc&) {
    return;
  }
  char* table = memory_->get();
  for (size_t i = 0; i < plan.size(); ++i) {
    const PlannedTable& planned = plan[i];
    uintptr_t pointer = planned.data;
    if (planned.bytes != 0) {
      fill(planned, table);
      pointer = reinterpret_cast<uintptr_t>(table) + (planned.data - planned.first);
      table += to_lines(planned.bytes);
    }
    pointers_[i] = reinterpret_cast<void*>(pointer);
  }
}

void WorkerTables::merge() {
  if (!memory_) return;
  const char* table = memory_->get();
  for (const PlannedTable& planned : plan_) {
    if (planned.bytes != 0) merge_one(planned, table);
    table += to_lines(planned.bytes);
  }
}

}  // namespace cuda_device::runtime
