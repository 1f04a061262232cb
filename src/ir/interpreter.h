// Executes a Function one step at a time, slow and plain: the oracle of every test. Its results
// are the meaning of the IR; targets are compared with it. Threads take turns, so they may wait for
// each other by any means: barriers, operations of their warp, memory.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "ir/ir.h"

namespace cuda_device::ir {

struct ArrayArgument {
  char* data = nullptr;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // bytes
  friend bool operator==(const ArrayArgument&, const ArrayArgument&) = default;
};

struct Argument {
  int64_t scalar = 0;  // as Inst::imm of a constant
  ArrayArgument array;
};

struct Grid {
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  uint32_t shared = 0;  // dynamic shared memory, bytes
};

// What a program did that has no meaning (an index out of range, a store into a read-only array,
// threads of a block at barriers of different kinds, threads that wait for each other and cannot go
// on), or too long.
struct InterpretError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What `opaque` calls, for tests: its identity and operands, as Inst::imm of constants; the answer
// is its result.
using OpaqueCall = std::function<int32_t(int64_t identity, std::span<const int64_t> operands)>;

// In which order threads take turns. Every order is one that a GPU may choose: what a program
// leaves in memory depends on it only where that has no one meaning.
struct Schedule {
  // None: blocks and threads in increasing order, each until it has to wait.
  std::optional<uint64_t> seed;
  uint64_t longest_turn = 64;  // steps, of a random order; more than 0
};

// Runs every thread of every block. Threads that wait for no others by memory run in increasing
// order, blocks one after the other, from one barrier to the next. Where no thread can go on the
// launch ends with an InterpretError: that is certain, for nobody else changes the arrays
// meanwhile. What shared and local arrays hold at first is no zero, and not the same in two blocks
// or threads. Arguments match f.params. Throws InterpretError, also where a thread takes more than
// `max_steps` steps.
// Where a thread fails the launch ends; `report` gets that and what was printed. Null: a failure is
// an InterpretError too, and what is printed is lost.
void interpret(const Function& f, const std::vector<Argument>& arguments, const Grid& grid,
               uint64_t max_steps = UINT64_MAX, LaunchReport* report = nullptr,
               const OpaqueCall& opaque = {}, const Schedule& schedule = {});

}  // namespace cuda_device::ir
