#include "codegen/host/memory/spill_slots.h"

#include "support/check.h"

namespace cuda_device::codegen::host {

using analysis::RegionSlots;
using analysis::SlotSet;
using llvm::Value;

bool SpillSlots::is_shared(uint32_t slot) const {
  return c_.analysis().slot_shapes[slot].level <= analysis::Level::BlockUniform;
}

void SpillSlots::create(const SlotSet& crossing) {
  spill_slots_.resize(crossing.size());
  crossing.for_each([&](size_t index) {
    const auto slot = static_cast<uint32_t>(index);
    for (llvm::AllocaInst* working : slots_.places(slot)) {
      SpillSlot spill;
      spill.working = working;
      llvm::Type* type = working->getAllocatedType();
      if (is_shared(slot))
        spill.shared = c_.variable(type, c_.source.function.slots[slot].name + ".block");
      else
        spill.cells = arena_.cells(type);
      spill_slots_[slot].push_back(spill);
    }
  });
}

template <class F>
void SpillSlots::for_each_spill_slot(const SlotSet& slots, F&& f) {
  slots.for_each([&](size_t slot) {
    for (SpillSlot& spill : spill_slots_[slot]) f(spill);
  });
}

static Value* read(llvm::IRBuilder<>& b, llvm::AllocaInst* variable) {
  return b.CreateLoad(variable->getAllocatedType(), variable);
}

void SpillSlots::begin_region(const RegionSlots& region) {
  for_each_spill_slot(region.in, [&](SpillSlot& spill) {
    if (spill.shared) spill.before = read(c_.b, spill.shared);
  });
}

Value* SpillSlots::load(const SpillSlot& spill, Value* gang) {
  return spill.shared ? read(c_.b, spill.shared)
                      : arena_.load(spill.cells, gang, spill.working->getAllocatedType());
}

void SpillSlots::store(const SpillSlot& spill, Value* gang, Value* value) {
  if (spill.shared)
    c_.b.CreateStore(value, spill.shared);
  else
    arena_.store(spill.cells, gang, value);
}

void SpillSlots::before(uint32_t inst, const RegionSlots& region, Value* gang) {
  for (uint32_t slot : region.in_before[inst])
    for (const SpillSlot& spill : spill_slots_[slot])
      c_.b.CreateStore(spill.shared ? spill.before : load(spill, gang), spill.working);
}

void SpillSlots::after(uint32_t inst, const RegionSlots& region, Value* gang) {
  for (uint32_t slot : region.out_after[inst]) put_back(slot, gang);
}

void SpillSlots::fetch(uint32_t slot, Value* gang) {
  for (const SpillSlot& spill : spill_slots_[slot])
    c_.b.CreateStore(load(spill, gang), spill.working);
}

void SpillSlots::put_back(uint32_t slot, Value* gang) {
  for (const SpillSlot& spill : spill_slots_[slot]) store(spill, gang, read(c_.b, spill.working));
}

void SpillSlots::clear(uint32_t slot, Value* gang) {
  for (const SpillSlot& spill : spill_slots_[slot])
    store(spill, gang, llvm::Constant::getNullValue(spill.working->getAllocatedType()));
}

Value* SpillSlots::load_shared(uint32_t slot) {
  CD_CHECK(is_shared(slot), "the gangs' own variable is read for all of them");
  return read(c_.b, spill_slots_[slot].front().shared);
}

void SpillSlots::store_shared(uint32_t slot, Value* value) {
  CD_CHECK(is_shared(slot), "the gangs' own variable is set for all of them");
  c_.b.CreateStore(value, spill_slots_[slot].front().shared);
}

}  // namespace cuda_device::codegen::host
