// Stores that write the whole of a record, scalar by scalar: `a[i] = p` of an array of structs.
//
//   store %a, %i, %x              store %a, %i, %x        // waits for the last one
//   store +4, %a, %i, %y    →     store +4, %a, %i, %y    // waits
//   store +8, %a, %i, %z          store +8, %a, %i, %z    // stores all three
//
// A target writes them with one access where that is better, in place of the last of them. Nothing
// that may touch memory stands between them.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace cuda_device::analysis {

struct RecordStores {
  // By Inst::id of the last store of a record: all of them, in the order of their offsets. Empty
  // for others.
  std::vector<std::vector<const ir::Inst*>> groups;
  std::vector<bool> waits;  // by Inst::id: a store that the last one of its record does
};

RecordStores find_record_stores(const ir::Function& f);

}  // namespace cuda_device::analysis
