// Where a definition ends in the text of its file, without Python's tokenizer: that one compiles
// large patterns at its first use, which takes longer than the rest of a first launch.
#pragma once

#include <vector>

#include "bindings/python.h"

namespace cuda_device::bindings {

// Numbers of lines (from 0) that may be the first after the definition that begins with line
// `first`, in order: the end of the text, and lines no deeper than it that could begin a statement.
// In brackets, strings and continued lines there are such too; but what stands before one of those
// does not parse, so the first end that parses is the right one. No more than a few are looked for.
std::vector<Py_ssize_t> possible_ends(nb::handle lines, Py_ssize_t first);

}  // namespace cuda_device::bindings
