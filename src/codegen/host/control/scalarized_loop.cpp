#include "codegen/host/control/scalarized_loop.h"

#include "analysis/scalarized_loops.h"
#include "codegen/host/control/control.h"
#include "ir/visitor.h"

namespace cuda_device::codegen::host {

using ir::Inst;
using ir::Op;
using llvm::Value;

ScalarizedLoop::ScalarizedLoop(EmitContext& context, LaneValues& values, Slots& slots,
                               const Inst& loop)
    : c_(context),
      values_(values),
      slots_(slots),
      loop_(loop),
      of_lane_(analysis::in_scalarized_loop(context.analysis(), loop)),
      from_zero_(analysis::counting_from_zero(of_lane_, loop)),
      of_gang_(context.analysis()) {
  find_outer(loop);
  find_variables(loop);
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
void ScalarizedLoop::find_outer(const Inst& loop) {
  std::vector<bool> known(c_.source.function.inst_count());
  auto use = [&](const Inst& i) {
    for (const Inst* operand : i.operands) {
      if (known[operand->id] || !operand->type.is_scalar()) continue;
      known[operand->id] = true;
      const Lanes& lanes = values_.of(*operand);
      if (lanes.uniform()) continue;
      outer_.push_back({operand, row_of(values_.vector(*operand, lanes.held)), lanes});
    }
  };
  use(loop);
  for (const ir::Block& region : loop.regions)
    ir::for_each_inst(region, [&](const Inst& i) {
      use(i);
      known[i.id] = true;
    });
}

// The counter is set before anyone reads it.
static bool only_the_loop_reads(uint32_t slot, const Inst& loop, const ir::Function& f) {
  int reads = 0, inside = 0;
  ir::for_each_inst(f.body, [&](const Inst& i) {
    reads += i.op == Op::SlotLoad && static_cast<uint32_t>(i.imm) == slot;
  });
  ir::for_each_inst(loop.regions[0], [&](const Inst& i) {
    inside += i.op == Op::SlotLoad && static_cast<uint32_t>(i.imm) == slot;
  });
  return static_cast<uint32_t>(loop.imm) == slot && reads == inside;
}

void ScalarizedLoop::find_variables(const Inst& loop) {
  enum class Use : uint8_t { None, Read, Set };
  std::vector<Use> uses(c_.source.function.slots.size());
  uses[static_cast<size_t>(loop.imm)] = Use::Set;
  for (const ir::Block& region : loop.regions)
    ir::for_each_inst(region, [&](const Inst& i) {
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
    if (!only_the_loop_reads(slot, loop, c_.source.function)) {
      lanes.anchor = values_.here();
      variable.row = row_of(values_.vector(lanes));
      variable.set = uses[slot] == Use::Set;
    }
    variables_.push_back(variable);
  }
}

void ScalarizedLoop::enter(Value* lane) {
  c_.know(of_lane_);
  for (Outer& outer : outer_) {
    const ScalarKind held = outer.lanes.held;
    outer.lanes = values_.of(*outer.inst);
    values_.define_uniform(*outer.inst, held, read(outer.row, lane));
  }
  for (Variable& variable : variables_) {
    Slots::Storage place;
    place.kind = Lanes::Kind::Uniform;
    place.held = slots_.held(variable.slot);
    place.value = c_.variable(c_.scalar_type(place.held), "of_lane");
    if (variable.row.memory) c_.b.CreateStore(read(variable.row, lane), place.value);
    variable.place = slots_.exchange(variable.slot, place);
  }
}

Value* ScalarizedLoop::counts_from_zero() {
  if (!analysis::may_count_from_zero(of_lane_, loop_)) return nullptr;
  const Inst& start = *loop_.operands[0];
  return c_.b.CreateIsNotNeg(values_.scalar(start, values_.of(start).held));
}

void ScalarizedLoop::leave(Value* lane) {
  for (Variable& variable : variables_) {
    const Slots::Storage place = slots_.exchange(variable.slot, variable.place);
    if (!variable.set) continue;
    llvm::Type* type = variable.row.memory->getAllocatedType()->getScalarType();
    Value* value = c_.b.CreateLoad(place.value->getAllocatedType(), place.value);
    if (value->getType() != type) value = c_.b.CreateZExt(value, type);
    c_.b.CreateStore(value, address(variable.row, lane));
  }
  for (const Outer& outer : outer_) values_.exchange(*outer.inst, outer.lanes);
  c_.know(of_gang_);
}

void ScalarizedLoop::finish() {
  for (const Variable& variable : variables_) {
    if (!variable.set) continue;
    llvm::Type* type = variable.row.memory->getAllocatedType();
    Value* vector = c_.b.CreateLoad(type, variable.row.memory);
    if (type != variable.row.vector) vector = c_.b.CreateTrunc(vector, variable.row.vector);
    c_.b.CreateStore(vector, variable.place.value);
  }
}

// Twice, where it makes a difference for addresses whether the counter may be negative.
void Control::emit_lane(const Inst& inst, ScalarizedLoop& one, Join& dead) {
  Value* from_zero = one.counts_from_zero();
  if (!from_zero) {
    emit_uniform_for(inst, Mask::all_lanes(), dead);
    return;
  }
  llvm::BasicBlock *sides[] = {c_.new_block("from_zero"), c_.new_block("from_anywhere")},
                   *done = c_.new_block("lane_done");
  c_.b.CreateCondBr(from_zero, sides[0], sides[1]);
  for (llvm::BasicBlock* side : sides) {
    c_.start(side);
    if (side == sides[0])
      one.know_more();
    else
      one.know_less();
    emit_uniform_for(inst, Mask::all_lanes(), dead);
    c_.b.CreateBr(done);
  }
  c_.start(done);
}

// Lanes from the lowest up.
Control::Behind Control::emit_scalarized(const Inst& inst, Mask mask) {
  Join done(c_.masks, "lanes_done");
  const Mask behind = mask;
  if (mask.may_be_empty) require_any(mask, done);
  ScalarizedLoop one(c_, parts_.values, parts_.slots, inst);
  Value* lanes = c_.masks.bits(mask);
  llvm::AllocaInst* left = c_.variable(lanes->getType(), "lanes_left");
  c_.b.CreateStore(lanes, left);
  llvm::BasicBlock* head = c_.new_block("lane");
  c_.b.CreateBr(head);
  c_.start(head);
  lanes = c_.b.CreateLoad(left->getAllocatedType(), left);
  Value* lane = c_.b.CreateZExt(c_.masks.first_lane(lanes), c_.b.getInt64Ty());
  one.enter(lane);
  emit_lane(inst, one, done);
  one.leave(lane);
  Value* one_less = c_.b.CreateSub(lanes, llvm::ConstantInt::get(lanes->getType(), 1));
  Value* others = c_.b.CreateAnd(lanes, one_less);
  c_.b.CreateStore(others, left);
  llvm::BasicBlock* last = c_.new_block("last_lane");
  c_.b.CreateCondBr(c_.b.CreateIsNotNull(others), head, last);
  c_.start(last);
  one.finish();
  done.arrive(mask);
  done.finish();
  return behind;
}

}  // namespace cuda_device::codegen::host
