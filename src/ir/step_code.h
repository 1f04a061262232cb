// A Function flattened for the interpreter: a list of steps over registers. A thread's whole state
// is then a position in the list and its registers, so it can stop anywhere, inside any nesting,
// and go on later.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/evaluate.h"
#include "ir/ir.h"

namespace cuda_device::ir {

enum class StepKind : uint8_t {
  Evaluate,  // result = evaluate(registers a, b, c)
  Copy,      // result = register a
  Position,  // result = what `source` asks about the thread's place
  Extent,    // result = shape[immediate] of array a
  Stride,    // result = strides[immediate] of array a
  View,     // result = array number `b`, made now; lists[a] ... are array, offset, extents, strides
  Barrier,  // the thread stops here; register a, where the operation has an operand
  Warp,     // the thread stops here; registers a, b, c: its operands
  Check,    // the thread fails where register a is false; list b: its operands
  Effect,   // any other operation with an effect, `source`; lists[a] ... are the operands
  Call,     // of functions[b]; lists[a] ... are the operands, result and registers from c on the
            // results
  Return,   // from a function that was called; lists[a] ... are the b results
  Jump,     // to step `target`
  JumpUnless,  // likewise, where register a is false
  LoopBegin,   // result, result + 1 = iterations left, next value; lists[a] ... are start, stop,
               // step
  LoopNext,  // register b = next value, or jump to `target` where none is left; result, a as above
  Finish,
};

struct Step {
  StepKind kind = StepKind::Finish;
  uint32_t result = 0;
  uint32_t a = 0, b = 0, c = 0;  // registers; unused ones are 0
  uint32_t target = 0;
  Evaluator evaluate = nullptr;
  const Inst* source = nullptr;
};

struct FunctionCode {
  const Function* function = nullptr;
  uint32_t begin = 0;  // its first step
  // What registers hold when it begins: constants and parameters of the kernel; of an array its
  // number; else 0.
  std::vector<int64_t> initial;
  // Registers of its own parameters, each with the number of the operand that it gets.
  std::vector<std::pair<uint32_t, uint32_t>> parameters;
  // Arrays have numbers: parameters of the kernel first, then those of the function's table, then
  // the dynamic shared memory, then the views.
  uint32_t views = 0;
  std::vector<bool> uses;  // arrays of the table, by index
};

struct StepCode {
  const Function* function = nullptr;   // the kernel
  std::vector<FunctionCode> functions;  // the kernel, then those of its module
  std::vector<Step> steps;
  std::vector<uint32_t> lists;  // registers, of steps with more operands than three
  bool own_arrays = false;      // there are other arrays than parameters

  const FunctionCode& function_of(uint32_t step) const;
};

// The number of the function's array 0; its dynamic shared memory and views come after the table.
inline uint32_t first_own_array(const Function& f) {
  return static_cast<uint32_t>(f.kernel_params());
}
inline uint32_t dynamic_shared_array(const Function& f) {
  return static_cast<uint32_t>(f.kernel_params() + f.arrays.size());
}

// `scalars` are the values of the kernel's parameters, 0 for arrays. `f` must be valid and outlive
// the result.
StepCode flatten(const Function& f, const std::vector<int64_t>& scalars);

}  // namespace cuda_device::ir
