// Loads and stores under masks that are known when a kernel is compiled.
#pragma once

#include "codegen/host/machine/target.h"

namespace cuda_device::codegen::host {

// `if t < 8` reads and writes eight elements: by a vector of eight and not by a wider one under a
// mask. A processor hands what was just stored on to a load that lies within it, not to one that
// lies across it, however few of its lanes are on; and AVX2 stores under masks slowly. One lane is
// such a mask, too: LLVM 22 would store two bytes for one where the value was narrowed to it.
//
// Lanes that are on side by side, a power of two of them from a multiple of it on:
//   masked.load <32 x T> p   →  load <8 x T> at p, put among the other lanes' defaults
//   masked.store v, p        →  store of those lanes of v, at their place
// After LLVM's optimisations, which make masks known.
//
// `any`: else one lane only, which LLVM would get wrong.
void take_known_masks(llvm::Function& function, bool any);

}  // namespace cuda_device::codegen::host
