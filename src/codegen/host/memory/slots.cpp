#include "codegen/host/memory/slots.h"

#include "support/check.h"

namespace cuda_device::codegen::host {

using llvm::Value;

namespace {

Lanes::Kind kind_of(const analysis::Shape& shape) {
  if (shape.uniform()) return Lanes::Kind::Uniform;
  return shape.affine() ? Lanes::Kind::Affine : Lanes::Kind::Varying;
}

bool is_small(const ir::Slot& slot, const analysis::Range& range) {
  return slot.type.is_int() && slot.type.bits() == 64 && range.fits_i32();
}

}  // namespace

llvm::AllocaInst* Slots::step_variable(const analysis::Step& step, llvm::Type* type) {
  return step.known ? nullptr : c_.variable(type, "step");
}

void Slots::create() {
  const ir::Function& f = c_.source.function;
  for (size_t i = 0; i < f.slots.size(); ++i) {
    const analysis::Shape& shape = c_.analysis().slot_shapes[i];
    Storage storage;
    storage.kind = kind_of(shape);
    storage.held = is_small(f.slots[i], c_.analysis().slot_ranges[i]) ? ScalarKind::I32
                                                                      : f.slots[i].type.scalar();
    llvm::Type* scalar = c_.scalar_type(storage.held);
    const bool varying = storage.kind == Lanes::Kind::Varying;
    storage.value = c_.variable(varying ? c_.vector_type(storage.held) : scalar, f.slots[i].name);
    if (storage.kind == Lanes::Kind::Affine) {
      storage.s0 = step_variable(shape.s0, scalar);
      storage.s1 = step_variable(shape.s1, scalar);
    }
    storage_.push_back(storage);
  }
}

llvm::SmallVector<llvm::AllocaInst*, 3> Slots::places(uint32_t slot) const {
  llvm::SmallVector<llvm::AllocaInst*, 3> all;
  for (llvm::AllocaInst* variable : {storage_[slot].value, storage_[slot].s0, storage_[slot].s1})
    if (variable) all.push_back(variable);
  return all;
}

void Slots::clear(const analysis::SlotSet& slots) {
  slots.for_each([&](size_t slot) {
    for (llvm::AllocaInst* variable : places(static_cast<uint32_t>(slot)))
      c_.b.CreateStore(llvm::Constant::getNullValue(variable->getAllocatedType()), variable);
  });
}

Value* Slots::step(const analysis::Step& step, const Storage& storage, llvm::AllocaInst* variable) {
  return step.known ? c_.integer(storage.held, step.value)
                    : c_.b.CreateLoad(variable->getAllocatedType(), variable);
}

Lanes Slots::load(uint32_t slot) {
  const Storage& storage = storage_[slot];
  Lanes lanes;
  lanes.kind = storage.kind;
  lanes.held = storage.held;
  lanes.value = c_.b.CreateLoad(storage.value->getAllocatedType(), storage.value);
  if (lanes.affine()) {
    const analysis::Shape& shape = c_.analysis().slot_shapes[slot];
    lanes.s0 = step(shape.s0, storage, storage.s0);
    lanes.s1 = step(shape.s1, storage, storage.s1);
    lanes.period = shape.period_in(c_.analysis().layout);
  }
  return lanes;
}

Value* Slots::in_width(Value* value, ScalarKind held, const Storage& storage) {
  return values_.resize(value, held, storage.held);
}

void Slots::store(uint32_t slot, Lanes value, const Mask& mask, bool blend) {
  const Storage& storage = storage_[slot];
  if (storage.kind != Lanes::Kind::Varying) {
    CD_CHECK(!value.varying(), "a varying value in a slot that is not");
    c_.b.CreateStore(in_width(values_.at(value, 0), value.held, storage), storage.value);
    Value* zero = c_.integer(value.held, 0);
    if (storage.s0)
      c_.b.CreateStore(in_width(value.affine() ? value.s0 : zero, value.held, storage), storage.s0);
    if (storage.s1)
      c_.b.CreateStore(in_width(value.affine() ? value.s1 : zero, value.held, storage), storage.s1);
    return;
  }
  Value* lanes = in_width(values_.vector(value), value.held, storage);
  if (blend && !mask.all()) {
    Value* old = c_.b.CreateLoad(lanes->getType(), storage.value);
    lanes = c_.b.CreateSelect(c_.masks.lanes(mask), lanes, old);
  }
  c_.b.CreateStore(lanes, storage.value);
}

}  // namespace cuda_device::codegen::host
