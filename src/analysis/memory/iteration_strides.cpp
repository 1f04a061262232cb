#include "analysis/memory/iteration_strides.h"

#include <algorithm>

#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {

using ir::Inst;
using ir::Op;

namespace {

constexpr int kDeepest = 16;  // operands of operands that are looked at

// Wraps around at the end of int64, as indices do.
int64_t wrapped(uint64_t number) { return static_cast<int64_t>(number); }
uint64_t bits(int64_t number) { return static_cast<uint64_t>(number); }

}  // namespace

IterationStrides::IterationStrides(const ir::Function& f, const Inst& loop, int64_t step)
    : stored_(f.slots.size()), counter_(loop.imm), step_(step) {
  ir::for_each_inst(loop.regions[0], [&](const Inst& i) {
    if (i.op == Op::SlotStore) slot(i.imm).push_back(i.operands[0]);
    if (i.op == Op::For) slot(i.imm).assign(2, nullptr);  // a counter of its own
  });
}

Stride IterationStrides::of(const Inst& i, int depth) {
  if (depth > kDeepest) return std::nullopt;
  const auto operand = [&](size_t k) { return of(*i.operands[k], depth + 1); };
  const auto combined = [&](int64_t sign) -> Stride {
    const Stride x = operand(0), y = operand(1);
    return x && y ? Stride(wrapped(bits(*x) + bits(sign) * bits(*y))) : std::nullopt;
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
      return ir::is_pure(i.op) && stays(i, depth) ? Stride(0) : std::nullopt;
  }
}

Stride IterationStrides::of_slot(int64_t number, int depth) {
  if (number == counter_) return step_;
  const std::vector<const Inst*>& values = slot(number);
  if (values.empty()) return 0;
  return values.size() == 1 ? of(*values[0], depth + 1) : std::nullopt;
}

Stride IterationStrides::product(const Inst& i, int depth) {
  for (const size_t k : {0, 1}) {
    if (i.operands[k]->op != Op::Const) continue;
    const Stride other = of(*i.operands[1 - k], depth + 1);
    return other ? Stride(wrapped(bits(*other) * bits(i.operands[k]->imm))) : std::nullopt;
  }
  return stays(i, depth) ? Stride(0) : std::nullopt;
}

bool IterationStrides::stays(const Inst& i, int depth) {
  return std::ranges::all_of(i.operands,
                             [&](const Inst* x) { return of(*x, depth + 1) == Stride(0); });
}

}  // namespace cuda_device::analysis
