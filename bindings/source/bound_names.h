// Which names a piece of Python source binds: its parameters, targets, imports, exceptions,
// patterns, classes and functions, and those that it declares global.
#pragma once

#include <set>
#include <string>

#include "bindings/python.h"

namespace cuda_device::bindings {

std::set<std::string> names_bound_in(nb::handle ast);

}  // namespace cuda_device::bindings
