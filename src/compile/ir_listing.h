// Text of the IR with the lines of Python beside it.
#pragma once

#include <string>

#include "support/span.h"

namespace cuda_device::compile {

// Of a text printed with spans (ir::PrintOptions): they go, and a comment stands where another line
// begins.
std::string with_lines(const std::string& text, const SourceMap& files);

}  // namespace cuda_device::compile
