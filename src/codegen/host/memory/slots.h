// Variables of the kernel: one stack storage each, by the slot's shape, which LLVM turns into
// registers.
#pragma once

#include "analysis/slot_set.h"
#include "codegen/host/lowering/lane_values.h"

namespace cuda_device::codegen::host {

class Slots {
 public:
  Slots(EmitContext& context, LaneValues& values) : c_(context), values_(values) {}
  // Uses the storage of another one.
  Slots(EmitContext& context, LaneValues& values, const Slots& other)
      : c_(context), values_(values), storage_(other.storage_) {}

  void create();  // once, in the entry block
  // Zeroes slots at the start of every gang: a slot never stored reads as zero.
  void clear(const analysis::SlotSet& slots);
  // The places of a slot: its value, and the steps of an affine one that are no constants.
  llvm::SmallVector<llvm::AllocaInst*, 3> places(uint32_t slot) const;
  ScalarKind held(uint32_t slot) const { return storage_[slot].held; }
  // A value that all lanes share, as the slot holds it.
  llvm::Value* in_width_of(uint32_t slot, const Lanes& value) {
    return in_width(values_.at(value, 0), value.held, storage_[slot]);
  }
  // Affine where the slot is; never a vector made on demand.
  Lanes load(uint32_t slot);
  // Under `mask` where `blend`, in all lanes otherwise. `value` is of the slot's type.
  void store(uint32_t slot, Lanes value, const Mask& mask, bool blend);

  struct Storage {
    Lanes::Kind kind = Lanes::Kind::Varying;
    ScalarKind held = ScalarKind::Bool;
    llvm::AllocaInst* value = nullptr;
    llvm::AllocaInst* s0 = nullptr;  // of an affine slot whose step is no constant
    llvm::AllocaInst* s1 = nullptr;
  };
  const Storage& storage(uint32_t slot) const { return storage_[slot]; }
  void store_in(const Storage& storage, uint32_t slot) { storage_[slot] = storage; }

 private:
  llvm::AllocaInst* step_variable(const analysis::Step& step, llvm::Type* type);
  llvm::Value* step(const analysis::Step& step, const Storage& storage, llvm::AllocaInst* variable);
  llvm::Value* in_width(llvm::Value* value, ScalarKind held, const Storage& storage);

  EmitContext& c_;
  LaneValues& values_;
  std::vector<Storage> storage_;
};

}  // namespace cuda_device::codegen::host
