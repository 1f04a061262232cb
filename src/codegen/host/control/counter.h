// The hidden counter of a For. Its arithmetic is on plain values: scalars, or vectors of all lanes.
#pragma once

#include "codegen/host/lowering/lane_values.h"

namespace cuda_device::codegen::host {

class Counter {
 public:
  Counter(EmitContext& context, LaneValues& values, const ir::Inst& loop);

  // Whether lanes can only go on together.
  bool uniform_test() const { return current_.uniform() && stop_.uniform() && step_.uniform(); }
  void begin();
  Lanes load();
  void advance();
  // Whether there is a first iteration; one answer where all agree, or one a lane.
  llvm::Value* enters(bool in_all);
  // Whether another one follows that of `now`.
  llvm::Value* goes_on(const Lanes& now, bool in_all);

  // Where lanes count in step (analysis/loops/trips.h), one answer for all: whether surely all
  // lanes have a first iteration, or another one after that of `now`.
  llvm::Value* first_start() { return values_.at(current_, 0); }
  llvm::Value* stop() { return stop_.value; }
  llvm::Value* step() { return step_.value; }
  llvm::Value* all_enter();
  llvm::Value* all_go_on(const Lanes& now);

  // Where each lane's counter begins, and what it does not get to, as vectors.
  llvm::Value* starts() { return all(current_); }
  llvm::Value* stops() { return all(stop_); }

 private:
  void resize(Lanes& lanes);
  void make_varying(Lanes& lanes);
  llvm::Value* part(const Lanes& lanes, bool in_all);
  llvm::Value* all(Lanes lanes);
  llvm::Value* last(const Lanes& lanes) { return values_.at(lanes, c_.width() - 1); }
  llvm::Value* less(llvm::Value* x, llvm::Value* y);
  bool is_signed() const { return is_signed_int(kind_); }
  bool may_fall() const { return is_signed() && !rises_; }

  EmitContext& c_;
  LaneValues& values_;
  ScalarKind kind_;
  bool rises_;  // the step is known to be positive
  Lanes stop_, step_;
  Lanes current_;  // the shape of the counter; its value where it begins
  llvm::AllocaInst* place_;
};

}  // namespace cuda_device::codegen::host
