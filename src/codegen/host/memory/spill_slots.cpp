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
      Home home;
      home.working = working;
      llvm::Type* type = working->getAllocatedType();
      if (is_shared(slot))
        home.shared = c_.variable(type, c_.source.function.slots[slot].name + ".block");
      else
        home.cells = arena_.cells(type);
      spill_slots_[slot].push_back(home);
    }
  });
}

template <class F>
void SpillSlots::for_each_home(const SlotSet& slots, F&& f) {
  slots.for_each([&](size_t slot) {
    for (Home& home : spill_slots_[slot]) f(home);
  });
}

static Value* read(llvm::IRBuilder<>& b, llvm::AllocaInst* variable) {
  return b.CreateLoad(variable->getAllocatedType(), variable);
}

void SpillSlots::begin_region(const RegionSlots& region) {
  for_each_home(region.in, [&](Home& home) {
    if (home.shared) home.before = read(c_.b, home.shared);
  });
}

Value* SpillSlots::load(const Home& home, Value* gang) {
  return home.shared ? read(c_.b, home.shared)
                     : arena_.load(home.cells, gang, home.working->getAllocatedType());
}

void SpillSlots::store(const Home& home, Value* gang, Value* value) {
  if (home.shared)
    c_.b.CreateStore(value, home.shared);
  else
    arena_.store(home.cells, gang, value);
}

void SpillSlots::before(uint32_t inst, const RegionSlots& region, Value* gang) {
  for (uint32_t slot : region.in_before[inst])
    for (const Home& home : spill_slots_[slot])
      c_.b.CreateStore(home.shared ? home.before : load(home, gang), home.working);
}

void SpillSlots::after(uint32_t inst, const RegionSlots& region, Value* gang) {
  for (uint32_t slot : region.out_after[inst]) put_back(slot, gang);
}

void SpillSlots::fetch(uint32_t slot, Value* gang) {
  for (const Home& home : spill_slots_[slot]) c_.b.CreateStore(load(home, gang), home.working);
}

void SpillSlots::put_back(uint32_t slot, Value* gang) {
  for (const Home& home : spill_slots_[slot]) store(home, gang, read(c_.b, home.working));
}

void SpillSlots::clear(uint32_t slot, Value* gang) {
  for (const Home& home : spill_slots_[slot])
    store(home, gang, llvm::Constant::getNullValue(home.working->getAllocatedType()));
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
