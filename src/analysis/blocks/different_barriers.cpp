#include "analysis/blocks/different_barriers.h"

#include <algorithm>
#include <functional>
#include <map>
#include <ranges>
#include <unordered_map>

#include "analysis/blocks/divergent_control.h"
#include "analysis/tree.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

// Accesses to memory at which it matters how far other threads are: some of the kernel's accesses
// write what this one reads, or read what it writes.
class SharedAccesses {
 public:
  explicit SharedAccesses(const ir::Function& f) : f_(f) {
    ir::for_each_inst(f.body, [&](const Inst& i) {
      const std::optional<ir::Access> access = ir::access_of(i);
      if (access && access->array) by_array_[key_of(i, *access)] = &i;
    });
  }

  bool any(const Inst& i) {
    return (*this)(i) || ir::any_inside(i, [&](const Inst& inside) { return (*this)(inside); });
  }

 private:
  // Accesses of one key are alike.
  struct Key {
    Op op;
    int64_t number;
    bool reads, writes;
    auto operator<=>(const Key&) const = default;
  };

  static Key key_of(const Inst& i, const ir::Access& access) {
    const Inst* whole = ir::whole_array(*access.array);
    if (!whole) return {i.op, -1 - int64_t{i.id}, access.reads, access.writes};
    return {whole->op, whole->imm, access.reads, access.writes};
  }

  bool operator()(const Inst& i) {
    const std::optional<ir::Access> access = ir::access_of(i);
    if (!access) return false;
    if (!access->array || access->atomic) return true;
    if (access->array->type.space == ir::AddressSpace::Local) return false;
    const auto [known, is_new] = known_.try_emplace(key_of(i, *access), false);
    if (is_new) known->second = meets_another(*access);
    return known->second;
  }

  bool meets_another(const ir::Access& access) const {
    return std::ranges::any_of(by_array_, [&](const auto& other) {
      const auto& [key, inst] = other;
      return ((access.writes && key.reads) || (access.reads && key.writes)) &&
             ir::may_touch(f_, *inst, *access.array);
    });
  }

  const ir::Function& f_;
  std::map<Key, const Inst*> by_array_;
  std::map<Key, bool> known_;
};

// What threads may come to from some place on.
struct Ahead {
  bool barrier = false;
  bool access = false;  // a shared one, or an operation of a warp, which waits for lanes too
  bool anything() const { return barrier || access; }
  friend Ahead operator|(Ahead a, Ahead b) {
    return {a.barrier || b.barrier, a.access || b.access};
  }
};

class BarrierPaths {
 public:
  BarrierPaths(const ir::Function& f, const BlockLevel& level,
               const std::function<bool(const Inst&)>& diverges)
      : f_(f), level_(level), diverges_(diverges), tree_(f), accesses_(f) {}

  const Inst* find() {
    block(f_.body, {});
    return found_;
  }

 private:
  // What is ahead of the beginning of a block, where `after` is ahead of its end.
  Ahead block(const Block& b, Ahead after) {
    for (const Inst* i : std::views::reverse(b.insts)) {
      if (level_.contains(*i))
        after = from(*i, after);
      else
        after.access = after.access || concerns_others(*i);
    }
    return after;
  }

  Ahead from(const Inst& i, Ahead after) {
    switch (i.op) {
      case Op::If:
        return branch(i, after);
      case Op::While:
      case Op::For:
        return loop(i, after);
      case Op::Scope:
        after_[&i] = after;
        return block(i.regions[0], after);
      case Op::Return:
        return {};
      case Op::Break:
      case Op::Leave:
        return after_.at(tree_.target(i));
      case Op::Continue:
        return next_.at(tree_.target(i));
      default:
        return {true, after.access};  // a barrier
    }
  }

  Ahead branch(const Inst& i, Ahead after) {
    const Ahead yes = block(i.regions[0], after), no = block(i.regions[1], after);
    if (miss_each_other(yes, no) && diverges_(i) && meets_before_join(i)) found_ = &i;
    return yes | no;
  }

  Ahead loop(const Inst& i, Ahead after) {
    const bool has_barrier = ir::holds_barrier(i);
    after_[&i] = after;
    const Ahead ended = block(i.regions.back(), after);
    const Ahead again = next_[&i] = ended | Ahead{has_barrier, concerns_others(i)};
    for (size_t r = 0; r + 1 < i.regions.size(); ++r) block(i.regions[r], again);
    if (has_barrier && ended.anything() && diverges_(i)) found_ = &i;
    return again;
  }

  bool concerns_others(const Inst& i) {
    const auto meets = [](const Inst& x) { return ir::meets_warp(x.op) && x.op != Op::ActiveMask; };
    return accesses_.any(i) || meets(i) || ir::any_inside(i, meets);
  }

  static bool miss_each_other(Ahead a, Ahead b) {
    return (a.barrier && b.anything()) || (b.barrier && a.anything());
  }

  // Whether a barrier lies between a decision and where all its paths join.
  bool meets_before_join(const Inst& i) const {
    if (ir::holds_barrier(i)) return true;
    return ir::any_inside(i, [&](const Inst& jump) {
      return level_.contains(jump) && ir::ends_block(jump.op) && jump.op != Op::Yield &&
             meets_before(i, jump);
    });
  }

  // Whether one lies between it and where the jump goes to.
  bool meets_before(const Inst& i, const Inst& jump) const {
    const Inst* target = tree_.target(jump);
    for (const Inst* at = &i;;) {
      const TreePosition p = tree_.position(*at);
      if (barrier_after(*at, p.parent ? p.parent->regions[p.region] : f_.body)) return true;
      if (!p.parent) return false;
      const bool iterates = in_iteration(p) && jump.op != Op::Continue;
      if (p.parent == target) return iterates && ir::holds_barrier(*target);
      if (in_iteration(p) && ir::holds_barrier(*p.parent)) return true;
      at = p.parent;
    }
  }

  static bool barrier_after(const Inst& i, const Block& b) {
    const auto rest = std::ranges::subrange(std::ranges::find(b.insts, &i) + 1, b.insts.end());
    return std::ranges::any_of(
        rest, [](const Inst* x) { return ir::is_barrier(x->op) || ir::holds_barrier(*x); });
  }

  const ir::Function& f_;
  const BlockLevel& level_;
  const std::function<bool(const Inst&)>& diverges_;
  Tree tree_;
  SharedAccesses accesses_;
  std::unordered_map<const Inst*, Ahead> after_, next_;  // of loops and scopes
  const Inst* found_ = nullptr;
};

// Whether threads decide on it by a value of their own: an if, or the end of a loop.
bool decides(const Inst& i) {
  if (i.op == Op::Scope) return false;
  const Inst* condition = i.op == Op::If      ? i.operands[0]
                          : i.op == Op::While ? i.regions[0].insts.back()->operands[0]
                                              : i.operands[1];
  return condition->op != Op::Const && !ir::is_barrier(condition->op);
}

}  // namespace

std::unordered_set<const Inst*> divergent_decisions(const ir::Function& f,
                                                    const BlockLevel& level) {
  const DivergentControl divergent(f, level);
  std::unordered_set<const Inst*> found;
  if (!divergent.any()) return found;
  ir::for_each_inst(f.body, [&](const Inst& i) {
    if (!i.regions.empty() && divergent[i] && decides(i)) found.insert(&i);
  });
  return found;
}

const Inst* find_different_barriers(const ir::Function& f) {
  const BlockLevel level(f);
  if (!level.has_barrier() || !BarrierPaths(f, level, decides).find()) return nullptr;
  const auto divergent = divergent_decisions(f, level);
  return BarrierPaths(f, level, [&](const Inst& i) { return divergent.contains(&i); }).find();
}

}  // namespace cuda_device::analysis
