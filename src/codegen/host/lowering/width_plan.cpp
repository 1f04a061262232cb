#include "codegen/host/lowering/width_plan.h"

#include <algorithm>

namespace cuda_device::codegen::host {
namespace {

using analysis::Analysis;
using ir::Inst;
using ir::Op;

bool is_wide(const ir::Type& type) { return type.is_int() && type.bits() == 64; }

void use_32_bits(WidthPlan& plan) {
  auto shrink = [](ScalarKind& kind) {
    if (kind == ScalarKind::I64 || kind == ScalarKind::U64) kind = ScalarKind::I32;
  };
  std::for_each(plan.operands.begin(), plan.operands.end(), shrink);
  shrink(plan.kind);
  shrink(plan.result);
}

bool fits_32_bits(const Inst& inst, const Analysis& analysis) {
  auto small = [&](const Inst* i) { return !is_wide(i->type) || analysis.narrow(*i); };
  const bool small_result = small(&inst);
  switch (ir::info(inst.op).width) {
    case ir::Width::LowBits:
      return small_result;
    case ir::Width::SmallValues:
      return small_result && std::all_of(inst.operands.begin(), inst.operands.end(), small);
    case ir::Width::FullWidth:
      return false;
  }
  return false;
}

void plan_conversion(const Inst& inst, const Analysis& analysis, WidthPlan& plan) {
  const Inst& source = *inst.operands[0];
  if (is_wide(source.type) && analysis.narrow(source)) plan.operands[0] = ScalarKind::I32;
  if (is_wide(inst.type) && analysis.narrow(inst)) plan.result = ScalarKind::I32;
  plan.kind = plan.operands[0];
}

// A wrapped index is small where the index and the extent are.
void plan_wrap(const Inst& inst, const Analysis& analysis, WidthPlan& plan) {
  const Inst& index = *inst.operands[0];
  const Inst& extent = *inst.operands[1];
  const bool small_index = !is_wide(index.type) || analysis.narrow(index);
  if (small_index && is_wide(index.type)) plan.operands[0] = ScalarKind::I32;
  const bool fits = small_index && analysis.range(index).fits_i32() && analysis.narrow(inst) &&
                    (analysis.narrow(extent) || analysis.range(index).non_negative());
  if (fits) plan.operands[1] = plan.result = ScalarKind::I32;
  plan.kind = plan.operands[0];
}

}  // namespace

WidthPlan plan_width(const Inst& inst, const Analysis& analysis) {
  WidthPlan plan;
  for (const Inst* operand : inst.operands) plan.operands.push_back(operand->type.scalar());
  plan.result = inst.type.scalar();
  plan.kind = plan.operands.empty() ? plan.result : plan.operands[inst.op == Op::Select ? 1 : 0];
  if (inst.op == Op::Convert)
    plan_conversion(inst, analysis, plan);
  else if (inst.op == Op::Wrap)
    plan_wrap(inst, analysis, plan);
  else if (fits_32_bits(inst, analysis))
    use_32_bits(plan);
  return plan;
}

}  // namespace cuda_device::codegen::host
