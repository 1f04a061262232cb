#include "analysis/next_iteration.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "analysis/block_level.h"
#include "analysis/far_arrays.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;
using Move = std::optional<int64_t>;

constexpr int kDeepest = 16;  // operands of operands that are looked at

// As indices do, beyond the end of int64 from the other one on.
int64_t wrapped(uint64_t number) { return static_cast<int64_t>(number); }
uint64_t bits(int64_t number) { return static_cast<uint64_t>(number); }

// Of values in one loop.
class Moves {
 public:
  Moves(const ir::Function& f, const Inst& loop, int64_t step) : stored_(f.slots.size()) {
    ir::for_each_inst(loop.regions[0], [&](const Inst& i) {
      if (i.op == Op::SlotStore) slot(i.imm).push_back(i.operands[0]);
      if (i.op == Op::For) slot(i.imm).assign(2, nullptr);  // a counter of its own
    });
    counter_ = loop.imm;
    step_ = step;
  }

  Move of(const Inst& i, int depth = 0) {
    if (depth > kDeepest) return std::nullopt;
    const auto operand = [&](size_t k) { return of(*i.operands[k], depth + 1); };
    const auto combined = [&](int64_t sign) -> Move {
      const Move x = operand(0), y = operand(1);
      return x && y ? Move(wrapped(bits(*x) + bits(sign) * bits(*y))) : std::nullopt;
    };
    switch (i.op) {
      case Op::SlotLoad:
        return of_slot(i.imm, depth);
      case Op::Add:
        return combined(1);
      case Op::Sub:
        return combined(-1);
      case Op::Mul:
        return product(i, depth);
      case Op::Convert:
      case Op::Bitcast:
      case Op::Wrap:
        return operand(0);
      default:
        return ir::is_pure(i.op) && stays(i, depth) ? Move(0) : std::nullopt;
    }
  }

 private:
  std::vector<const Inst*>& slot(int64_t number) { return stored_[static_cast<size_t>(number)]; }

  Move of_slot(int64_t number, int depth) {
    if (number == counter_) return step_;
    const std::vector<const Inst*>& values = slot(number);
    if (values.empty()) return 0;
    return values.size() == 1 ? of(*values[0], depth + 1) : std::nullopt;
  }

  Move product(const Inst& i, int depth) {
    for (const size_t k : {0, 1}) {
      if (i.operands[k]->op != Op::Const) continue;
      const Move other = of(*i.operands[1 - k], depth + 1);
      return other ? Move(wrapped(bits(*other) * bits(i.operands[k]->imm))) : std::nullopt;
    }
    return stays(i, depth) ? Move(0) : std::nullopt;
  }

  bool stays(const Inst& i, int depth) {
    return std::ranges::all_of(i.operands,
                               [&](const Inst* x) { return of(*x, depth + 1) == Move(0); });
  }

  std::vector<std::vector<const Inst*>> stored_;  // in the loop, by slot
  int64_t counter_ = 0;
  int64_t step_ = 0;
};

const Inst* loop_of_block(const Inst& i, const Tree& tree, const BlockLevel& level) {
  const Inst* around = tree.position(i).parent;
  while (around && !(is_loop(*around) && level.contains(*around)))
    around = tree.position(*around).parent;
  return around;
}

}  // namespace

std::vector<std::vector<int64_t>> moves_of_loads(const ir::Function& f, const Analysis& a) {
  std::vector<std::vector<int64_t>> all(f.inst_count());
  const BlockLevel level(f);
  if (!level.has_barrier()) return all;
  const Tree tree(f);
  std::unordered_map<const Inst*, Moves> by_loop;
  ir::for_each_inst(f.body, [&](const Inst& i) {
    if (i.op != Op::Load || !lies_beyond_cache(*i.operands[0], f)) return;
    const Inst* loop = loop_of_block(i, tree, level);
    if (!loop || loop->op != Op::For) return;
    const Range& step = a.range(*loop->operands[2]);
    if (step.lo != step.hi || step.unsigned_overflow) return;
    Moves& moves = by_loop.try_emplace(loop, f, *loop, step.lo).first->second;
    std::vector<int64_t> each;
    for (size_t k = 1; k < i.operands.size(); ++k) {
      const Move move = moves.of(*i.operands[k]);
      if (!move) return;
      each.push_back(*move);
    }
    if (std::ranges::any_of(each, [](int64_t m) { return m != 0; })) all[i.id] = std::move(each);
  });
  return all;
}

}  // namespace cuda_device::analysis
