// Arrays that each worker of the host may update in a table of its own, which is merged into the
// array when the worker has done its share of the launch (docs/decisions/0063): parameters of which
// the kernel only updates elements, by relaxed atomic operations of one kind whose results nobody
// uses, for threads of the device at most.
//
//   %at = view %counts, ...
//   %_ = atomic_rmw %at, %one #add.relaxed.device     a table for %counts, merged by additions
//
// No update comes later for it than some thread may rely on:
//   - no other argument overlaps the array, and nothing else in the kernel touches it;
//   - the kernel releases nothing beyond its block, so nobody outside has been told of an update;
//   - no loop reads global memory by atomic operations, so no thread waits for somebody outside who
//     waits for an update.
#pragma once

#include <vector>

#include "ir/atomic.h"
#include "ir/ir.h"

namespace cuda_device::analysis {

struct WorkerTable {
  uint32_t param = 0;
  ir::AtomicKind merge = ir::AtomicKind::Add;  // joins two tables; add for add and sub
  ScalarKind element = ScalarKind::I32;        // that is updated, whatever the array's own are
  friend bool operator==(const WorkerTable&, const WorkerTable&) = default;
};

std::vector<WorkerTable> find_worker_tables(const ir::Function& f);  // by rising parameters

}  // namespace cuda_device::analysis
