// What a shape claims. Take one instruction in one iteration of every loop around it (an instance).
// The lanes that are active there have values of that shape: equal (GangUniform), equal to those of
// all other gangs of the block or launch that reach the instance (BlockUniform, LaunchUniform), or
// affine. Inactive lanes are not spoken of.
//
// Operands keep the claim. An operand was computed in the same instance of an enclosing block, by a
// superset of the lanes that use it now: lanes leave a block (break, continue, leave, return) and
// come back only at its end.
//
// Slots. The generated code keeps one place for all lanes, and a store that does not blend
// overwrites the place for inactive lanes as well. That is right if no lane that was inactive at
// the store reads the slot before it stores again. An inactive lane is one that diverged from the
// active ones in a construct around the store, and it lives on where the construct's paths join:
//   - then region of an if: the else region, which runs after it (what is read after the if only
//     was stored to there)
//   - else region of an if: after the if
//   - iteration of a loop: after the loop, its else region; lanes that continued: the head of the
//     next iteration
//   - else region of a loop: after the loop (lanes that broke)
//   - scope: after the scope
// If the slot is live at none of these points, for none of the constructs around the store in which
// lanes may diverge, the last value stored into the place is for every reader the one it stored
// itself, in its own order: no blend is needed, and the slot's shape is the join of what is stored.
// Live at one: the store blends, and lanes may hold values of different stores: Varying. Lanes that
// returned read nothing, so a return needs no blend. A construct in which lanes diverge, in a loop
// in which they do not, is judged by itself: what happens further out happens to all its lanes
// alike.
//
// The same argument with gangs (blocks) for lanes gives the levels among uniform shapes: where the
// gangs of a block may diverge in a construct and the slot is live at a join, the slot is at best
// GangUniform.
//
// The three unknowns (shapes of slots, levels of control, blends) only rise, from the most
// optimistic start, so the iteration ends; at its end all rules hold at once, and induction over
// the steps of an execution gives the claims.
#include "analysis/lanes/uniformity.h"

#include "analysis/lanes/congruence.h"
#include "analysis/lanes/divergence.h"
#include "analysis/lanes/shape_algebra.h"
#include "analysis/lanes/shape_transfer.h"
#include "analysis/memory/invariant_shared_loads.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

class Fixpoint {
 public:
  Fixpoint(const ir::Function& f, const Liveness& live, const Ranges& ranges, Analysis& a)
      : f_(f),
        live_(live),
        a_(a),
        tree_(f),
        divergence_(f, tree_),
        invariant_shared_loads_(find_invariant_shared_loads(f)),
        changing_arrays_(ir::changing_arrays(f)),
        context_{f,
                 a.layout,
                 ranges.values,
                 a.shapes,
                 a.slot_shapes,
                 a.congruences,
                 a.slot_congruences,
                 invariant_shared_loads_,
                 changing_arrays_},
        stored_(live.entry) {
    a.shapes.assign(f.inst_count(), {});
    a.slot_shapes.assign(f.slots.size(), {});
    a.congruences.assign(f.inst_count(), {});
    a.slot_congruences.assign(f.slots.size(), congruence_of(0));
    a.store_blends.assign(f.inst_count(), false);
    a.divergent.assign(f.inst_count(), false);
  }

  void run() {
    do {
      changed_ = false;
      ir::for_each_inst(f_.body, [&](const Inst& i) { visit(i); });
      changed_ |= divergence_.update(a_.shapes);
    } while (changed_);
    ir::for_each_inst(f_.body, [&](const Inst& i) {
      if (!i.regions.empty()) a_.divergent[i.id] = divergence_.lanes(i) > Level::GangUniform;
    });
  }

 private:
  void visit(const Inst& i) {
    if (!i.type.is_none()) {
      a_.shapes[i.id] = shape_of(i, context_);
      a_.congruences[i.id] = congruence_of(i, context_);
    }
    if (i.op == Op::SlotStore) {
      const auto value = i.operands[0]->id;
      store(i, tree_.position(i), a_.shapes[value], a_.congruences[value]);
    }
    if (i.op == Op::For)
      store(i, {&i, 0}, counter_shape(i, context_), counter_congruence(i, context_));
  }

  void store(const Inst& i, TreePosition place, Shape value, Congruence base) {
    const auto slot = static_cast<size_t>(i.imm);
    const Level divergence = divergence_at(slot, place);
    if (divergence > Level::GangUniform) {
      a_.store_blends[i.id] = true;
      value = varying_shape();
    } else if (value.uniform()) {
      value.level = join(value.level, divergence);
    }
    raise(slot, value, base);
  }

  void raise(size_t slot, const Shape& value, Congruence base) {
    Shape& held = a_.slot_shapes[slot];
    const Shape joined = stored_[slot] ? join(held, value) : value;
    Congruence& held_base = a_.slot_congruences[slot];
    const Congruence joined_base = stored_[slot] ? join(held_base, base) : base;
    changed_ |= !stored_[slot] || joined != held || joined_base != held_base;
    held_base = joined_base;
    stored_.insert(slot);
    held = joined;
  }

  // The level of lanes that may be inactive at a store there and read the slot later.
  Level divergence_at(size_t slot, TreePosition place) const {
    Level level = Level::LaunchUniform;
    for (TreePosition p = place; p.parent; p = tree_.position(*p.parent)) {
      level = join(level, divergence_at(slot, *p.parent, p));
    }
    return level;
  }

  Level divergence_at(size_t slot, const Inst& around, const TreePosition& inside) const {
    const auto id = around.id;
    if (around.op == Op::If) {
      const bool met = (inside.region == 0 ? live_.else_entry : live_.after)[id][slot];
      return met ? divergence_.condition(around) : Level::LaunchUniform;
    }
    const bool met = live_.after[id][slot] || (in_iteration(inside) && live_.else_entry[id][slot]);
    Level level = met ? divergence_.exit(around) : Level::LaunchUniform;
    if (in_iteration(inside) && live_.head[id][slot]) {
      level = join(level, divergence_.next_iteration(around));
    }
    return level;
  }

  const ir::Function& f_;
  const Liveness& live_;
  Analysis& a_;
  Tree tree_;
  Divergence divergence_;
  const std::vector<bool> invariant_shared_loads_, changing_arrays_;
  ShapeContext context_;
  SlotSet stored_;  // their shapes say something
  bool changed_ = false;
};

}  // namespace

void find_shapes(const ir::Function& f, const Liveness& live, const Ranges& ranges, Analysis& a) {
  Fixpoint(f, live, ranges, a).run();
}

}  // namespace cuda_device::analysis
