#include "analysis/lanes/guards.h"

#include <algorithm>

#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

// Code may be emitted twice up to these limits: instructions that do something at run time, and how
// many of them one access to memory pays for. A loop counts for more. Where lanes diverge inside of
// the guard masks stay: there accesses count for nothing.
constexpr int kMostInstructions = 400;
constexpr int kInstructionsAnAccess = 24;
constexpr int kLoopWeight = 4;
constexpr int kMostWeight = 16;

constexpr int kMostConditions = 64;  // looked at for one guard

struct Weight {  // what one counts for
  int instruction = 1;
  int access = 1;
};

struct Size {
  int instructions = 0;
  int accesses = 0;
};

class Finder {
 public:
  Finder(const ir::Function& f, const Analysis& a)
      : a_(a), guards_(f.inst_count()), stored_(f.slots.size()) {
    ir::for_each_inst(f.body, [&](const Inst& i) {
      if (i.op == Op::SlotStore && i.operands[0]->type.is_bool())
        stored_[static_cast<size_t>(i.imm)].push_back(i.operands[0]);
    });
    ir::for_each_inst(f.body, [&](const Inst& i) {
      if (i.op == Op::If && a_.divergent[i.id]) guards_[i.id] = guard(i);
    });
  }
  std::vector<Guard> take() { return std::move(guards_); }

 private:
  Guard guard(const Inst& i) const {
    const Inst& condition = *i.operands[0];
    for (const bool holds : {true, false})
      if (pays(i.regions[holds ? 0 : 1]) && is_likely(condition, holds))
        return holds ? Guard::Then : Guard::Else;
    return Guard::None;
  }

  bool is_likely(const Inst& condition, bool holds) const {
    int left = kMostConditions;
    return is_likely(condition, holds, left);
  }

  // Whether all lanes of a gang may well agree that the condition is as `holds` says.
  bool is_likely(const Inst& condition, bool holds, int& left) const {
    if (a_.shape(condition).uniform()) return true;
    if (left-- == 0) return false;
    const auto operand = [&](size_t k, bool as) {
      return is_likely(*condition.operands[k], as, left);
    };
    switch (condition.op) {
      case Op::Not:
        return operand(0, !holds);
      case Op::And:
      case Op::Or:  // inside of all bounds, not beyond one or the other
        return holds == (condition.op == Op::And) && operand(0, holds) && operand(1, holds);
      case Op::Lt:
      case Op::Le:
      case Op::Gt:
      case Op::Ge:
        return compares_positions(condition);
      case Op::Eq:
        return !holds && compares_positions(condition);
      case Op::Ne:
        return holds && compares_positions(condition);
      case Op::SlotLoad:
        return holds_what_is_likely(static_cast<size_t>(condition.imm), holds, left);
      default:
        return false;
    }
  }

  // A variable that is stored to by its own value, as a flag of the threads still in a loop, is
  // what the other stores make it.
  bool holds_what_is_likely(size_t slot, bool holds, int& left) const {
    if (std::ranges::find(asked_, slot) != asked_.end()) return true;
    asked_.push_back(slot);
    const bool likely = std::ranges::all_of(
        stored_[slot], [&](const Inst* i) { return is_likely(*i, holds, left); });
    asked_.pop_back();
    return likely;
  }

  bool compares_positions(const Inst& comparison) const {
    return std::ranges::all_of(comparison.operands, [&](const Inst* i) {
      return i->type.is_int() && a_.shape(*i).level != Level::Varying;
    });
  }

  bool pays(const ir::Block& region) const {
    Size size;
    measure(region, {}, size);
    return size.accesses > 0 &&
           size.instructions <= std::min(kMostInstructions, size.accesses * kInstructionsAnAccess);
  }

  void measure(const ir::Block& block, Weight weight, Size& size) const {
    for (const Inst* i : block.insts) {
      if (size.instructions > kMostInstructions) return;
      if (i->op != Op::Const && i->op != Op::Param && !i->type.is_array())
        size.instructions += weight.instruction;
      if (moves_vectors(*i)) size.accesses += weight.access;
      for (size_t k = 0; k < i->regions.size(); ++k)
        measure(i->regions[k], inside(*i, k, weight), size);
    }
  }

  Weight inside(const Inst& i, size_t region, Weight weight) const {
    const bool loop = i.op == Op::While || i.op == Op::For, divergent = diverges(i, region);
    if (loop && divergent) weight.instruction = kMostWeight;  // its time goes by under masks
    if (loop) weight.access = std::min(weight.access * kLoopWeight, kMostWeight);
    if (divergent) weight.access = 0;
    return weight;
  }

  // Whether lanes of a whole gang diverge before they enter the region.
  bool diverges(const Inst& i, size_t region) const {
    if (!a_.divergent[i.id] || i.op == Op::Scope) return false;
    return i.op != Op::If || !is_likely(*i.operands[0], region == 0);
  }

  bool moves_vectors(const Inst& i) const {
    const auto access = ir::access_of(i);
    if (!access || access->atomic) return false;
    Level level = Level::LaunchUniform;
    for (const Inst* index : access->indices) level = std::max(level, a_.shape(*index).level);
    return level == Level::Affine;
  }

  const Analysis& a_;
  std::vector<Guard> guards_;
  std::vector<std::vector<const Inst*>> stored_;  // by slot of bools
  mutable std::vector<size_t> asked_;             // slots whose contents are being looked at
};

}  // namespace

std::vector<Guard> find_guards(const ir::Function& f, const Analysis& a) {
  if (!a.tuning.on(Heuristic::guards)) return std::vector<Guard>(f.inst_count());
  return Finder(f, a).take();
}

}  // namespace cuda_device::analysis
