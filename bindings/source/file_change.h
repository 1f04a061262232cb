// Whether a function's file may have been written to since the program read it, and whether its
// text is still what the function was compiled from.
#pragma once

#include <string>

#include "bindings/python.h"

namespace cuda_device::bindings {

// Called at the import: children forked later go by it too.
void note_when_the_process_began();

// False also where there is no such file: cells, entries of linecache, archives.
bool changed_since_the_process_began(const std::string& file);

// True where the text gives the function's code, or where that cannot be told: tools that rewrite
// what they import (pytest its asserts) leave a code that no text gives. `node` was found for it.
bool compiles_to(nb::handle lines, nb::handle function, nb::handle node);

}  // namespace cuda_device::bindings
