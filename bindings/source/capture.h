// A decorated function and everything it calls → syntax::Program, with the guards under which it
// stays true.
#pragma once

#include "bindings/source/function_object.h"

namespace cuda_device::bindings {

// The variant of a kernel that fits what its globals and closures hold now, and the arguments of a
// launch that have to be constants; captured if there is none yet. Throws DiagnosticError where no
// source can be found. Holds the GIL on return; may let other threads run.
std::shared_ptr<Variant> current_variant(FunctionObject* function, Given given = {});

// From now on every variant has the type, which an argument of a launch has; those that lack it go.
void add_argument_type(FunctionState& state, nb::handle type);

// Reads any Python function, decorated or not, for tests and inspection.
std::shared_ptr<const Variant> capture_function(nb::handle function,
                                                const std::vector<nb::object>& types = {},
                                                Given given = {});

}  // namespace cuda_device::bindings
