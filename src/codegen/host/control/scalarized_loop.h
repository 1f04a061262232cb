// A loop run by one lane after the other: what it reads from outside is each time the lane's own
// part of it, and what it sets becomes the lane's part of what lies behind the loop. Code between
// enter and leave is for a single thread; nothing in it is a vector.
#pragma once

#include "codegen/host/memory/slots.h"

namespace cuda_device::codegen::host {

class ScalarizedLoop {
 public:
  // In front of all lanes: writes vectors to where lanes read their parts.
  ScalarizedLoop(EmitContext& context, LaneValues& values, Slots& slots, const ir::Inst& loop);

  void enter(llvm::Value* lane);
  // Of the lane that is being run. Null: there is nothing to gain. What follows know_more() is for
  // lanes where it holds.
  llvm::Value* counts_from_zero();
  void know_more() { c_.know(from_zero_); }
  void know_less() { c_.know(of_lane_); }
  void leave(llvm::Value* lane);
  void finish();  // behind all lanes; lanes that were not entered keep what they had

 private:
  // The lanes of a vector, in memory.
  struct Row {
    llvm::AllocaInst* memory = nullptr;
    llvm::Type* vector = nullptr;
  };
  struct Outer {
    const ir::Inst* inst = nullptr;
    Row row;
    Lanes lanes;  // outside
  };
  struct Variable {
    uint32_t slot = 0;
    Row row;               // none: nothing goes in or out
    bool set = false;      // in the loop
    Slots::Storage place;  // outside
  };
  void find_outer(const ir::Inst& loop);
  void find_variables(const ir::Inst& loop);
  Row row_of(llvm::Value* vector);
  void write(const Row& row, llvm::Value* vector);
  llvm::Value* address(const Row& row, llvm::Value* lane);
  llvm::Value* read(const Row& row, llvm::Value* lane);

  EmitContext& c_;
  LaneValues& values_;
  Slots& slots_;
  const ir::Inst& loop_;
  const analysis::Analysis of_lane_, from_zero_;
  const analysis::Analysis& of_gang_;
  std::vector<Outer> outer_;
  std::vector<Variable> variables_;
  unsigned rows_ = 0;
};

}  // namespace cuda_device::codegen::host
