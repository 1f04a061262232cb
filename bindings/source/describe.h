// A captured program as Python data, for tests of the reader.
#pragma once

#include "bindings/python.h"
#include "syntax/tree.h"

namespace cuda_device::bindings {

// One dict per function: name, kind, file, line, and names: {source text of the name: (kind,
// meaning)}.
nb::list describe(const syntax::Program& program);

}  // namespace cuda_device::bindings
