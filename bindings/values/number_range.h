// Ranges of formats, for checks and messages.
#pragma once

#include <string>

#include "support/scalar.h"

namespace cuda_device::bindings {

// An integer in the range of an integer format.
bool fits(__int128 value, ScalarKind format);
// "-128 to 127"
std::string range_of(ScalarKind format);

}  // namespace cuda_device::bindings
