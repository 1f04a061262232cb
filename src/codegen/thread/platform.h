// What the emitter of single threads asks of its target: where parameters and shared memory are,
// and how a thread meets others.
#pragma once

#include "codegen/thread/emit_context.h"

namespace cuda_device::codegen::thread {

class Platform {
 public:
  virtual ~Platform() = default;

  // ---- parameters ----
  virtual llvm::Value* scalar(uint32_t param) = 0;
  // Where an array's first element is; its extents; its strides in bytes, both int64.
  virtual llvm::Value* data(uint32_t param) = 0;
  virtual llvm::Value* extent(uint32_t param, int64_t axis) = 0;
  virtual llvm::Value* stride(uint32_t param, int64_t axis) = 0;

  // What a function that is called is given, first of all, to find the parameters of the kernel and
  // where the thread is.
  virtual llvm::SmallVector<llvm::Value*> environment() = 0;

  // ---- memory ----
  // A shared array of the function's own, by number; the same one whenever it is asked for.
  virtual llvm::Value* shared(size_t array) = 0;
  virtual llvm::Value* dynamic_shared() = 0;
  virtual llvm::Value* dynamic_shared_bytes() = 0;  // int64
  virtual unsigned constant_space() const = 0;      // the address space of constant arrays

  // ---- instructions; the result, null where there is none ----
  virtual llvm::Value* position(const ir::Inst& inst) = 0;
  virtual llvm::Value* barrier(const ir::Inst& inst) = 0;
  virtual llvm::Value* meet_warp(const ir::Inst& inst) = 0;
  // At a pointer in the address space of its array.
  virtual llvm::Value* atomic(const ir::Inst& inst, llvm::Value* pointer) = 0;
  virtual void fence(const ir::Inst& inst) = 0;
  // Where it does not hold the thread reports the failure of that number, with the values of a
  // check's message; null: it has none.
  virtual void check(llvm::Value* holds, uint32_t failure, const ir::Inst* message) = 0;
  virtual void print(const ir::Inst& inst) = 0;

  // ---- waiting loops ----
  // Whether a thread that goes round the loop without end keeps others from running.
  virtual bool takes_turns(const ir::Inst& loop) const = 0;
  // At the beginning of each of its iterations. `state`: a hash of what the thread read and kept
  // since the last one. `word`: of a loop that does nothing but read one.
  struct Word {
    llvm::Value* address = nullptr;  // null where the last iteration did not leave it as it read it
    llvm::Value* value = nullptr;    // what it read, in 64 bits
    unsigned bytes = 0;
  };
  virtual void turn(const ir::Inst& loop, llvm::Value* state, const Word* word) = 0;

  // A loop that does nothing but wait for an element (`waits` of atomic.h): where it begins, and
  // where a look has found what the element was.
  virtual void begin_wait() {}
  virtual void look_again() {}
};

}  // namespace cuda_device::codegen::thread
