#include "analysis/blocks/thread_positions.h"

#include <utility>

#include "analysis/analysis.h"
#include "ir/evaluate.h"
#include "ir/machine.h"

namespace cuda_device::analysis {

using ir::Inst;
using ir::Op;

const ThreadPositions::Values& ThreadPositions::values(const Inst& inst) {
  const auto [at, is_new] = known_.try_emplace(inst.id);
  if (!is_new || depth_ >= kDeepest) return at->second;
  ++depth_;
  Values found = answer(inst);
  --depth_;
  return known_[inst.id] = std::move(found);
}

ThreadPositions::Values ThreadPositions::answer(const Inst& inst) {
  const auto axis = static_cast<size_t>(inst.imm);
  switch (inst.op) {
    case Op::Const:
      return each([&](size_t) { return inst.imm; });
    case Op::ThreadIdx:
    case Op::Tid:  // of block 0
      return each([&](size_t thread) { return index(thread)[axis]; });
    case Op::BlockIdx:
      return each([&](size_t) { return 0; });
    case Op::BlockDim:
      return each([&](size_t) { return block_[axis]; });
    case Op::LaneId:
      return each([&](size_t thread) { return thread % kWarpWidth; });
    default:
      return computed(inst);
  }
}

std::array<size_t, 3> ThreadPositions::index(size_t thread) const {
  return {thread % block_[0], thread / block_[0] % block_[1], thread / block_[0] / block_[1]};
}

ThreadPositions::Values ThreadPositions::computed(const Inst& inst) {
  const ir::Evaluator evaluator = ir::evaluator(inst);
  if (!evaluator || !ir::is_exact(inst.op)) return std::nullopt;
  std::array<const std::vector<int64_t>*, 3> operands{};
  for (size_t i = 0; i < inst.operands.size(); ++i) {
    const Values& operand = values(*inst.operands[i]);
    if (!operand) return std::nullopt;
    operands[i] = &*operand;
  }
  const auto of = [&](size_t i, size_t thread) { return operands[i] ? (*operands[i])[thread] : 0; };
  return each([&](size_t t) { return evaluator(of(0, t), of(1, t), of(2, t)); });
}

ThreadPositions::Values ThreadPositions::trips(const Inst& loop) {
  for (const Inst* bound : loop.operands)
    if (!values(*bound)) return std::nullopt;
  const auto bound = [&](size_t i, size_t thread) { return (*values(*loop.operands[i]))[thread]; };
  const ScalarKind kind = loop.operands[0]->type.scalar();
  return each([&](size_t t) {
    return static_cast<int64_t>(ir::trip_count(kind, bound(0, t), bound(1, t), bound(2, t)));
  });
}

}  // namespace cuda_device::analysis
