// Names of one language in a kernel of another: what the kernel's own writes in their place.
#pragma once

#include <string>

#include "frontend/calls/intrinsics.h"
#include "frontend/context.h"

namespace cuda_device::frontend {

// Whether the intrinsic is of another language than the kernel. Types are of all.
bool is_of_another_language(const Policy& policy, const Intrinsic& intrinsic);
Value another_language(Context& ctx, const Intrinsic& intrinsic, const Node* node);
// A hint with the names of the kernel's language; empty: it lacks one of them.
std::string in_language(const Policy& policy, std::string hint);
// The hint of a diagnostic in the words of the kernel's language: its own hint, its words, and its
// names in place of those of another one.
std::string hint_in_language(const Policy& policy, const Diagnostic& diagnostic);
// What to do in place of a name of Python that the language lacks; null: it has it.
const char* refused_name(const Policy& policy, std::string_view entity);

}  // namespace cuda_device::frontend
