// LLVM IR and assembly with the lines of Python beside them: a comment where another line begins.
#pragma once

#include <string>

#include "codegen/codegen.h"
#include "codegen/llvm.h"

namespace cuda_device::codegen {

// LLVM IR; what LLVM keeps of places is left out.
std::string text_with_lines(const llvm::Module& module, const SourceLines& lines);

// Assembly or PTX, whose directives name files and lines; `comment`: what comments begin with.
std::string with_lines(const std::string& assembly, const SourceLines& lines,
                       const std::string& comment);

}  // namespace cuda_device::codegen
