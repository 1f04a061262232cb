#include "codegen/host/lowering/pure_ops.h"

#include "analysis/lanes/shape_transfer.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using ir::Inst;
using ir::Op;
using llvm::Value;

namespace {

// A step that the analysis does not know is the difference of two lanes.
Value* step_of(EmitContext& c, const analysis::Step& step, ScalarKind kind, Value* base,
               const Evaluation& evaluation, unsigned lane) {
  if (step.known) return c.integer(kind, step.value);
  return c.b.CreateSub(evaluation.at(lane), base);
}

bool has_one_value(const Inst& inst, const analysis::Range& range) {
  return (inst.type.is_int() || inst.type.is_bool()) && !range.unsigned_overflow &&
         range.lo == range.hi;
}

}  // namespace

void define_shaped(EmitContext& c, LaneValues& values, const Inst& inst,
                   const Evaluation& evaluation) {
  const analysis::Shape& shape = c.analysis().shape(inst);
  const ScalarKind held = values.held_kind(inst);
  const Evaluation e{
      held,
      [&](unsigned lane) { return values.resize(evaluation.at(lane), evaluation.kind, held); },
      [&] { return values.resize(evaluation.all(), evaluation.kind, held); }};
  if (shape.uniform()) return values.define_uniform(inst, held, e.at(0));
  if (!shape.affine()) return values.define_vector(inst, held, e.all());
  Value* base = e.at(0);
  Value* s0 = step_of(c, shape.s0, held, base, e, 1);
  const unsigned period = shape.period_in(c.analysis().layout);
  Value* s1 = period < c.width() ? step_of(c, shape.s1, held, base, e, period) : c.integer(held, 0);
  values.define_affine(inst, held, base, s0, s1, period);
}

void PureOps::emit(const Inst& inst) {
  if (inst.type.is_array()) return;  // Arrays asks for it where it is used
  switch (inst.op) {
    case Op::Const:
      return emit_uniform_leaf(inst, inst.type.scalar(),
                               constant_of(c_.llvm(), inst.type.scalar(), inst.imm));
    case Op::Param:
      return emit_uniform_leaf(inst, inst.type.scalar(),
                               launch_.scalar(static_cast<uint32_t>(inst.imm)));
    case Op::Extent:
    case Op::Stride:
      return emit_array_number(inst);
    default:
      break;
  }
  // A range of one value makes the result uniform, whatever its operands: they may hold other
  // values in the lanes that the range does not speak of, the inactive ones.
  const analysis::Range& range = c_.analysis().range(inst);
  if (has_one_value(inst, range))
    return emit_uniform_leaf(inst, inst.type.scalar(),
                             constant_of(c_.llvm(), inst.type.scalar(), range.lo));
  const WidthPlan plan = plan_width(inst, c_.analysis());
  if (divides_bases(inst)) return emit_quotient(inst, plan);
  auto evaluate = [&](auto&& operand) {
    llvm::SmallVector<Value*, 3> operands;
    for (size_t i = 0; i < inst.operands.size(); ++i)
      operands.push_back(operand(*inst.operands[i], plan.operands[i]));
    return compute(inst, plan, operands);
  };
  define_shaped(
      c_, values_, inst,
      {plan.result,
       [&](unsigned lane) {
         return evaluate(
             [&](const Inst& i, ScalarKind want) { return values_.scalar(i, want, lane); });
       },
       [&] {
         if (Value* lanes = equal_to_shared(inst, plan)) return lanes;
         return evaluate([&](const Inst& i, ScalarKind want) { return values_.vector(i, want); });
       }});
}

Value* PureOps::at_lane(const Inst& inst, unsigned lane) {
  const WidthPlan plan = plan_width(inst, c_.analysis());
  llvm::SmallVector<Value*, 3> operands;
  for (size_t i = 0; i < inst.operands.size(); ++i)
    operands.push_back(values_.scalar(*inst.operands[i], plan.operands[i], lane));
  return compute(inst, plan, operands);
}

bool PureOps::divides_bases(const Inst& inst) const {
  const bool quotient = inst.op == Op::FloorDiv || inst.op == Op::Shr;
  return quotient && c_.analysis().shape(inst).level != analysis::Level::Varying &&
         c_.analysis().shape(*inst.operands[0]).affine();
}

// The base is a multiple of the divisor and, where lane 0 is not active, may be below zero.
void PureOps::emit_quotient(const Inst& inst, const WidthPlan& plan) {
  const analysis::Range& by = c_.analysis().range(*inst.operands[1]);
  const auto shift = analysis::division_by_power_of_two(inst, {by.lo, by.hi});
  CD_CHECK(shift, "a quotient of bases by what is no power of two");
  Value* base = values_.scalar(*inst.operands[0], plan.kind, 0);
  Value* quotient = c_.b.CreateAShr(base, *shift);
  define_shaped(c_, values_, inst,
                {plan.result, [&](unsigned) { return quotient; },
                 [&] { return static_cast<Value*>(nullptr); }});
}

// base + steps == shared where steps == shared - base: a scalar and a constant in place of the
// affine value in all lanes. (And without a constant in each of many tests of one value, which
// LLVM's simplification of their masks is slow to put together.)
Value* PureOps::equal_to_shared(const Inst& inst, const WidthPlan& plan) {
  if (inst.op != Op::Eq && inst.op != Op::Ne) return nullptr;
  for (size_t side : {0u, 1u}) {
    const Inst& shared = *inst.operands[1 - side];
    const Lanes& affine = values_.of(*inst.operands[side]);
    if (!values_.of(shared).uniform() || affine.held != plan.operands[side] ||
        plan.operands[0] != plan.operands[1])
      continue;
    llvm::Constant* steps = values_.constant_steps(affine);
    if (!steps) continue;
    Value* difference = c_.b.CreateSub(values_.scalar(shared, affine.held), affine.value);
    return compute(inst, plan, {steps, c_.b.CreateVectorSplat(c_.width(), difference)});
  }
  return nullptr;
}

Value* PureOps::compute(const Inst& inst, const WidthPlan& plan, llvm::ArrayRef<Value*> operands) {
  if (inst.op != Op::Wrap) return c_.arithmetic.emit(inst.op, plan.kind, plan.result, operands);
  if (c_.analysis().range(*inst.operands[0]).non_negative())
    return c_.arithmetic.convert(plan.kind, plan.result, operands[0]);
  if (c_.in_scalarized_loop) return wrap_by_branch(plan, operands[0], operands[1]);
  return c_.arithmetic.wrap(plan.kind, operands[0], operands[1], plan.result);
}

// Wraps one thread's index by a branch: indices are seldom negative, and a predicted branch costs
// less than arithmetic for both cases.
Value* PureOps::wrap_by_branch(const WidthPlan& plan, Value* index, Value* extent) {
  Value* converted = c_.arithmetic.convert(plan.kind, plan.result, index);
  if (!is_signed_int(plan.kind)) return converted;
  llvm::BasicBlock *negative = c_.new_block("from_the_end"), *done = c_.new_block("wrapped"),
                   *before = c_.b.GetInsertBlock();
  c_.b.CreateCondBr(c_.b.CreateIsNeg(converted), negative, done,
                    llvm::MDBuilder(c_.llvm()).createUnlikelyBranchWeights());
  c_.start(negative);
  Value* from_the_end = c_.b.CreateAdd(converted, extent);
  c_.b.CreateBr(done);
  c_.start(done);
  llvm::PHINode* wrapped = c_.b.CreatePHI(converted->getType(), 2);
  wrapped->addIncoming(converted, before);
  wrapped->addIncoming(from_the_end, negative);
  return wrapped;
}

// The number of a view is one of its operands.
void PureOps::emit_array_number(const Inst& inst) {
  const Inst& array = *inst.operands[0];
  const auto axis = static_cast<unsigned>(inst.imm);
  const bool extent = inst.op == Op::Extent;
  if (array.op == Op::View)
    return values_.define(inst,
                          values_.of(*array.operands[2 + axis + (extent ? 0 : array.type.ndim)]));
  emit_uniform_leaf(inst, ScalarKind::I64,
                    extent ? arrays_.extent(array, axis) : arrays_.stride(array, axis));
}

// All lanes have it by nature; in a function analysed without shapes it still has to be a vector.
void PureOps::emit_uniform_leaf(const Inst& inst, ScalarKind kind, Value* value) {
  define_shaped(c_, values_, inst,
                {kind, [&](unsigned) { return value; },
                 [&] { return c_.b.CreateVectorSplat(c_.width(), value); }});
}

}  // namespace cuda_device::codegen::host
