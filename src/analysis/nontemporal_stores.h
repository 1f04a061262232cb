// Stores whose lines no one asks for again soon: to an array as large as the cache or larger, which
// the kernel never loads from and nothing else of the launch overlaps, at places that every loop
// around moves on from. The host target writes whole lines of them with streaming stores.
//
//   for $0, 0, n, 1 { store %out, %row, %x, %v }                    the same lines again: no
//   for $0, 0, n, 1 { %i = slot_load $0  store %out, %i, %x, %v }   a row an iteration: past it
#pragma once

#include <vector>

#include "ir/ir.h"

namespace cuda_device::analysis {

std::vector<bool> find_nontemporal_stores(const ir::Function& f);  // by Inst::id

}  // namespace cuda_device::analysis
