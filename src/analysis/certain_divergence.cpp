#include "analysis/certain_divergence.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "analysis/analysis.h"
#include "ir/evaluate.h"
#include "ir/machine.h"

namespace cuda_device::analysis {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

const char* name_of_barrier(Op op) {
  switch (op) {
    case Op::BarrierCount:
      return "syncthreads_count()";
    case Op::BarrierAnd:
      return "syncthreads_and()";
    case Op::BarrierOr:
      return "syncthreads_or()";
    default:
      return "syncthreads()";
  }
}

const Inst* first_barrier(const Block& block) {
  for (const Inst* inst : block.insts) {
    if (ir::is_barrier(inst->op)) return inst;
    for (const Block& region : inst->regions) {
      if (const Inst* found = first_barrier(region)) return found;
    }
  }
  return nullptr;
}

// The value of an expression in one thread of block 0, where it follows from the thread's place.
class Place {
 public:
  Place(const ir::Function& f, uint32_t thread) : block_(f.launch.block) {
    index_ = {thread % block_[0], thread / block_[0] % block_[1], thread / block_[0] / block_[1]};
    lane_ = thread % kWarpWidth;
  }

  std::optional<int64_t> value(const Inst& inst) {
    const auto known = known_.find(inst.id);
    if (known != known_.end()) return known->second;
    return known_[inst.id] = answer(inst);
  }

 private:
  std::optional<int64_t> answer(const Inst& inst) {
    const auto axis = static_cast<size_t>(inst.imm);
    switch (inst.op) {
      case Op::Const:
        return inst.imm;
      case Op::ThreadIdx:
      case Op::Tid:  // of block 0
        return index_[axis];
      case Op::BlockIdx:
        return 0;
      case Op::BlockDim:
        return block_[axis];
      case Op::LaneId:
        return lane_;
      default:
        return computed(inst);
    }
  }

  std::optional<int64_t> computed(const Inst& inst) {
    const ir::Evaluator evaluator = ir::evaluator(inst);
    if (!evaluator || !ir::is_exact(inst.op)) return std::nullopt;
    std::array<int64_t, 3> operands{};
    for (size_t i = 0; i < inst.operands.size(); ++i) {
      const std::optional<int64_t> operand = value(*inst.operands[i]);
      if (!operand) return std::nullopt;
      operands[i] = *operand;
    }
    return evaluator(operands[0], operands[1], operands[2]);
  }

  std::array<uint32_t, 3> block_, index_;
  uint32_t lane_;
  std::unordered_map<uint32_t, std::optional<int64_t>> known_;  // by Inst::id
};

class Search {
 public:
  explicit Search(const ir::Function& f) : f_(f), a_(analyse(f)) {
    threads_ = f.launch.block[0] * f.launch.block[1] * f.launch.block[2];
  }

  std::vector<Diagnostic> run() {
    if (!some_return_early(f_.body, true)) block(f_.body);
    return std::move(found_);
  }

 private:
  // Threads that are gone do not count: who comes to a barrier behind is not known.
  bool some_return_early(const Block& b, bool all_come) const {
    return std::ranges::any_of(b.insts, [&](const Inst* inst) {
      if (inst->op == Op::Return) return !all_come;
      const bool all = all_come && !inst->regions.empty() && together(*inst);
      return std::ranges::any_of(
          inst->regions, [&](const Block& region) { return some_return_early(region, all); });
    });
  }

  // All threads of the block come here.
  void block(const Block& b) {
    for (const Inst* inst : b.insts) {
      if (inst->op == Op::If) branch(*inst);
      if (inst->op == Op::For) loop(*inst);
      if (inst->regions.empty() || !together(*inst)) continue;
      for (const Block& region : inst->regions) block(region);
    }
  }

  void branch(const Inst& inst) {
    for (const Block& side : inst.regions) {
      const Inst* barrier = first_barrier(side);
      const std::optional<size_t> alike = barrier ? alike_in(inst) : std::nullopt;
      if (alike && *alike != threads_) return report(*barrier, *inst.operands[0], *alike);
    }
  }

  void loop(const Inst& inst) {
    const Inst* barrier = first_barrier(inst.regions[0]);
    if (!barrier || has_jump(inst.regions[0])) return;
    const std::optional<size_t> alike = alike_in(inst);
    if (alike && *alike != threads_) report(*barrier, inst, *alike);
  }

  // All threads that come to it surely go the same way through it, as often.
  bool together(const Inst& inst) const {
    if (alike_in(inst) == threads_) return true;
    const bool jumps = inst.op != Op::If && std::ranges::any_of(inst.regions, has_jump);
    const auto& yielded = inst.op == Op::While ? inst.regions[0].insts.back()->operands : kNone;
    const auto same = [&](const Inst* i) { return a_.shape(*i).level <= Level::BlockUniform; };
    return !jumps && std::ranges::all_of(inst.operands, same) && std::ranges::all_of(yielded, same);
  }

  static bool has_jump(const Block& body) {
    return std::ranges::any_of(body.insts, [](const Inst* inst) {
      return (ir::ends_block(inst->op) && inst->op != Op::Yield) ||
             std::ranges::any_of(inst->regions, has_jump);
    });
  }

  // How many threads go the way of thread 0 through an if, or run a for as often; none: not known.
  std::optional<size_t> alike_in(const Inst& inst) const {
    const std::optional<int64_t> first = way(inst, 0);
    if (!first) return std::nullopt;
    size_t alike = 0;
    for (uint32_t thread = 0; thread < threads_; ++thread) alike += way(inst, thread) == first;
    return alike;
  }

  std::optional<int64_t> way(const Inst& inst, uint32_t thread) const {
    Place place(f_, thread);
    if (inst.op == Op::If) return place.value(*inst.operands[0]);
    if (inst.op != Op::For || has_jump(inst.regions[0])) return std::nullopt;
    std::array<int64_t, 3> bounds{};
    for (size_t i = 0; i < 3; ++i) {
      const std::optional<int64_t> bound = place.value(*inst.operands[i]);
      if (!bound) return std::nullopt;
      bounds[i] = *bound;
    }
    const ScalarKind kind = inst.operands[0]->type.scalar;
    return static_cast<int64_t>(ir::trip_count(kind, bounds[0], bounds[1], bounds[2]));
  }

  void report(const Inst& barrier, const Inst& condition, size_t alike) {
    Diagnostic d{DiagCode::divergent_barrier,
                 barrier.span,
                 {name_of_barrier(barrier.op), std::to_string(alike), std::to_string(threads_)},
                 {},
                 "",
                 {}};
    d.notes.push_back({condition.span, "under this condition"});
    found_.push_back(std::move(d));
  }

  inline static const std::vector<Inst*> kNone;

  const ir::Function& f_;
  const Analysis a_;
  size_t threads_ = 0;
  std::vector<Diagnostic> found_;
};

}  // namespace

std::vector<Diagnostic> certainly_divergent_barriers(const ir::Function& f) {
  if (!f.launch.has_block() || !ir::has_barrier(f.body)) return {};
  return Search(f).run();
}

}  // namespace cuda_device::analysis
