#include "analysis/blocks/waiting_loops.h"

#include <algorithm>
#include <optional>
#include <set>

#include "analysis/blocks/moving_indices.h"
#include "analysis/same_value.h"
#include "analysis/tree.h"
#include "ir/atomic.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

bool orders_by_fence(const Inst& i) { return i.op == Op::Fence && ir::depends_on_threads(i); }

bool is_atomic_read(const Inst& i) {
  const auto access = ir::access_of(i);
  return access && access->atomic && access->reads;
}

bool is_plain_read(const Inst& i) {
  const auto access = ir::access_of(i);
  return access && access->plain_read() && access->array->type.space != ir::AddressSpace::Local;
}

bool has_barrier_inside(const Inst& loop) {
  return ir::any_inside(loop, [](const Inst& i) { return ir::is_barrier(i.op); });
}

// Reads that find what other threads have written since the last iteration. Behind a barrier a
// plain read does too, but there nobody waits by reading.
class ReadsOfOthers {
 public:
  // `calls`: whether functions that are called do.
  ReadsOfOthers(const Inst& loop, bool calls)
      : calls_(calls), plain_(ir::any_inside(loop, orders_by_fence) && !has_barrier_inside(loop)) {}
  bool operator()(const Inst& i) const {
    if (i.op == Op::Call) return calls_;
    return is_atomic_read(i) || (plain_ && is_plain_read(i));
  }

 private:
  const bool calls_, plain_;
};

// A function that is called reads what others have written, or may.
bool calls_read_others(const ir::Function& f) {
  return std::ranges::any_of(f.module().functions, [](const auto& called) {
    return ir::any_inst(called->body, [](const Inst& i) {
      return i.op != Op::Call && (is_atomic_read(i) || orders_by_fence(i));
    });
  });
}

// What decides whether a thread leaves the loop: the values that flow into the conditions of its
// exits.
class ExitSlice {
 public:
  ExitSlice(const ir::Function& f, const Tree& tree, const Inst& loop)
      : function_(f), tree_(tree), loop_(loop) {
    inside_.resize(f.inst_count());
    ir::for_each_inside(loop, [&](const Inst& i) { inside_[i.id] = true; });
    ir::for_each_inside(loop, [&](const Inst& i) {
      if (leaves(i)) visit_conditions(i);
    });
    if (loop.op == Op::While) visit(*loop.regions[0].insts.back()->operands[0]);
  }

  bool holds(const Inst& i) const { return visited_.contains(&i); }
  bool is_inside(const Inst& i) const { return inside_[i.id]; }
  bool always_leaves(const ir::Block& block) const {
    return !block.empty() && leaves(*block.insts.back());
  }
  // Stores to a slot, in the loop.
  std::vector<const Inst*> all_stores(int64_t slot) const {
    std::vector<const Inst*> found;
    ir::for_each_inside(loop_, [&](const Inst& i) {
      if (i.op == Op::SlotStore && i.imm == slot) found.push_back(&i);
    });
    return found;
  }
  // Reads a variable that the loop sets.
  bool changes(const Inst& i) const { return i.op == Op::SlotLoad && !all_stores(i.imm).empty(); }

 private:
  bool leaves(const Inst& i) const {
    if (i.op == Op::Return) return true;
    if (i.op != Op::Break && i.op != Op::Leave) return false;
    const Inst* target = tree_.target(i);
    return !target || target == &loop_ || !inside_[target->id];
  }

  void visit_conditions(const Inst& i) {
    for (const Inst* at = tree_.position(i).parent; at && at != &loop_;
         at = tree_.position(*at).parent) {
      if (at->op == Op::If) visit(*at->operands[0]);
      if (at->op == Op::While) visit(*at->regions[0].insts.back()->operands[0]);
    }
  }

  void visit(const Inst& i) {
    if (!inside_[i.id] || !visited_.insert(&i).second) return;
    for (const Inst* operand : i.operands) visit(*operand);
    const std::vector<const Inst*> stores =
        i.op == Op::SlotLoad ? all_stores(i.imm) : stores_to_elements(i);
    for (const Inst* store : stores) {
      visit(*store->operands.back());
      visit_conditions(*store);
    }
  }

  // That a plain read may find.
  std::vector<const Inst*> stores_to_elements(const Inst& read) const {
    std::vector<const Inst*> found;
    const auto from = ir::access_of(read);
    if (!from || !from->plain_read()) return found;
    ir::for_each_inside(loop_, [&](const Inst& i) {
      const auto to = ir::access_of(i);
      if (to && to->plain_write() && ir::may_overlap(function_, *from->array, *to->array))
        found.push_back(&i);
    });
    return found;
  }

  const ir::Function& function_;
  const Tree& tree_;
  const Inst& loop_;
  std::vector<bool> inside_;  // by Inst::id
  std::set<const Inst*> visited_;
};

// Compares the result of the compare-and-swap with what it expected: whether it succeeded.
bool compares(const Inst& i, Op op, const Inst& swap) {
  if (i.op != op) return false;
  const Inst* expected = swap.operands[swap.operands.size() - 2];
  const Inst *x = i.operands[0], *y = i.operands[1];
  const auto is_expected = [&](const Inst* v) {
    return v == expected ||
           (v->op == Op::SlotLoad && expected->op == Op::SlotLoad && v->imm == expected->imm);
  };
  return (x == &swap && is_expected(y)) || (y == &swap && is_expected(x));
}

// True whenever the swap has succeeded.
bool holds_on_success(const Inst& i, const Inst& swap);
// False whenever the swap has succeeded.
bool fails_on_success(const Inst& i, const Inst& swap) {
  if (i.op == Op::Not) return holds_on_success(*i.operands[0], swap);
  if (i.op == Op::And)
    return fails_on_success(*i.operands[0], swap) || fails_on_success(*i.operands[1], swap);
  return compares(i, Op::Ne, swap);
}
bool holds_on_success(const Inst& i, const Inst& swap) {
  if (i.op == Op::Not) return fails_on_success(*i.operands[0], swap);
  if (i.op == Op::Or)
    return holds_on_success(*i.operands[0], swap) || holds_on_success(*i.operands[1], swap);
  return compares(i, Op::Eq, swap);
}

class WaitFinder {
 public:
  explicit WaitFinder(const ir::Function& f)
      : function_(f), tree_(f), steps_(f.inst_count()), barriers_{} {
    for (size_t step = 0; step < f.body.insts.size(); ++step) {
      const Inst& i = *f.body.insts[step];
      if (ir::is_barrier(i.op)) barriers_.push_back(step);
      steps_[i.id] = step;
      ir::for_each_inside(i, [&](const Inst& inside) { steps_[inside.id] = step; });
    }
    ir::for_each_inst(f.body, [&](const Inst& i) {
      const auto access = ir::access_of(i);
      if (access && access->array && access->writes) writes_.push_back(&i);
    });
  }

  const Inst* find() const {
    const Inst* found = nullptr;
    ir::for_each_inst(function_.body, [&](const Inst& i) {
      if (!found && is_loop(i) && waits(i)) found = &i;
    });
    return found;
  }

 private:
  bool waits(const Inst& loop) const {
    const ReadsOfOthers reads_others(loop, calls_read_others(function_));
    if (!ir::any_inside(loop, reads_others)) return false;
    const ExitSlice slice(function_, tree_, loop);
    if (ends_by_a_swap(loop, slice)) return false;
    std::optional<MovingIndices> moving;
    return ir::any_inside(loop, [&](const Inst& i) {
      if (!reads_others(i) || !slice.holds(i) || takes_a_number(i)) return false;
      if (loop.op == Op::While && written_by_others(i, loop)) return true;
      if (!moving)
        moving.emplace(function_, tree_, loop, reads_others,
                       [this](const Inst& read) { return takes_a_number(read); });
      return only_looks_again(i, *moving);
    });
  }

  // Adds a constant, where all that happens to the array is that constants of this sign are added.
  bool takes_a_number(const Inst& read) const {
    const auto sign = [](const Inst& i) {
      if (i.op != Op::AtomicRmw || i.operands.back()->op != Op::Const) return 0;
      const int64_t by = i.operands.back()->imm;
      const ir::AtomicKind kind = ir::AtomicSpec::decoded(i.imm)->kind;
      const bool adds = kind == ir::AtomicKind::Add || kind == ir::AtomicKind::Sub;
      if (!adds || by == 0) return 0;
      return (by > 0) == (kind == ir::AtomicKind::Add) ? 1 : -1;
    };
    const int own = sign(read);
    return own != 0 && std::ranges::all_of(writes_, [&](const Inst* write) {
             return !meet(read, *write) || sign(*write) == own;
           });
  }

  bool meet(const Inst& a, const Inst& b) const {
    return ir::may_overlap(function_, *ir::access_of(a)->array, *ir::access_of(b)->array);
  }

  // At the same element in each iteration: whoever is to change it, the thread waits.
  static bool only_looks_again(const Inst& read, MovingIndices& moving) {
    return std::ranges::none_of(ir::access_of(read)->indices,
                                [&](const Inst* index) { return moving.moves(*index); });
  }

  // Other threads execute the same instructions.
  bool written_by_others(const Inst& read, const Inst& loop) const {
    return std::ranges::any_of(writes_, [&](const Inst* write) {
      return (write != &read || !claims(read)) && meet(read, *write) &&
             !is_over_before(*write, loop);
    });
  }

  // Changes an element once, and never again.
  static bool claims(const Inst& i) {
    if (i.op == Op::AtomicCas) return is_one_value(*i.operands[i.operands.size() - 2]);
    if (i.op != Op::AtomicRmw || !is_one_value(*i.operands.back())) return false;
    const ir::AtomicKind kind = ir::AtomicSpec::decoded(i.imm)->kind;
    return kind != ir::AtomicKind::Add && kind != ir::AtomicKind::Sub &&
           kind != ir::AtomicKind::Xor;
  }

  // For all threads, wherever they are.
  static bool is_one_value(const Inst& i, int deep = 8) {
    if (i.op == Op::Const || i.op == Op::Param) return true;
    return deep > 0 && ir::info(i.op).kind == ir::OpKind::Scalar &&
           std::ranges::all_of(i.operands,
                               [&](const Inst* o) { return is_one_value(*o, deep - 1); });
  }

  // Whether it writes shared memory in front of a barrier that all threads pass before the loop.
  bool is_over_before(const Inst& write, const Inst& loop) const {
    return ir::access_of(write)->array->type.space == ir::AddressSpace::Shared &&
           std::ranges::any_of(barriers_, [&](size_t barrier) {
             return steps_[write.id] < barrier && barrier < steps_[loop.id];
           });
  }

  // Each iteration comes to a compare-and-swap of just what was read in the loop, and leaves the
  // loop where it succeeds: it fails only because another thread's has succeeded.
  bool ends_by_a_swap(const Inst& loop, const ExitSlice& slice) const {
    if (loop.op != Op::While) return false;
    if (ir::any_inside(
            loop, [&](const Inst& i) { return i.op == Op::Continue && tree_.target(i) == &loop; }))
      return false;
    for (const ir::Block* block : {&loop.regions[0], &loop.regions[1]})
      for (const Inst* i : block->insts)
        if (i->op == Op::AtomicCas && expects_what_was_read(*i, slice) &&
            leaves_by(loop, *i, slice))
          return true;
    return false;
  }

  // The last one of the element that is swapped.
  static bool expects_what_was_read(const Inst& swap, const ExitSlice& slice) {
    const Inst* expected = swap.operands[swap.operands.size() - 2];
    const auto reads_it = [&](const Inst& i) {
      return is_atomic_read(i) && at_one_place(i, swap, slice);
    };
    if (slice.is_inside(*expected) && is_atomic_read(*expected)) return reads_it(*expected);
    if (expected->op != Op::SlotLoad) return false;
    const std::vector<const Inst*> stores = slice.all_stores(expected->imm);
    return !stores.empty() && std::ranges::all_of(stores, [&](const Inst* store) {
      return reads_it(*store->operands[0]);
    });
  }

  static bool at_one_place(const Inst& a, const Inst& b, const ExitSlice& slice) {
    const auto same = [&](const Inst& i, const Inst& j) {
      return same_value(i, j, [&](const Inst& load) { return !slice.changes(load); });
    };
    const auto x = ir::access_of(a), y = ir::access_of(b);
    return same(*x->array, *y->array) &&
           std::ranges::equal(x->indices, y->indices,
                              [&](const Inst* i, const Inst* j) { return same(*i, *j); });
  }

  bool leaves_by(const Inst& loop, const Inst& swap, const ExitSlice& slice) const {
    const Inst& goes_on = *loop.regions[0].insts.back()->operands[0];
    if (fails_on_success(goes_on, swap) || says_so_in_a_slot(goes_on, swap, slice)) return true;
    return std::ranges::any_of(loop.regions[1].insts, [&](const Inst* i) {
      if (i->op != Op::If) return false;
      const bool then =
          holds_on_success(*i->operands[0], swap) && slice.always_leaves(i->regions[0]);
      return then ||
             (fails_on_success(*i->operands[0], swap) && slice.always_leaves(i->regions[1]));
    });
  }

  // `done = a.cas(old, new) == old`, and `while not done`.
  static bool says_so_in_a_slot(const Inst& goes_on, const Inst& swap, const ExitSlice& slice) {
    const bool negated = goes_on.op == Op::Not;
    const Inst& variable = negated ? *goes_on.operands[0] : goes_on;
    if (variable.op != Op::SlotLoad) return false;
    const std::vector<const Inst*> stores = slice.all_stores(variable.imm);
    return stores.size() == 1 && (negated ? holds_on_success(*stores[0]->operands[0], swap)
                                          : fails_on_success(*stores[0]->operands[0], swap));
  }

  const ir::Function& function_;
  const Tree tree_;
  std::vector<size_t> steps_;     // of the kernel's body, by Inst::id: that an instruction is in
  std::vector<size_t> barriers_;  // steps that are barriers
  std::vector<const Inst*> writes_;
};

// Reads a word, and writes only what a compare-and-swap or an exchange does.
bool may_be_awaited(const Inst& i) {
  if (!i.type.is_int()) return false;
  if (i.op == Op::AtomicLoad || i.op == Op::AtomicCas || is_plain_read(i)) return true;
  return i.op == Op::AtomicRmw && ir::AtomicSpec::decoded(i.imm)->kind == ir::AtomicKind::Exch;
}

bool only_computes(const Inst& i) {
  if (is_loop(i)) return false;
  return ir::may_speculate(i.op) || i.op == Op::SlotStore || i.op == Op::Fence ||
         ir::info(i.op).kind == ir::OpKind::Control;
}

}  // namespace

const Inst* only_wait(const Inst& loop) {
  if (loop.op != Op::While) return nullptr;  // a counter ends others
  const Inst* read = nullptr;
  bool others = false;
  ir::for_each_inside(loop, [&](const Inst& i) {
    if (!read && may_be_awaited(i))
      read = &i;
    else if (!only_computes(i))
      others = true;
  });
  return others ? nullptr : read;
}

std::vector<bool> waiting_loops(const ir::Function& f) {
  std::vector<bool> waiting(f.inst_count());
  const bool calls = calls_read_others(f);
  ir::for_each_inst(f.body, [&](const Inst& i) {
    if (is_loop(i)) waiting[i.id] = ir::any_inside(i, ReadsOfOthers(i, calls));
  });
  return waiting;
}

std::vector<bool> within_waiting_loops(const ir::Function& f, const std::vector<bool>& waiting) {
  std::vector<bool> within(f.inst_count());
  ir::for_each_inst(f.body, [&](const Inst& loop) {
    if (waiting[loop.id] && !within[loop.id])
      ir::for_each_inside(loop, [&](const Inst& i) { within[i.id] = true; });
  });
  return within;
}

const Inst* find_wait(const ir::Function& f) { return WaitFinder(f).find(); }

}  // namespace cuda_device::analysis
