// Prefetches of lines that a load needs later, where no prefetcher of a CPU, nor its look ahead,
// brings them soon enough. What caches hold comes soon enough, and prefetching it costs
// instructions.
#pragma once

#include <vector>

#include "analysis/analysis.h"

namespace cuda_device::analysis {

struct Prefetch {
  enum class What : uint8_t {
    // Lines a page away: prefetchers of CPUs stop at the end of one.
    Page,
    // Lines of the next iteration of a loop with a barrier: the tile that a block takes next, the
    // plane that it marches to. They are far from one another, so that no prefetcher foresees them.
    NextIteration,
    // What the next gang reads in a loop that reads from many places far apart. Each lane goes
    // through a row of its own, such as a sparse matrix's; rows may lie anywhere, and whether they
    // lie one after the other shows when the loop begins.
    NextGangRows,
    // The same where lanes side by side go on by a step that is longer than they are many or not
    // known (a grid-stride loop).
    NextGangStrides,
  };
  What what;
  std::vector<int64_t> strides = {};  // NextIteration: how far each index moves; not all are 0
  const ir::Inst* loop = nullptr;     // NextGang
};

// Finds prefetches by Inst::id of the load.
//   Page             of kernels without barriers, in no loop but those that are unrolled: from
//                    arrays of two dimensions or more that no cache holds, since blocks go by rows,
//                    so that a launch reads several streams of memory at once; of all arrays, where
//                    a gang computes for so long that the CPU does not see what the next one loads.
//   NextIteration    from arrays that no cache holds, by indices that move by constants.
//   NextGang         from one-dimensional arrays that no cache holds, by the counter of the
//                    innermost loop around, a `for` that not all lanes run equally often.
std::vector<std::vector<Prefetch>> find_prefetches(const ir::Function& f, const Analysis& a);

// Whether some loop reads in strides, as of Prefetch::What::NextGangStrides.
bool reads_in_strides(const ir::Function& f, const Analysis& a);

}  // namespace cuda_device::analysis
