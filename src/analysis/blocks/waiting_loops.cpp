#include "analysis/blocks/waiting_loops.h"

#include <algorithm>
#include <set>

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
  explicit ReadsOfOthers(const Inst& loop)
      : plain_(ir::any_inside(loop, orders_by_fence) && !has_barrier_inside(loop)) {}
  bool operator()(const Inst& i) const { return is_atomic_read(i) || (plain_ && is_plain_read(i)); }

 private:
  const bool plain_;
};

bool is_constant_other_than_zero(const Inst& i) { return i.op == Op::Const && i.imm != 0; }

// What decides whether a thread leaves the loop: the values that flow into the conditions of its
// exits.
class ExitSlice {
 public:
  ExitSlice(const ir::Function& f, const Tree& tree, const Inst& loop) : tree_(tree), loop_(loop) {
    inside_.resize(f.inst_count());
    ir::for_each_inside(loop, [&](const Inst& i) { inside_[i.id] = true; });
    ir::for_each_inside(loop, [&](const Inst& i) {
      if (leaves(i)) visit_conditions(i);
    });
    if (loop.op == Op::While) visit(*loop.regions[0].insts.back()->operands[0]);
  }

  bool holds(const Inst& i) const { return visited_.contains(&i); }
  // Reads a variable that the loop sets.
  bool changes(const Inst& i) const { return i.op == Op::SlotLoad && !all_stores(i.imm).empty(); }
  // Whether something inside of the loop that `is_source` knows flows into the value.
  template <class P>
  bool flows_from(const Inst& value, const P& is_source) const {
    std::set<const Inst*> seen;
    return flows_from(value, is_source, seen);
  }

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
    if (i.op != Op::SlotLoad) return;
    for (const Inst* store : all_stores(i.imm)) {
      visit(*store->operands[0]);
      visit_conditions(*store);
    }
  }

  std::vector<const Inst*> all_stores(int64_t slot) const {
    std::vector<const Inst*> found;
    ir::for_each_inside(loop_, [&](const Inst& i) {
      if (i.op == Op::SlotStore && i.imm == slot) found.push_back(&i);
    });
    return found;
  }

  template <class P>
  bool flows_from(const Inst& value, const P& is_source, std::set<const Inst*>& seen) const {
    if (!inside_[value.id] || !seen.insert(&value).second) return false;
    if (is_source(value)) return true;
    for (const Inst* operand : value.operands)
      if (flows_from(*operand, is_source, seen)) return true;
    if (value.op != Op::SlotLoad) return false;
    for (const Inst* store : all_stores(value.imm))
      if (flows_from(*store->operands[0], is_source, seen)) return true;
    return false;
  }

  const Tree& tree_;
  const Inst& loop_;
  std::vector<bool> inside_;  // by Inst::id
  std::set<const Inst*> visited_;
};

class WaitFinder {
 public:
  explicit WaitFinder(const ir::Function& f) : function_(f), tree_(f) {
    ir::for_each_inst(f.body, [&](const Inst& i) {
      const auto access = ir::access_of(i);
      if (access && access->array && access->writes) writes_.push_back(&i);
    });
  }

  const Inst* find() const {
    const Inst* found = nullptr;
    ir::for_each_inst(function_.body, [&](const Inst& i) {
      if (!found && i.op == Op::While && waits(i)) found = &i;
    });
    return found;
  }

 private:
  bool waits(const Inst& loop) const {
    const ReadsOfOthers reads_others(loop);
    if (!ir::any_inside(loop, reads_others)) return false;
    const ExitSlice slice(function_, tree_, loop);
    const Inst* swap = fresh_swap(loop, slice);
    return ir::any_inside(loop, [&](const Inst& i) {
      return reads_others(i) && slice.holds(i) && !takes_a_number(i) &&
             (written_elsewhere(i) || only_looks_again(i, slice)) &&
             !(swap && same_array(i, *swap));
    });
  }

  static bool takes_a_number(const Inst& i) {
    if (i.op != Op::AtomicRmw || !is_constant_other_than_zero(*i.operands.back())) return false;
    const ir::AtomicKind kind = ir::AtomicSpec::decoded(i.imm)->kind;
    return kind == ir::AtomicKind::Add || kind == ir::AtomicKind::Sub;
  }

  // At the same element in each iteration, which it leaves as it is. Whoever is to change it, the
  // thread waits.
  static bool only_looks_again(const Inst& read, const ExitSlice& slice) {
    const ir::Access access = *ir::access_of(read);
    return !access.writes && std::ranges::none_of(access.indices, [&](const Inst* index) {
      return slice.flows_from(*index, [&](const Inst& i) { return slice.changes(i); });
    });
  }

  bool written_elsewhere(const Inst& read) const {
    const Inst& array = *ir::access_of(read)->array;
    for (const Inst* write : writes_)
      if (write != &read && ir::may_overlap(function_, array, *ir::access_of(*write)->array))
        return true;
    return false;
  }

  bool same_array(const Inst& a, const Inst& b) const {
    const Inst* x = ir::whole_array(*ir::access_of(a)->array);
    const Inst* y = ir::whole_array(*ir::access_of(b)->array);
    return x && y && x->op == y->op && x->imm == y->imm;
  }

  // A compare-and-swap that each iteration comes to, whose expected value was read in the loop.
  const Inst* fresh_swap(const Inst& loop, const ExitSlice& slice) const {
    const Inst* found = nullptr;
    const ir::Block& body = loop.regions[1];
    for (const ir::Block* block : {&loop.regions[0], &body})
      for (const Inst* i : block->insts) {
        if (i->op != Op::AtomicCas) continue;
        const Inst& expected = *i->operands[i->operands.size() - 2];
        if (slice.flows_from(expected, is_atomic_read)) found = i;
      }
    return found;
  }

  const ir::Function& function_;
  const Tree tree_;
  std::vector<const Inst*> writes_;
};

}  // namespace

std::vector<bool> waiting_loops(const ir::Function& f) {
  std::vector<bool> waiting(f.inst_count());
  ir::for_each_inst(f.body, [&](const Inst& i) {
    if (is_loop(i)) waiting[i.id] = ir::any_inside(i, ReadsOfOthers(i));
  });
  return waiting;
}

const Inst* find_wait(const ir::Function& f) { return WaitFinder(f).find(); }

}  // namespace cuda_device::analysis
