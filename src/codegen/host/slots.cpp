#include "codegen/host/slots.h"

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
    Place place;
    place.kind = kind_of(shape);
    place.held = is_small(f.slots[i], c_.analysis().slot_ranges[i]) ? ScalarKind::I32
                                                                    : f.slots[i].type.scalar;
    llvm::Type* scalar = c_.scalar_type(place.held);
    const bool varying = place.kind == Lanes::Kind::Varying;
    place.value = c_.variable(varying ? c_.vector_type(place.held) : scalar, f.slots[i].name);
    if (place.kind == Lanes::Kind::Affine) {
      place.s0 = step_variable(shape.s0, scalar);
      place.s1 = step_variable(shape.s1, scalar);
    }
    places_.push_back(place);
  }
}

llvm::SmallVector<llvm::AllocaInst*, 3> Slots::places(uint32_t slot) const {
  llvm::SmallVector<llvm::AllocaInst*, 3> all;
  for (llvm::AllocaInst* variable : {places_[slot].value, places_[slot].s0, places_[slot].s1})
    if (variable) all.push_back(variable);
  return all;
}

void Slots::clear(const analysis::SlotSet& slots) {
  slots.for_each([&](size_t slot) {
    for (llvm::AllocaInst* variable : places(static_cast<uint32_t>(slot)))
      c_.b.CreateStore(llvm::Constant::getNullValue(variable->getAllocatedType()), variable);
  });
}

Value* Slots::step(const analysis::Step& step, const Place& place, llvm::AllocaInst* variable) {
  return step.known ? c_.integer(place.held, step.value)
                    : c_.b.CreateLoad(variable->getAllocatedType(), variable);
}

Lanes Slots::load(uint32_t slot) {
  const Place& place = places_[slot];
  Lanes lanes;
  lanes.kind = place.kind;
  lanes.held = place.held;
  lanes.value = c_.b.CreateLoad(place.value->getAllocatedType(), place.value);
  if (lanes.affine()) {
    const analysis::Shape& shape = c_.analysis().slot_shapes[slot];
    lanes.s0 = step(shape.s0, place, place.s0);
    lanes.s1 = step(shape.s1, place, place.s1);
    lanes.period = shape.period_in(c_.analysis().layout);
  }
  return lanes;
}

Value* Slots::in_width(Value* value, ScalarKind held, const Place& place) {
  return values_.resize(value, held, place.held);
}

void Slots::store(uint32_t slot, Lanes value, const Mask& mask, bool blend) {
  const Place& place = places_[slot];
  if (place.kind != Lanes::Kind::Varying) {
    CD_CHECK(!value.varying(), "a varying value in a slot that is not");
    c_.b.CreateStore(in_width(values_.at(value, 0), value.held, place), place.value);
    Value* zero = c_.integer(value.held, 0);
    if (place.s0)
      c_.b.CreateStore(in_width(value.affine() ? value.s0 : zero, value.held, place), place.s0);
    if (place.s1)
      c_.b.CreateStore(in_width(value.affine() ? value.s1 : zero, value.held, place), place.s1);
    return;
  }
  Value* lanes = in_width(values_.vector(value), value.held, place);
  if (blend && !mask.all()) {
    Value* old = c_.b.CreateLoad(lanes->getType(), place.value);
    lanes = c_.b.CreateSelect(c_.masks.lanes(mask), lanes, old);
  }
  c_.b.CreateStore(lanes, place.value);
}

}  // namespace cuda_device::codegen::host
