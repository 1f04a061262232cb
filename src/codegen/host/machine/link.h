// The object file of one kernel as a position-independent image: what a linker would do, for the
// few things that our emission produces. Anything else is an InternalError, at compile time.
#pragma once

#include "abi/kernel_image.h"
#include "codegen/emit_machine.h"

namespace cuda_device::codegen::host {

// Fills code, text_size, entry and imports; with keep_object debug_object too.
void link(llvm::ArrayRef<char> object, const std::string& entry, abi::KernelImage& image,
          bool keep_object = false);

}  // namespace cuda_device::codegen::host
