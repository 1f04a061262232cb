// Loads and stores: each is planned by the shape of its address, described, and emitted.
#pragma once

#include "codegen/host/memory/access_plan.h"
#include "codegen/host/memory/prefetch.h"

namespace cuda_device::codegen::host {

class Access {
 public:
  Access(EmitContext& context, LaneValues& values, Arrays& arrays, Prefetcher& prefetcher);

  void emit(const ir::Inst& inst, const Mask& mask);
  // --- atomic_access.cpp ---
  void emit_second(const ir::Inst& inst);  // half of a pair
  void emit_fence(const ir::Inst& inst);

 private:
  void load(const ir::Inst& inst, const Mask& mask);

  // --- record_access.cpp ---
  llvm::Value* unpacked(llvm::Value* record, const ir::Inst& load, uint64_t into);
  llvm::Value* stored_bits(const ir::Inst& store);
  llvm::Value* packed(const std::vector<const ir::Inst*>& stores, llvm::Type* record);
  void store_records(const std::vector<const ir::Inst*>& stores, const Mask& mask);
  void store_records(const std::vector<const ir::Inst*>& stores, const Address& address,
                     const Mask& mask);
  void store_scalars(const std::vector<const ir::Inst*>& stores, const Mask& mask);
  std::vector<llvm::Value*> units_of(const std::vector<const ir::Inst*>& stores, uint64_t unit);
  void store_interleaved(const std::vector<const ir::Inst*>& stores, const Address& address);
  bool streams_records(const std::vector<const ir::Inst*>& stores, const Address& address) const;

  // --- atomic_access.cpp ---
  void prefetch(const ir::Inst& inst, const Mask& mask);
  void atomic(const ir::Inst& inst, const Mask& mask);
  void atomic(const ir::Inst& inst, const Address& address, const Mask& mask);
  bool is_alone(const ir::Inst& inst) const;
  void note_atomic(const ir::Inst& inst, const Mask& mask, const char* how);
  void atomic_load_one(const ir::Inst& inst, const Address& address);
  void atomic_by_lanes(const ir::Inst& inst, const Address& address, const Mask& mask);
  class LaneOperands;
  bool may_collide(const ir::Inst& inst);
  void atomic_colliding(const ir::Inst& inst, LaneOperands& operands, const Offsets& offsets,
                        const Mask& mask, llvm::function_ref<void(const Mask&)> each_lane);
  void atomic_in_lane_order(const ir::Inst& inst, const Address& address, const Mask& mask);
  void atomic_combined(const ir::Inst& inst, const Address& address, const Mask& mask);
  void define_results(const ir::Inst& inst, llvm::Value* lanes);
  bool is_used(const ir::Inst& inst);

  void store(const ir::Inst& inst, const Mask& mask);
  AccessPlan plan(const ir::Inst& inst, const Mask& mask, bool unclamped = false);
  template <class Emit>
  auto in_two_versions(const ir::Inst& inst, llvm::Value* unclamped, const Mask& mask, Emit&& emit);
  template <class Emit>
  auto in_branches(const AccessPlan& plan, const Mask& mask, Emit&& emit)
      -> decltype(emit(plan, mask));

  llvm::Value* load_lanes(const AccessPlan& plan, const Mask& mask);
  llvm::Value* load_row_once(const Address& address);
  llvm::Value* load_one_a_row(const Address& address);

  void store(const ir::Inst& inst, const AccessPlan& plan, const Mask& mask);
  void store_one(const ir::Inst& value, const AccessPlan& plan, const Mask& mask);
  void store_lanes(const AccessPlan& plan, llvm::Value* value, const Mask& mask);
  // i1: whether the address, an integer, is a multiple of a line.
  llvm::Value* begins_line(llvm::Value* address);
  llvm::Value* holds(const AccessPlan& plan, const Mask& mask);

  Offsets offsets_of(const Address& address);

  EmitContext& c_;
  LaneValues& values_;
  Arrays& arrays_;
  Addresses addresses_;
  std::unique_ptr<MemoryForm> memory_;
  AccessPlanner planner_;
  Prefetcher& prefetcher_;
  llvm::DenseMap<const ir::Inst*, llvm::Value*> second_;  // of each atomic_load_pair, by lane
  bool in_table_ = false;   // code is for a worker that has a table for the array
  std::vector<bool> used_;  // values of atomic operations, by Inst::id; empty: not looked for yet
};

}  // namespace cuda_device::codegen::host
