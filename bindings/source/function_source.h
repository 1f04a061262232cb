// The way from a Python function to the `ast` node of its definition, parsed once from the text it
// came from.
#pragma once

#include <string>

#include "bindings/python.h"

namespace cuda_device::bindings {

// The lines of the file, notebook cell or linecache entry that a function was compiled from, as
// they are now. Taken when a kernel is decorated: the file may change before the first launch. Of a
// function that was unpickled, what came with it.
// Throws Python's OSError for a file that is there and cannot be read.
nb::object source_lines_of(nb::handle function);

struct FunctionSource {
  std::string file;
  nb::object lines;                        // list of str; lines[0] is line 1 of the file
  nb::object node;                         // ast.FunctionDef or ast.Lambda
  int line_shift = 0;                      // line in the file = node's line + line_shift
  uint32_t first_line = 0, last_line = 0;  // in the file, decorators included
};

// Throws a diagnostic where the text cannot be found, is not this function's, or has changed since
// the function was compiled.
FunctionSource find_source(nb::handle function, nb::handle lines);

}  // namespace cuda_device::bindings
