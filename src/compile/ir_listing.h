// Text of the IR with the lines of Python beside it.
#pragma once

#include <string>

#include "support/span.h"

namespace cuda_device::compile {

// Removes the spans from a text printed with them (ir::PrintOptions), and inserts a comment where
// another line of the source begins.
std::string with_lines(const std::string& text, const SourceMap& files);

}  // namespace cuda_device::compile
