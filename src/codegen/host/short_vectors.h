// Loads and stores under a mask that is known: the first few lanes.
#pragma once

#include "codegen/host/target.h"

namespace cuda_device::codegen::host {

// `if t < 8` reads and writes eight elements: by a vector of eight and not by a wider one under a
// mask. A processor hands what was just stored on to a load that lies within it, not to one that
// lies across it, however few of its lanes are on; and AVX2 stores under masks slowly.
//   masked.load <32 x T> p, first 8  →  the lanes of load <8 x T> p, those of the default behind it
//   masked.store v, p, first 8       →  store (first 8 of v), p
void use_short_vectors(llvm::Function& function);

}  // namespace cuda_device::codegen::host
