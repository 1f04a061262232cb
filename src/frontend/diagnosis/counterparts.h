// Names of one language in a kernel of another: what the kernel's own writes in their place.
#pragma once

#include <string>

#include "frontend/calls/intrinsics.h"
#include "frontend/context.h"

namespace cuda_device::frontend {

// Whether the intrinsic is of another language than the kernel. Types are of all.
bool is_of_another_language(const Policy& policy, const Intrinsic& intrinsic);
Value another_language(Context& ctx, const Intrinsic& intrinsic, const Node* node);
// A hint that names an intrinsic, in the words of the kernel's language; empty: it has no such one.
std::string in_language(const Policy& policy, const std::string& hint);

}  // namespace cuda_device::frontend
