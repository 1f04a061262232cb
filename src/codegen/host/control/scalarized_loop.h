// A loop run lane by lane: what it reads from outside is each time the lane's own
// part of it, and what it sets becomes the lane's part of what lies after the loop.
#pragma once

#include "codegen/host/control/control.h"

namespace cuda_device::codegen::host {

// The emitter of code for a single thread, in which nothing is a vector. What is defined outside
// stands in `values` and `slots` as well.
struct LaneEmitter {
  LaneEmitter(const Parts& gang, const analysis::Analysis& known, const LaneValues& values,
              const Slots& slots);

  EmitContext context;
  LaneValues values;
  Slots slots;
  PureOps pure;
  Access access;
  Control control;
};

class ScalarizedLoop {
 public:
  // Emitted in front of all lanes: writes vectors to where lanes read their parts.
  ScalarizedLoop(const Parts& parts, const ir::Inst& loop);

  const analysis::Analysis& of_lane() const { return of_lane_; }
  // What more is known of lanes where counts_from_zero() holds.
  const analysis::Analysis& from_zero() const { return from_zero_; }
  llvm::Value* counts_from_zero(LaneEmitter& one) const;  // null: there is nothing to gain

  void enter(LaneEmitter& one, llvm::Value* lane);
  void leave(llvm::Value* lane);
  void finish();  // after all lanes; lanes that were not entered keep what they had

 private:
  // The lanes of a vector, in memory.
  struct Row {
    llvm::AllocaInst* memory = nullptr;
    llvm::Type* vector = nullptr;
  };
  struct Outer {
    const ir::Inst* inst = nullptr;
    Row row;
    ScalarKind held = ScalarKind::Bool;
  };
  struct Variable {
    uint32_t slot = 0;
    Row row;                              // none: nothing goes in or out
    bool set = false;                     // in the loop
    llvm::AllocaInst* of_lane = nullptr;  // inside
  };
  void find_outer();
  void find_variables();
  Row row_of(llvm::Value* vector);
  void write(const Row& row, llvm::Value* vector);
  llvm::Value* address(const Row& row, llvm::Value* lane);
  llvm::Value* read(const Row& row, llvm::Value* lane);

  EmitContext& c_;
  LaneValues& values_;
  Slots& slots_;
  const ir::Inst& loop_;
  const analysis::Analysis of_lane_, from_zero_;
  std::vector<Outer> outer_;
  std::vector<Variable> variables_;
  unsigned rows_ = 0;
};

}  // namespace cuda_device::codegen::host
