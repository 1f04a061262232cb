// Where variables lie between the regions of a kernel with barriers: what all gangs share in one
// place, the rest in a place for each gang in the worker's arena.
#pragma once

#include "analysis/blocks/region_slots.h"
#include "codegen/host/memory/arena.h"
#include "codegen/host/memory/slots.h"

namespace cuda_device::codegen::host {

class SpillSlots {
 public:
  SpillSlots(EmitContext& context, Slots& slots, Arena& arena)
      : c_(context), slots_(slots), arena_(arena) {}

  void create(const analysis::SlotSet& crossing);  // once

  // Around the loop over gangs of a region: what it takes from the block's own places is read
  // before the first gang changes them.
  void begin_region(const analysis::RegionSlots& region);
  // Around an instruction of a region: what it names first is fetched, what it stores to last is
  // put back, so that variables are in registers no longer than they must.
  void before(uint32_t inst, const analysis::RegionSlots& region, llvm::Value* gang);
  void after(uint32_t inst, const analysis::RegionSlots& region, llvm::Value* gang);

  // One variable, of one gang, outside of regions.
  void fetch(uint32_t slot, llvm::Value* gang);
  void put_back(uint32_t slot, llvm::Value* gang);

  bool is_shared(uint32_t slot) const;  // by all gangs
  void clear(uint32_t slot, llvm::Value* gang);
  // The value of a shared slot, which all threads have.
  llvm::Value* load_shared(uint32_t slot);
  void store_shared(uint32_t slot, llvm::Value* value);

 private:
  struct SpillSlot {
    llvm::AllocaInst* working = nullptr;
    llvm::AllocaInst* shared = nullptr;  // null: in the arena
    Arena::Cells cells;
    llvm::Value* before = nullptr;  // shared: what it was when the region began
  };
  llvm::Value* load(const SpillSlot& spill, llvm::Value* gang);
  void store(const SpillSlot& spill, llvm::Value* gang, llvm::Value* value);
  template <class F>
  void for_each_spill_slot(const analysis::SlotSet& slots, F&& f);

  EmitContext& c_;
  Slots& slots_;
  Arena& arena_;
  std::vector<llvm::SmallVector<SpillSlot, 1>> spill_slots_;  // by slot
};

}  // namespace cuda_device::codegen::host
