#include "analysis/loops/scalarized_loops.h"

#include <algorithm>

#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

// A vector instruction does many lanes of these at once; a load does one lane either way. Measured
// on Zen 5: a gather takes a nanosecond more for four lanes than their loads do, and in that time
// sixteen cheap scalar instructions are done.
constexpr size_t kMostInstructionsOfLoad = 8;

bool varies(const Inst& i, const Analysis& a) { return a.shape(i).level == Level::Varying; }

bool is_position(Op op) { return ir::info(op).kind == ir::OpKind::Position; }

class Body {
 public:
  Body(const Analysis& a, const ir::Block& block) : a_(a) {
    for (const Inst* i : block.insts) inst(*i);
  }
  bool suits() const { return fits_ && loads_ > 0 && others_ <= kMostInstructionsOfLoad * loads_; }

 private:
  void inst(const Inst& i) {
    if (ir::is_plain_load(i))
      load(i);
    else if (i.op == Op::SlotStore)
      fits_ = fits_ && a_.slot_shapes[static_cast<size_t>(i.imm)].level == Level::Varying;
    else if (i.op != Op::SlotLoad)
      other(i);
  }

  void load(const Inst& i) {
    const std::span<Inst* const> indices = ir::access_of(i)->indices;
    const bool scattered =
        std::ranges::any_of(indices, [&](const Inst* k) { return varies(*k, a_); });
    const bool one =
        std::ranges::all_of(indices, [&](const Inst* k) { return a_.shape(*k).uniform(); });
    fits_ = fits_ && i.operands[0]->op == Op::Param && (scattered || one);
    loads_ += scattered;
  }

  void other(const Inst& i) {
    others_ += i.op != Op::Const && i.op != Op::Extent;  // those are at hand
    fits_ = fits_ && ir::is_pure(i.op) && !ir::is_costly(i.op) && !is_position(i.op);
    for (const Inst* operand : i.operands)
      fits_ = fits_ && (!operand->type.is_array() || operand->op == Op::Param);
  }

  const Analysis& a_;
  bool fits_ = true;
  size_t loads_ = 0, others_ = 0;
};

bool is_scalarizable(const Inst& i, const Analysis& a) {
  if (i.op != Op::For || !a.divergent[i.id] || !i.regions[1].empty()) return false;
  const bool counter_varies = a.slot_shapes[static_cast<size_t>(i.imm)].level == Level::Varying;
  return counter_varies && varies(*i.operands[0], a) && Body(a, i.regions[0]).suits();
}

}  // namespace

std::vector<bool> find_scalarized_loops(const ir::Function& f, const Analysis& a) {
  std::vector<bool> found(f.inst_count());
  if (!a.tuning.on(Heuristic::scalarized_loops)) return found;
  ir::for_each_inst(f.body, [&](const Inst& i) { found[i.id] = is_scalarizable(i, a); });
  return found;
}

Analysis in_scalarized_loop(const Analysis& a, const Inst& loop) {
  Analysis one = a;
  Shape same;
  same.level = Level::GangUniform;
  one.shapes.assign(one.shapes.size(), same);
  one.slot_shapes.assign(one.slot_shapes.size(), same);
  one.congruences.assign(one.congruences.size(), {});  // of affine values' bases, so far
  one.divergent[loop.id] = false;
  return one;
}

bool may_count_from_zero(const Analysis& a, const ir::Inst& loop) {
  const Range &start = a.range(*loop.operands[0]), &step = a.range(*loop.operands[2]);
  const auto sets = [&](const Inst& i) { return i.op == Op::SlotStore && i.imm == loop.imm; };
  return !ir::any_inst(loop.regions[0], sets) && start.lo < 0 && step.lo > 0 &&
         !step.unsigned_overflow;
}

// Whether it keeps every value that is not negative as it is.
static bool extends(const Inst& i) {
  if (i.op != Op::Convert || !i.type.is_int() || !i.operands[0]->type.is_int()) return false;
  const ir::Type from = i.operands[0]->type;
  return i.type.is_signed() && i.type.bits() + from.is_signed() > from.bits();
}

Analysis counting_from_zero(Analysis a, const ir::Inst& loop) {
  ir::for_each_inst(loop.regions[0], [&](const Inst& i) {
    const bool counter = i.op == Op::SlotLoad && i.imm == loop.imm;
    if (!counter && !(extends(i) && a.range(*i.operands[0]).non_negative())) return;
    a.ranges[i.id].lo = std::max<int64_t>(a.ranges[i.id].lo, 0);
  });
  return a;
}

}  // namespace cuda_device::analysis
