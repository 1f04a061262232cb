#include "analysis/ranges/refine.h"

#include "ir/comparison.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

class Refiner {
 public:
  Refiner(RangeState& state, const RangeOf& of, const Versions& versions)
      : state_(state), of_(of), versions_(versions) {}

  void assume(const Inst& condition, bool holds) {
    switch (condition.op) {
      case Op::Not:
        assume(*condition.operands[0], !holds);
        break;
      case Op::And:
      case Op::Or:
        if (holds == (condition.op == Op::And)) {
          assume(*condition.operands[0], holds);
          assume(*condition.operands[1], holds);
        }
        break;
      case Op::Lt:
      case Op::Le:
      case Op::Gt:
      case Op::Ge:
      case Op::Eq:
      case Op::Ne:
        if (condition.operands[0]->type.is_int()) {
          compare(holds ? condition.op : ir::negated(condition.op), *condition.operands[0],
                  *condition.operands[1]);
        }
        break;
      default:
        break;
    }
    const Wide truth = holds ? 1 : 0;
    narrow(condition, {truth, truth});
  }

 private:
  void compare(Op op, const Inst& a, const Inst& b) {
    switch (op) {
      case Op::Lt:
        return less(a, b, 1);
      case Op::Le:
        return less(a, b, 0);
      case Op::Gt:
        return less(b, a, 1);
      case Op::Ge:
        return less(b, a, 0);
      case Op::Eq:
        narrow(a, of_(b));
        return narrow(b, of_(a));
      default:
        differs(a, of_(b));
        return differs(b, of_(a));
    }
  }

  // a + gap <= b
  void less(const Inst& a, const Inst& b, Wide gap) {
    const Interval left = of_(a), right = of_(b);
    if (left.lo > right.hi - gap) {
      state_.reachable = false;
      return;
    }
    narrow(a, {left.lo, right.hi - gap});
    narrow(b, {left.lo + gap, right.hi});
  }

  void differs(const Inst& a, Interval from) {
    Interval now = of_(a);
    if (!from.single()) return;
    if (now.lo == from.lo) ++now.lo;
    if (now.hi == from.lo) --now.hi;
    if (now.lo > now.hi) {
      state_.reachable = false;
    } else {
      narrow(a, now);
    }
  }

  void narrow(const Inst& v, Interval bound) {
    const Interval now = of_(v);
    const auto met = meet(now, bound);
    if (!met) state_.reachable = false;
    if (!met || *met == now) return;
    state_.refined.set(v.id, *met);
    source(v, *met);
  }

  // What v was computed from.
  void source(const Inst& v, Interval met) {
    switch (v.op) {
      case Op::SlotLoad:
        return slot(v, met);
      case Op::Convert: {
        const Inst& from = *v.operands[0];
        if (v.type.is_int() && from.type.is_int() && of_(from).within(full(v.type.scalar()))) {
          narrow(from, met);
        }
        return;
      }
      case Op::Add:
      case Op::Sub:
        return shifted(v, met);
      default:
        return;
    }
  }

  // x + c or x - c where it does not wrap.
  void shifted(const Inst& v, Interval met) {
    const Inst &x = *v.operands[0], &c = *v.operands[1];
    if (!v.type.is_int() || !of_(c).single()) return;
    const Interval by = v.op == Op::Add ? of_(c) : Interval{-of_(c).lo, -of_(c).lo};
    const auto sum = add(of_(x), by);
    if (sum && sum->within(full(v.type.scalar()))) narrow(x, {met.lo - by.lo, met.hi - by.lo});
  }

  void slot(const Inst& load, Interval met) {
    const auto index = static_cast<size_t>(load.imm);
    const auto seen = versions_.find(load.id);
    if (seen == versions_.end() || seen->second != RangeStates::seen(state_, index)) return;
    KnownSlot known = state_.slots[index];
    const auto both = meet(known.interval, met);
    if (!both) {
      state_.reachable = false;
      return;
    }
    known.interval = *both;
    state_.slots.set(index, known);
  }

  RangeState& state_;
  const RangeOf& of_;
  const Versions& versions_;
};

}  // namespace

void refine(const Inst& condition, bool holds, RangeState& state, const RangeOf& of,
            const Versions& versions) {
  Refiner(state, of, versions).assume(condition, holds);
}

}  // namespace cuda_device::analysis
