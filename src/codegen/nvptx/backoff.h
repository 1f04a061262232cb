// What a thread does between two looks at an element that it waits for, as libcu++ does: the first
// looks follow one another; then it sleeps for a quarter of the time that it has waited by then,
// from 10 us on and 1 ms at most, so that it is late by a quarter, and leaves the memory to others.
#pragma once

#include "codegen/thread/emit_context.h"

namespace cuda_device::codegen::nvptx {

using thread::EmitContext;

// One for all waits of a function: none is within another.
class Backoff {
 public:
  explicit Backoff(EmitContext& context) : c_(context) {}
  void begin();
  // After a look that was in vain.
  void look_again();

 private:
  void sleep();

  EmitContext& c_;
  llvm::AllocaInst* looks_ = nullptr;  // made when first used
  llvm::AllocaInst* start_ = nullptr;  // ns, when looks began to be timed
};

}  // namespace cuda_device::codegen::nvptx
