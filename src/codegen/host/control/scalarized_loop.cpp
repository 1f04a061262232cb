#include "codegen/host/control/scalarized_loop.h"

#include "analysis/loops/scalarized_loops.h"
#include "ir/visitor.h"

namespace cuda_device::codegen::host {

using ir::Inst;
using ir::Op;
using llvm::Value;

LaneEmitter::LaneEmitter(const Parts& gang, const analysis::Analysis& known,
                         const LaneValues& outer_values, const Slots& outer_slots)
    : context(gang.context.emission, known, /*scalarized=*/true),
      values(context, outer_values),
      slots(context, values, outer_slots),
      pure(context, values, gang.launch, gang.arrays),
      access(context, values, gang.arrays, gang.prefetcher),
      control({context, values, pure, gang.position, slots, access, gang.reports, gang.warps,
               gang.launch, gang.arrays, gang.prefetcher, gang.exits, gang.guards,
               gang.scalarized_loops}) {}

ScalarizedLoop::ScalarizedLoop(const Parts& parts, const Inst& loop)
    : c_(parts.context),
      values_(parts.values),
      slots_(parts.slots),
      loop_(loop),
      of_lane_(analysis::in_scalarized_loop(c_.analysis(), loop)),
      from_zero_(analysis::counting_from_zero(of_lane_, loop)) {
  find_outer();
  find_variables();
}

// Single bits have no address.
ScalarizedLoop::Row ScalarizedLoop::row_of(Value* vector) {
  llvm::Type* type = vector->getType();
  if (type->getScalarType()->isIntegerTy(1)) type = with_lanes_of(type, c_.b.getInt8Ty());
  constexpr unsigned kFirst = 2;  // others are in use for single accesses
  const Row row{c_.masks.scratch(type, kFirst + rows_++), vector->getType()};
  write(row, vector);
  return row;
}

void ScalarizedLoop::write(const Row& row, Value* vector) {
  llvm::Type* type = row.memory->getAllocatedType();
  c_.b.CreateStore(type == row.vector ? vector : c_.b.CreateZExt(vector, type), row.memory);
}

Value* ScalarizedLoop::address(const Row& row, Value* lane) {
  return c_.b.CreateGEP(row.memory->getAllocatedType()->getScalarType(), row.memory, lane);
}

Value* ScalarizedLoop::read(const Row& row, Value* lane) {
  llvm::Type* type = row.memory->getAllocatedType()->getScalarType();
  Value* element = c_.b.CreateLoad(type, address(row, lane));
  return type == row.vector->getScalarType() ? element
                                             : c_.b.CreateTrunc(element, c_.b.getInt1Ty());
}

// What differs by lane and is defined in front of the loop.
void ScalarizedLoop::find_outer() {
  std::vector<bool> known(c_.source.function.inst_count());
  auto use = [&](const Inst& i) {
    for (const Inst* operand : i.operands) {
      if (known[operand->id] || !operand->type.is_scalar()) continue;
      known[operand->id] = true;
      const Lanes& lanes = values_.of(*operand);
      if (lanes.uniform()) continue;
      outer_.push_back({operand, row_of(values_.vector(*operand, lanes.held)), lanes.held});
    }
  };
  use(loop_);
  ir::for_each_inside(loop_, [&](const Inst& i) {
    use(i);
    known[i.id] = true;
  });
}

// The counter is set before anyone reads it.
static bool only_the_loop_reads(uint32_t slot, const Inst& loop, const ir::Function& f) {
  const auto reads = [&](const Inst& i) {
    return i.op == Op::SlotLoad && static_cast<uint32_t>(i.imm) == slot;
  };
  return static_cast<uint32_t>(loop.imm) == slot &&
         ir::count_insts(f.body, reads) == ir::count_insts(loop.regions[0], reads);
}

void ScalarizedLoop::find_variables() {
  enum class Use : uint8_t { None, Read, Set };
  std::vector<Use> uses(c_.source.function.slots.size());
  uses[static_cast<size_t>(loop_.imm)] = Use::Set;
  ir::for_each_inside(loop_, [&](const Inst& i) {
    if (i.op == Op::SlotStore) uses[static_cast<size_t>(i.imm)] = Use::Set;
    if (i.op != Op::SlotLoad) return;
    Use& use = uses[static_cast<size_t>(i.imm)];
    use = std::max(use, Use::Read);
  });
  for (uint32_t slot = 0; slot < uses.size(); ++slot) {
    if (uses[slot] == Use::None) continue;
    Lanes lanes = slots_.load(slot);
    if (lanes.uniform()) continue;
    Variable variable;
    variable.slot = slot;
    if (!only_the_loop_reads(slot, loop_, c_.source.function)) {
      lanes.anchor = values_.here();
      variable.row = row_of(values_.vector(lanes));
      variable.set = uses[slot] == Use::Set;
    }
    variables_.push_back(variable);
  }
}

void ScalarizedLoop::enter(LaneEmitter& one, Value* lane) {
  for (const Outer& outer : outer_)
    one.values.define_uniform(*outer.inst, outer.held, read(outer.row, lane));
  for (Variable& variable : variables_) {
    Slots::Storage place;
    place.kind = Lanes::Kind::Uniform;
    place.held = slots_.held(variable.slot);
    place.value = c_.variable(c_.scalar_type(place.held), "of_lane");
    if (variable.row.memory) c_.b.CreateStore(read(variable.row, lane), place.value);
    variable.of_lane = place.value;
    one.slots.store_in(place, variable.slot);
  }
}

Value* ScalarizedLoop::counts_from_zero(LaneEmitter& one) const {
  if (!analysis::may_count_from_zero(of_lane_, loop_)) return nullptr;
  const Inst& start = *loop_.operands[0];
  return c_.b.CreateIsNotNeg(one.values.scalar(start, one.values.of(start).held));
}

void ScalarizedLoop::leave(Value* lane) {
  for (const Variable& variable : variables_) {
    if (!variable.set) continue;
    llvm::Type* type = variable.row.memory->getAllocatedType()->getScalarType();
    Value* value = c_.b.CreateLoad(variable.of_lane->getAllocatedType(), variable.of_lane);
    if (value->getType() != type) value = c_.b.CreateZExt(value, type);
    c_.b.CreateStore(value, address(variable.row, lane));
  }
}

void ScalarizedLoop::finish() {
  for (const Variable& variable : variables_) {
    if (!variable.set) continue;
    llvm::Type* type = variable.row.memory->getAllocatedType();
    Value* vector = c_.b.CreateLoad(type, variable.row.memory);
    if (type != variable.row.vector) vector = c_.b.CreateTrunc(vector, variable.row.vector);
    c_.b.CreateStore(vector, slots_.storage(variable.slot).value);
  }
}

// Twice, where it makes a difference for addresses whether the counter may be negative.
void Control::emit_lane(const Inst& inst, const ScalarizedLoop& loop, LaneEmitter& one,
                        Join& dead) {
  Value* from_zero = loop.counts_from_zero(one);
  if (!from_zero) {
    one.control.emit_uniform_for(inst, Mask::all_lanes(), dead);
    return;
  }
  LaneEmitter upwards(parts_, loop.from_zero(), one.values, one.slots);
  llvm::BasicBlock *sides[] = {c_.new_block("from_zero"), c_.new_block("from_anywhere")},
                   *done = c_.new_block("lane_done");
  c_.b.CreateCondBr(from_zero, sides[0], sides[1]);
  for (llvm::BasicBlock* side : sides) {
    c_.start(side);
    Control& control = side == sides[0] ? upwards.control : one.control;
    control.emit_uniform_for(inst, Mask::all_lanes(), dead);
    c_.b.CreateBr(done);
  }
  c_.start(done);
}

// Lanes from the lowest up.
Control::Remaining Control::emit_scalarized(const Inst& inst, Mask mask) {
  Join done(c_.masks, "lanes_done");
  const Mask remaining = mask;
  if (mask.may_be_empty) require_any(mask, done);
  ScalarizedLoop loop(parts_, inst);
  Value* lanes = c_.masks.bits(mask);
  llvm::AllocaInst* left = c_.variable(lanes->getType(), "lanes_left");
  c_.b.CreateStore(lanes, left);
  llvm::BasicBlock* head = c_.new_block("lane");
  c_.b.CreateBr(head);
  c_.start(head);
  lanes = c_.b.CreateLoad(left->getAllocatedType(), left);
  Value* lane = c_.b.CreateZExt(c_.masks.first_lane(lanes), c_.b.getInt64Ty());
  LaneEmitter one(parts_, loop.of_lane(), parts_.values, parts_.slots);
  loop.enter(one, lane);
  emit_lane(inst, loop, one, done);
  loop.leave(lane);
  Value* one_less = c_.b.CreateSub(lanes, llvm::ConstantInt::get(lanes->getType(), 1));
  Value* others = c_.b.CreateAnd(lanes, one_less);
  c_.b.CreateStore(others, left);
  llvm::BasicBlock* last = c_.new_block("last_lane");
  c_.b.CreateCondBr(c_.b.CreateIsNotNull(others), head, last);
  c_.start(last);
  loop.finish();
  done.arrive(mask);
  done.finish();
  return remaining;
}

}  // namespace cuda_device::codegen::host
