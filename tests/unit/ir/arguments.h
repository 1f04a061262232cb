// Arguments of the interpreter, made of a test's own data.
#pragma once

#include <vector>

#include "ir/interpreter.h"

namespace cuda_device::ir {

// An array of one axis; the vector must outlive it.
template <class T>
Argument array_of(std::vector<T>& data) {
  Argument a;
  a.array = {
      reinterpret_cast<char*>(data.data()), {static_cast<int64_t>(data.size())}, {sizeof(T)}};
  return a;
}

}  // namespace cuda_device::ir
