#include "analysis/index_moves.h"

#include <algorithm>

#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {

using ir::Inst;
using ir::Op;

namespace {

constexpr int kDeepest = 16;  // operands of operands that are looked at

// As indices do, beyond the end of int64 from the other one on.
int64_t wrapped(uint64_t number) { return static_cast<int64_t>(number); }
uint64_t bits(int64_t number) { return static_cast<uint64_t>(number); }

}  // namespace

IndexMoves::IndexMoves(const ir::Function& f, const Inst& loop, int64_t step)
    : stored_(f.slots.size()), counter_(loop.imm), step_(step) {
  ir::for_each_inst(loop.regions[0], [&](const Inst& i) {
    if (i.op == Op::SlotStore) slot(i.imm).push_back(i.operands[0]);
    if (i.op == Op::For) slot(i.imm).assign(2, nullptr);  // a counter of its own
  });
}

Move IndexMoves::of(const Inst& i, int depth) {
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

Move IndexMoves::of_slot(int64_t number, int depth) {
  if (number == counter_) return step_;
  const std::vector<const Inst*>& values = slot(number);
  if (values.empty()) return 0;
  return values.size() == 1 ? of(*values[0], depth + 1) : std::nullopt;
}

Move IndexMoves::product(const Inst& i, int depth) {
  for (const size_t k : {0, 1}) {
    if (i.operands[k]->op != Op::Const) continue;
    const Move other = of(*i.operands[1 - k], depth + 1);
    return other ? Move(wrapped(bits(*other) * bits(i.operands[k]->imm))) : std::nullopt;
  }
  return stays(i, depth) ? Move(0) : std::nullopt;
}

bool IndexMoves::stays(const Inst& i, int depth) {
  return std::ranges::all_of(i.operands,
                             [&](const Inst* x) { return of(*x, depth + 1) == Move(0); });
}

}  // namespace cuda_device::analysis
