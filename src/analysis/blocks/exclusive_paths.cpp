#include "analysis/blocks/exclusive_paths.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/lanes/divergence.h"
#include "analysis/tree.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

// ---- conditions ----

// A condition that holds, or does not, on the way to an operation.
struct Decision {
  const Inst* condition;
  bool holds;
  size_t number = 0;  // of its place in the program
};

Decision without_not(Decision d) {
  while (d.condition->op == Op::Not) d = {d.condition->operands[0], !d.holds, d.number};
  return d;
}

// How the first operand of a comparison may be to the second: a bit each for less, equal, greater.
constexpr unsigned kLess = 1, kEqual = 2, kGreater = 4, kAny = 7;

unsigned relation(Op op) {
  switch (op) {
    case Op::Lt:
      return kLess;
    case Op::Le:
      return kLess | kEqual;
    case Op::Gt:
      return kGreater;
    case Op::Ge:
      return kGreater | kEqual;
    case Op::Eq:
      return kEqual;
    case Op::Ne:
      return kLess | kGreater;
    default:
      return 0;
  }
}

unsigned relation(const Decision& d) {
  const unsigned bits = relation(d.condition->op);
  return bits == 0 || d.holds ? bits : kAny & ~bits;
}

unsigned swapped(unsigned bits) {
  return (bits & kEqual) | (bits & kLess ? kGreater : 0) | (bits & kGreater ? kLess : 0);
}

// A variable is taken for unchanged: it decides whether threads can meet, and not whether they do.
bool same_value(const Inst& a, const Inst& b) {
  return &a == &b || (a.op == b.op && a.type == b.type && a.imm == b.imm &&
                      (a.op == Op::Const || a.op == Op::SlotLoad));
}

bool are_different_constants(const Inst& a, const Inst& b) {
  return a.op == Op::Const && b.op == Op::Const && a.type.is_int() && a.imm != b.imm;
}

// Whether no thread can have decided both ways at once. A NaN that it forgets goes neither way.
bool exclude(Decision a, Decision b) {
  a = without_not(a);
  b = without_not(b);
  if (same_value(*a.condition, *b.condition)) return a.holds != b.holds;
  const unsigned x = relation(a), y = relation(b);
  if (x == 0 || y == 0) return false;
  const Inst &a0 = *a.condition->operands[0], &a1 = *a.condition->operands[1];
  const Inst &b0 = *b.condition->operands[0], &b1 = *b.condition->operands[1];
  if (same_value(a0, b0) && same_value(a1, b1)) return (x & y) == 0;
  if (same_value(a0, b1) && same_value(a1, b0)) return (x & swapped(y)) == 0;
  return x == kEqual && y == kEqual && same_value(a0, b0) && are_different_constants(a1, b1);
}

// ---- paths ----

struct Operation {
  const Inst* inst;
  std::vector<Decision> path;  // from the outermost
};

bool ends_in_jump(const ir::Block& b) {
  return !b.empty() && ir::ends_block(b.insts.back()->op) && b.insts.back()->op != Op::Yield;
}

// Operations of a kind under some condition.
template <class P>
class Paths {
 public:
  Paths(const ir::Function& f, const P& wanted) : wanted_(wanted) { block(f.body); }
  std::vector<Operation> take() { return std::move(found_); }

 private:
  void block(const ir::Block& b) {
    const size_t before = path_.size();
    for (const Inst* inst : b.insts) {
      if (!path_.empty() && wanted_(*inst)) found_.push_back({inst, path_});
      for (size_t side = 0; side < inst->regions.size(); ++side) {
        if (inst->op == Op::If) decide(*inst, side == 0);
        block(inst->regions[side]);
        if (inst->op == Op::If) path_.pop_back();
      }
      if (inst->op != Op::If) continue;
      // Those that are still here went the other way.
      for (const size_t side : {0, 1})
        if (ends_in_jump(inst->regions[side])) decide(*inst, side == 1);
    }
    path_.resize(before);
  }

  void decide(const Inst& branch, bool holds) {
    path_.push_back({branch.operands[0], holds, ++decisions_});
  }

  const P& wanted_;
  size_t decisions_ = 0;
  std::vector<Decision> path_;
  std::vector<Operation> found_;
};

template <class P>
std::vector<Operation> operations(const ir::Function& f, const P& wanted) {
  return Paths<P>(f, wanted).take();
}

// ---- barriers ----

// Whether threads of a block may have different values, as far as the program tells: what is read
// at one place is taken for one value.
class DiffersByThread {
 public:
  explicit DiffersByThread(const ir::Function& f) : function_(f) {}

  bool operator()(const Inst& i) {
    if (!visited_.insert(&i).second) return false;
    if (tells_threads_apart(i.op) || ir::meets_warp(i.op)) return true;
    if (i.op == Op::SlotLoad) return a_store_differs(i.imm);
    if (ir::is_barrier(i.op)) return false;
    if (ir::access_of(i) && ir::writes(i)) return true;
    return std::ranges::any_of(i.operands, [&](const Inst* o) { return (*this)(*o); });
  }

 private:
  // Positions that differ within a block: the thread's own.
  static bool tells_threads_apart(Op op) {
    const ir::OpInfo& info = ir::info(op);
    return info.kind == ir::OpKind::Position &&
           (info.lanes == ir::LaneRule::Varying || info.lanes == ir::LaneRule::ByLane);
  }

  bool a_store_differs(int64_t slot) {
    return ir::any_inst(function_.body, [&](const Inst& i) {
      if (i.op == Op::For && i.imm == slot) return (*this)(*i.operands[0]);
      return i.op == Op::SlotStore && i.imm == slot && (*this)(*i.operands[0]);
    });
  }

  const ir::Function& function_;
  std::set<const Inst*> visited_;
};

// The levels of all conditions.
class Conditions {
 public:
  explicit Conditions(const ir::Function& f) : function_(f), analysis_(analyse(f)) {}
  bool may_differ_in_block(const Inst& value) const {
    return analysis_.shape(value).level > Level::BlockUniform && DiffersByThread(function_)(value);
  }

 private:
  const ir::Function& function_;
  const Analysis analysis_;
};

}  // namespace

Pair exclusive_barriers(const ir::Function& f) {
  const auto found = operations(f, [](const Inst& i) { return ir::is_barrier(i.op); });
  std::optional<Conditions> conditions;
  for (size_t i = 0; i < found.size(); ++i)
    for (size_t j = i + 1; j < found.size(); ++j) {
      const Decision &x = found[i].path.back(), &y = found[j].path.back();
      if (!exclude(x, y)) continue;
      if (!conditions) conditions.emplace(f);
      if (conditions->may_differ_in_block(*x.condition)) return {found[i].inst, found[j].inst};
    }
  return {};
}

}  // namespace cuda_device::analysis
