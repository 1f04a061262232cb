#include "analysis/blocks/meetings_apart.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/same_value.h"
#include "analysis/tree.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

bool is_meeting(const Inst& i) { return ir::meets_warp(i.op) && i.op != Op::ActiveMask; }
bool is_check(const Inst& i) { return i.op == Op::WarpCheck; }
bool is_barrier(const Inst& i) { return ir::is_barrier(i.op); }

bool ends_in_jump(const Block& b) {
  return !b.empty() && ir::ends_block(b.insts.back()->op) && b.insts.back()->op != Op::Yield;
}
bool returns(const Block& b) { return !b.empty() && b.insts.back()->op == Op::Return; }

// What lanes have to have decided to come to an operation. The others may be elsewhere, unless they
// have left the kernel.
struct Decision {
  const Inst* condition;  // of an if; null: of a loop, or that a jump is not taken
  bool holds;
  bool parts;            // lanes may disagree, and those that decide otherwise stay in the kernel
  const Inst* iterates;  // the loop in whose iterations this is; else null
  size_t number = 0;     // of its place in the program
};

using Decisions = std::span<const Decision>;

size_t common(Decisions a, Decisions b) {
  const auto same = [](const Decision& x, const Decision& y) { return x.number == y.number; };
  return static_cast<size_t>(std::ranges::mismatch(a, b, same).in1 - a.begin());
}

struct Meeting {
  const Inst* inst;
  std::vector<Decision> path;  // from the outermost, loops around it included
};

// ---- values that are the same ----

class Values {
 public:
  explicit Values(const ir::Function& f) : stores_(f.slots.size()) { count(f.body, false); }

  // One value wherever they stand, within an iteration of the loops around both.
  bool same(const Inst& a, const Inst& b) const {
    return same_value(
        a, b, [this](const Inst& load) { return stores_[static_cast<size_t>(load.imm)] <= 1; });
  }

 private:
  // A store in a loop counts as several: one of the two may stand after the loop.
  void count(const Block& block, bool in_loop) {
    for (const Inst* inst : block.insts) {
      const bool loops = in_loop || is_loop(*inst);
      if (ir::sets_slot(inst->op)) stores_[static_cast<size_t>(inst->imm)] += loops ? 2 : 1;
      for (const Block& region : inst->regions) count(region, loops);
    }
  }

  std::vector<uint32_t> stores_;  // by slot
};

// Whether the value is the same in all iterations of the loop.
class Unchanging {
 public:
  explicit Unchanging(const Inst& loop) : loop_(loop) {
    ir::for_each_inside(loop, [&](const Inst& i) { inside_.push_back(&i); });
    std::ranges::sort(inside_);
  }

  bool operator()(const Inst& value, int deep = 0) const {
    if (value.op == Op::SlotLoad) return !is_stored(value.imm);
    if (!std::ranges::binary_search(inside_, &value)) return true;
    if (deep > kDeepest || !ir::is_pure(value.op)) return false;
    return std::ranges::all_of(value.operands,
                               [&](const Inst* o) { return (*this)(*o, deep + 1); });
  }

 private:
  static constexpr int kDeepest = 50;
  bool is_stored(int64_t slot) const {
    const auto stores = [&](const Inst& i) { return ir::sets_slot(i.op) && i.imm == slot; };
    return stores(loop_) || std::ranges::any_of(inside_, [&](const Inst* i) { return stores(*i); });
  }

  const Inst& loop_;
  std::vector<const Inst*> inside_;  // by address
};

// ---- paths ----

class Paths {
 public:
  explicit Paths(const ir::Function& f) : tree_(f), analysis_(analyse(f)) { block(f.body); }
  // Barriers and operations of warps, ActiveMask and WarpCheck among them, in the order of the
  // program.
  std::vector<Meeting> take() { return std::move(found_); }

 private:
  void block(const Block& b) {
    const size_t before = path_.size();
    for (const Inst* inst : b.insts) {
      if (ir::meets_warp(inst->op) || is_check(*inst) || is_barrier(*inst))
        found_.push_back({inst, path_});
      for (size_t side = 0; side < inst->regions.size(); ++side) region(*inst, side);
      if (inst->op == Op::If) stay_after(*inst);
      if (!inst->regions.empty() && jumps_over(*inst)) decide({nullptr, true, true, nullptr});
    }
    path_.resize(before);
  }

  void region(const Inst& inst, size_t side) {
    const size_t before = path_.size();
    if (inst.op == Op::If)
      decide({inst.operands[0], side == 0, parts(*inst.operands[0]), nullptr});
    else if (is_loop(inst))
      decide({nullptr, true, parts_lanes(inst), side + 1 < inst.regions.size() ? &inst : nullptr});
    block(inst.regions[side]);
    path_.resize(before);
  }

  // Those that are still here went the other way.
  void stay_after(const Inst& branch) {
    const Inst* const condition = branch.operands[0];
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const Block& left = branch.regions[side];
      if (ends_in_jump(left))
        decide({condition, side == 1, !returns(left) && parts(*condition), nullptr});
    }
  }

  void decide(Decision decision) {
    decision.number = ++decisions_;
    path_.push_back(decision);
  }

  bool parts(const Inst& value) const { return !analysis_.shape(value).uniform(); }

  // Whether lanes leave the loop, and not the kernel, in different iterations.
  bool parts_lanes(const Inst& loop) const {
    if (!analysis_.divergent[loop.id]) return false;
    const auto varies = [&](const Inst* value) { return parts(*value); };
    if (std::ranges::any_of(loop.operands, varies)) return true;
    if (loop.op == Op::While && varies(loop.regions[0].insts.back()->operands[0])) return true;
    return has_parting_jump(loop, [&](const Inst& jump) {
      return jump.op != Op::Continue && !is_inside(loop, tree_.target(jump));
    });
  }

  // Whether some lanes jump from within to what is around, past what comes next.
  bool jumps_over(const Inst& inst) const {
    std::vector<const Inst*> known;  // to stay_after()
    if (inst.op == Op::If)
      for (const Block& side : inst.regions)
        if (ends_in_jump(side)) known.push_back(side.insts.back());
    return has_parting_jump(inst, [&](const Inst& jump) {
      const Inst* const target = tree_.target(jump);
      return target != &inst && !is_inside(inst, target) &&
             std::ranges::find(known, &jump) == known.end();
    });
  }

  static bool is_inside(const Inst& around, const Inst* inst) {
    return ir::any_inside(around, [&](const Inst& i) { return &i == inst; });
  }

  // A jump, but no return, that some lanes take and others perhaps not.
  template <class P>
  bool has_parting_jump(const Inst& inst, const P& wanted, bool parted = false) const {
    if (inst.op == Op::If) parted = parted || parts(*inst.operands[0]);
    // Lanes leave it at different times: those that are left jump without the others.
    if (is_loop(inst)) parted = parted || analysis_.divergent[inst.id];
    for (const Block& region : inst.regions)
      for (const Inst* i : region.insts) {
        const bool jumps = ir::ends_block(i->op) && i->op != Op::Yield && i->op != Op::Return;
        if (jumps && parted && wanted(*i)) return true;
        if (!i->regions.empty() && has_parting_jump(*i, wanted, parted)) return true;
      }
    return false;
  }

  const Tree tree_;
  const Analysis analysis_;
  size_t decisions_ = 0;
  std::vector<Decision> path_;
  std::vector<Meeting> found_;
};

// ---- masks ----

// What is known of masks that lie in variables.
enum class MasksInSlots {
  OfThisIteration,  // that they were given in it: a guess
  Unknown,
};

// A mask that an operation of a warp has given names lanes that came there: what they had decided
// until then parts them no more.
class NamedLanes {
 public:
  NamedLanes(const ir::Function& f, const std::vector<Meeting>& all, MasksInSlots in_slots)
      : function_(f), in_slots_(in_slots) {
    for (const Meeting& m : all)
      if (names_lanes(m.inst->op)) paths_[m.inst] = m.path;
  }

  Meeting of(const Meeting& m) const {
    Meeting found = m;
    std::map<const Inst*, size_t> known;
    const size_t together = decided(*m.inst->operands[0], m.path, known);
    for (size_t i = 0; i < together; ++i) {
      found.path[i].parts = false;
      found.path[i].iterates = nullptr;  // the next iteration has another mask
    }
    return found;
  }

 private:
  static bool names_lanes(Op op) {
    return op == Op::ActiveMask || op == Op::Ballot || op == Op::MatchAny || op == Op::MatchAll;
  }

  // How many decisions of the path all lanes have made that the mask may name. `known`: of masks
  // that were looked at; all of one that comes from itself.
  size_t decided(const Inst& mask, Decisions path, std::map<const Inst*, size_t>& known) const {
    const auto [at, is_new] = known.try_emplace(&mask, path.size());
    if (!is_new) return at->second;
    const size_t found = decided_anew(mask, path, known);
    return known[&mask] = found;
  }
  size_t decided_anew(const Inst& mask, Decisions path,
                      std::map<const Inst*, size_t>& known) const {
    if (const auto from = paths_.find(&mask); from != paths_.end())
      return common(path, from->second);
    const auto of_operand = [&](size_t i) { return decided(*mask.operands[i], path, known); };
    switch (mask.op) {
      case Op::SlotLoad:
        return in_slots_ == MasksInSlots::Unknown ? 0 : of_stores(mask.imm, path, known);
#define SHUFFLE(name, ...) case Op::name:
#include "ir/op.def"
        return of_operand(1);  // another lane's mask
      case Op::And:
        return std::max(of_operand(0), of_operand(1));
      case Op::Select:
        return std::min(of_operand(1), of_operand(2));
      case Op::Convert:
      case Op::Bitcast:
        return of_operand(0);
      default:
        return 0;
    }
  }
  size_t of_stores(int64_t slot, Decisions path, std::map<const Inst*, size_t>& known) const {
    std::optional<size_t> least;
    ir::for_each_inst(function_.body, [&](const Inst& i) {
      if (i.op != Op::SlotStore || i.imm != slot) return;
      const size_t one = decided(*i.operands[0], path, known);
      least = std::min(one, least.value_or(one));
    });
    return least.value_or(0);
  }

  const ir::Function& function_;
  const MasksInSlots in_slots_;
  std::map<const Inst*, std::vector<Decision>> paths_;
};

bool same_mask(const Inst& a, const Inst& b) {
  const Inst &x = *a.operands[0], &y = *b.operands[0];
  return &x == &y || (x.op == y.op && x.imm == y.imm &&
                      (x.op == Op::Const || x.op == Op::SlotLoad || x.op == Op::Param));
}

// ---- pairs ----

class Pairs {
 public:
  explicit Pairs(const ir::Function& f) : values_(f) {}

  // `a` stands before `b`, or is the same.
  bool may_meet(const Meeting& a, const Meeting& b) {
    if (a.inst->op != b.inst->op || !same_mask(*a.inst, *b.inst)) return false;
    const size_t together = common(a.path, b.path);
    const Decisions of_a(a.path), of_b(b.path);
    if (may_miss(of_a.subspan(together), of_b)) return true;
    const auto loop =
        std::ranges::find_if(of_a.first(together), [](const Decision& d) { return d.iterates; });
    const auto around = static_cast<size_t>(loop - of_a.begin());
    if (around == together) return false;
    const Decisions in_a = of_a.subspan(around + 1), in_b = of_b.subspan(around + 1);
    return may_miss(of_b.subspan(together), of_a) || changes(in_a, *loop->iterates) ||
           changes(in_b, *loop->iterates);
  }

  // Lanes that miss `missed` may come to `other`, in the same iteration of the loops around both if
  // it is `later` there, or in another one.
  bool may_come_to(const Meeting& missed, const Meeting& other, bool later) const {
    const size_t together = common(missed.path, other.path);
    const Decisions of_missed(missed.path), of_other(other.path);
    const bool diverges = may_miss(of_missed.subspan(together), of_other);
    const auto loop = std::ranges::find_if(of_other.first(together),
                                           [](const Decision& d) { return d.iterates; });
    const auto around = static_cast<size_t>(loop - of_other.begin());
    if (around == together) return later && diverges;
    return diverges || changes(of_missed.subspan(around + 1), *loop->iterates);
  }

 private:
  // Some lanes that come by the one path have not come by the other.
  bool may_miss(Decisions missed, Decisions taken) const {
    return std::ranges::any_of(missed, [&](const Decision& d) {
      return d.parts && std::ranges::none_of(taken, [&](const Decision& e) { return same(d, e); });
    });
  }
  bool same(const Decision& a, const Decision& b) const {
    if (a.number == b.number) return true;
    return a.condition && b.condition && a.holds == b.holds &&
           values_.same(*a.condition, *b.condition);
  }

  // In another iteration a lane may decide otherwise.
  static bool changes(Decisions inside, const Inst& loop) {
    std::optional<Unchanging> unchanging;
    return std::ranges::any_of(inside, [&](const Decision& d) {
      if (!d.parts) return false;
      if (!unchanging) unchanging.emplace(loop);
      return !d.condition || !(*unchanging)(*d.condition);
    });
  }

  const Values values_;
};

}  // namespace

std::pair<const Inst*, const Inst*> meetings_apart(const ir::Function& f) {
  if (!ir::any_inst(f.body, is_meeting)) return {};
  const std::vector<Meeting> found = Paths(f).take();
  const NamedLanes named(f, found, MasksInSlots::OfThisIteration);
  std::vector<Meeting> all;
  for (const Meeting& m : found)
    if (is_meeting(*m.inst)) all.push_back(named.of(m));
  Pairs pairs(f);
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i; j < all.size(); ++j)
      if (pairs.may_meet(all[i], all[j])) return {all[i].inst, all[j].inst};
  return {};
}

// A barrier of a warp, or its check. What lanes still write that leave the kernel is before it.
static bool orders_memory(const std::vector<Meeting>& all, size_t i) {
  if (all[i].inst->op == Op::WarpSync) return true;
  return is_check(*all[i].inst) && i + 1 < all.size() && all[i + 1].inst->op == Op::WarpSync &&
         all[i + 1].inst->operands[0] == all[i].inst->operands[0];
}

std::vector<bool> missed_by_lanes_that_stay(const ir::Function& f) {
  std::vector<bool> missed(f.inst_count());
  if (!ir::any_inst(f.body, is_meeting)) return missed;
  const std::vector<Meeting> all = Paths(f).take();
  const NamedLanes named(f, all, MasksInSlots::Unknown);
  const Pairs pairs(f);
  const auto parted = [](const Meeting& m) {
    return std::ranges::any_of(m.path, &Decision::parts);
  };
  for (size_t i = 0; i < all.size(); ++i) {
    if (!is_meeting(*all[i].inst) && !is_check(*all[i].inst)) continue;
    const Meeting own = named.of(all[i]);
    const bool own_parted = parted(own);
    if (own_parted && orders_memory(all, i)) {
      missed[own.inst->id] = true;
      continue;
    }
    const auto stay = [&](const Meeting& other) {
      const auto j = static_cast<size_t>(&other - all.data());
      // Lanes that wait at a barrier come here later, or wait for those that are here.
      if (is_barrier(*other.inst) && parted(other) && pairs.may_come_to(other, all[i], j < i))
        return true;
      const bool meets = is_meeting(*other.inst) || is_barrier(*other.inst);
      return own_parted && meets && pairs.may_come_to(own, other, i < j);
    };
    missed[own.inst->id] = std::ranges::any_of(all, stay);
  }
  return missed;
}

}  // namespace cuda_device::analysis
