// Tables in which a worker makes its updates of arrays that a kernel only updates
// (abi::WorkerTable): by plain instructions, where the array itself would take a locked one each.
//
// A table is an image of the bytes that the array spans, so whatever the array's shape and strides
// are, an element has in the table the offset that it has in the array. It begins with what changes
// nothing (zero, where updates add), and what is something else in the end is merged into the array
// by atomic operations. There are never more of these than updates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "abi/kernel_image.h"
#include "runtime/host/kept_memory.h"

namespace cuda_device::runtime {

// The array of one launch that a worker gets a table for.
struct PlannedTable {
  abi::WorkerTable kind;
  uintptr_t data = 0;   // of the array
  uintptr_t first = 0;  // byte that the table has
  size_t bytes = 0;     // of the table; zero: it is not worth it
};
using TablePlan = std::vector<PlannedTable>;  // by KernelImage::tables

// Bytes of all tables of a worker: more would not stay in its cache.
inline constexpr size_t kMostTableBytes = size_t{1} << 20;
// A launch that is worth a table has so many threads a worker, and one for so many bytes of it:
// filling and merging these takes about as long as one locked instruction.
inline constexpr uint64_t kLeastThreadsForTables = 256;
inline constexpr uint64_t kTableBytesAThread = 32;

// Empty where no table is worth it. `workers`: that will share the launch.
TablePlan plan_tables(const std::vector<abi::WorkerTable>& tables, const abi::ParamLayout& layout,
                      const void* params, const abi::LaunchDims& dims, uint64_t workers);

// The tables of one worker while it runs blocks of one launch.
class WorkerTables {
 public:
  // Without memory there are none: the arrays are updated themselves.
  explicit WorkerTables(const TablePlan& plan);
  WorkerTables(const WorkerTables&) = delete;
  WorkerTables& operator=(const WorkerTables&) = delete;

  explicit operator bool() const { return memory_.has_value(); }
  // As HostContext::tables.
  void* const* pointers() const { return memory_ ? pointers_.data() : nullptr; }
  // Once, when the last block has run.
  void merge();

 private:
  const TablePlan& plan_;
  std::optional<TakenMemory> memory_;
  std::array<void*, abi::kMostWorkerTables> pointers_{};
};

}  // namespace cuda_device::runtime
