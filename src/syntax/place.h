// Where a program comes from, as people read it.
#pragma once

#include <string>

#include "syntax/tree.h"

namespace cuda_device::syntax {

// "file.py:12", of the function that was asked for; empty where that is not known.
inline std::string place_of(const Program& program) {
  const Span& span = program.functions.front().span;
  if (!span.known() || span.file >= program.files.size()) return "";
  return program.files[span.file].name + ":" + std::to_string(span.line);
}

}  // namespace cuda_device::syntax
