// Non-temporal stores: the kernel never loads from their array, which is at least as large as the
// cache and overlaps no other of the launch, and every iteration of every loop around stores to
// other elements. The host target writes whole lines of them with streaming stores.
//
//   for $0, 0, n, 1 { store %out, %row, %x, %v }                    the same lines again: no
//   for $0, 0, n, 1 { %i = slot_load $0  store %out, %i, %x, %v }   a row an iteration: yes
#pragma once

#include <vector>

#include "ir/ir.h"

namespace cuda_device::analysis {

std::vector<bool> find_nontemporal_stores(const ir::Function& f);  // by Inst::id

}  // namespace cuda_device::analysis
