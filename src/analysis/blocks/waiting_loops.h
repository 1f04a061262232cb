// Loops in which a thread may wait for other threads by looking at memory again and again.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace cuda_device::analysis {

// By Inst::id: loops around atomic reads, or around fences and plain reads: a thread that runs
// alone would never leave them while it waits for another.
std::vector<bool> waiting_loops(const ir::Function& f);
// By Inst::id: what is within one of them.
std::vector<bool> within_waiting_loops(const ir::Function& f, const std::vector<bool>& waiting);

// The read of a word of at most 64 bits that is all that the loop does, beside computing:
// two iterations in a row that read and keep the same are followed by a third one while the word is
// the same. Null: there is none, or more than that.
const ir::Inst* only_wait(const ir::Inst& loop);

// A loop that surely or perhaps goes on until another thread of the kernel has written what it
// reads; null: there is none. The others end by what the thread does itself:
//   - exits that no atomic read decides;
//   - `i = next.fetch_add(1)`: each iteration takes another number, and none is given back;
//   - a `for`, whose iterations are counted, and memory that no other thread of the kernel changes
//     back (a slot of a hash table that is claimed by compare-and-swap stays claimed), unless the
//     loop looks at one element again and again, or goes on to the next one only when another
//     thread has written this one (moving_indices.h);
//   - a compare-and-swap of just what was read in the loop, which ends it: it fails because another
//     thread's succeeded, so some thread always goes on, in whatever order they run.
const ir::Inst* find_wait(const ir::Function& f);

}  // namespace cuda_device::analysis
