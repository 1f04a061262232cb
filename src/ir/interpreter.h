// Executes a Function one thread at a time, slow and plain: the oracle of every test. Its results
// are the meaning of the IR; targets are compared with it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ir/ir.h"

namespace cuda_device::ir {

struct ArrayArgument {
  char* data = nullptr;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // bytes
};

struct Argument {
  int64_t scalar = 0;  // as Inst::imm of a constant
  ArrayArgument array;
};

struct Grid {
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
};

// Runs every thread of every block, blocks and threads in increasing order. Arguments match
// f.params.
void interpret(const Function& f, const std::vector<Argument>& arguments, const Grid& grid);

}  // namespace cuda_device::ir
