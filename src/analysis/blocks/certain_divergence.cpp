#include "analysis/blocks/certain_divergence.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/blocks/block_level.h"
#include "ir/effects.h"
#include "ir/evaluate.h"
#include "ir/machine.h"
#include "ir/visitor.h"
#include "support/check.h"

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
    case Op::Barrier:
      return "syncthreads()";
    default:
      CD_UNREACHABLE("not a barrier");
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

// The values of an expression in all threads of block 0, where they follow from their places.
class ThreadPositions {
 public:
  using Values = std::optional<std::vector<int64_t>>;  // by thread; none: not known

  explicit ThreadPositions(const ir::Function& f) : block_(f.launch.block) {}

  size_t threads() const { return size_t{block_[0]} * block_[1] * block_[2]; }

  const Values& values(const Inst& inst) {
    const auto [at, is_new] = known_.try_emplace(inst.id);
    if (!is_new || depth_ >= kDeepest) return at->second;
    ++depth_;
    Values found = answer(inst);
    --depth_;
    return known_[inst.id] = std::move(found);
  }

 private:
  static constexpr int kDeepest = 1000;

  template <class F>
  Values each(F&& value) const {
    std::vector<int64_t> all(threads());
    for (size_t thread = 0; thread < all.size(); ++thread) all[thread] = value(thread);
    return all;
  }

  Values answer(const Inst& inst) {
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

  std::array<size_t, 3> index(size_t thread) const {
    return {thread % block_[0], thread / block_[0] % block_[1], thread / block_[0] / block_[1]};
  }

  Values computed(const Inst& inst) {
    const ir::Evaluator evaluator = ir::evaluator(inst);
    if (!evaluator || !ir::is_exact(inst.op)) return std::nullopt;
    std::array<const std::vector<int64_t>*, 3> operands{};
    for (size_t i = 0; i < inst.operands.size(); ++i) {
      const Values& operand = values(*inst.operands[i]);
      if (!operand) return std::nullopt;
      operands[i] = &*operand;
    }
    const auto of = [&](size_t i, size_t thread) {
      return operands[i] ? (*operands[i])[thread] : 0;
    };
    return each([&](size_t t) { return evaluator(of(0, t), of(1, t), of(2, t)); });
  }

  std::array<uint32_t, 3> block_;
  std::unordered_map<uint32_t, Values> known_;  // by Inst::id
  int depth_ = 0;
};

class Search {
 public:
  explicit Search(const ir::Function& f)
      : f_(f), a_(analyse(f)), level_(f), holds_return_(f.inst_count()), positions_(f) {
    const Tree tree(f);
    for (const Inst* jump : tree.jumps()) {
      const Inst* around = jump->op == Op::Return ? tree.position(*jump).parent : nullptr;
      for (; around && !holds_return_[around->id]; around = tree.position(*around).parent)
        holds_return_[around->id] = true;
    }
  }

  std::vector<Diagnostic> run() {
    if (!some_return_early(f_.body, true)) block(f_.body);
    return std::move(found_);
  }

 private:
  // Threads that are gone do not count: who comes to a later barrier is not known.
  bool some_return_early(const Block& b, bool all_come) {
    return std::ranges::any_of(b.insts, [&](const Inst* inst) {
      if (inst->op == Op::Return) return !all_come;
      if (!holds_return_[inst->id]) return false;
      const bool all = all_come && together(*inst);
      return std::ranges::any_of(
          inst->regions, [&](const Block& region) { return some_return_early(region, all); });
    });
  }

  // All threads of the block come here.
  void block(const Block& b) {
    for (const Inst* inst : b.insts) {
      if (inst->regions.empty() || !level_.contains(*inst)) continue;  // no barrier is in it
      if (inst->op == Op::If) branch(*inst);
      if (inst->op == Op::For) loop(*inst);
      if (!together(*inst)) continue;
      for (const Block& region : inst->regions) block(region);
    }
  }

  void branch(const Inst& inst) {
    for (const Block& side : inst.regions) {
      const Inst* barrier = first_barrier(side);
      const std::optional<size_t> alike = barrier ? alike_in(inst) : std::nullopt;
      if (alike && *alike != positions_.threads())
        return report(*barrier, *inst.operands[0], *alike);
    }
  }

  void loop(const Inst& inst) {
    const Inst* barrier = first_barrier(inst.regions[0]);
    if (!barrier || ir::any_inst(inst.regions[0], is_jump)) return;
    const std::optional<size_t> alike = alike_in(inst);
    if (alike && *alike != positions_.threads()) report(*barrier, inst, *alike);
  }

  // Whether all threads that come to it surely take the same path through it, equally often.
  bool together(const Inst& inst) {
    return stays_together(inst) || alike_in(inst) == positions_.threads();
  }

  bool stays_together(const Inst& inst) const {
    const bool jumps = inst.op != Op::If && ir::any_inside(inst, is_jump);
    const auto& yielded = inst.op == Op::While ? inst.regions[0].insts.back()->operands : kNone;
    const auto same = [&](const Inst* i) { return a_.shape(*i).level <= Level::BlockUniform; };
    return !jumps && std::ranges::all_of(inst.operands, same) && std::ranges::all_of(yielded, same);
  }

  static bool is_jump(const Inst& inst) { return ir::ends_block(inst.op) && inst.op != Op::Yield; }

  // How many threads take thread 0's path through an if, or run a for as often; none: not known.
  std::optional<size_t> alike_in(const Inst& inst) {
    const ThreadPositions::Values ways = ways_through(inst);
    if (!ways) return std::nullopt;
    return static_cast<size_t>(std::ranges::count(*ways, ways->front()));
  }

  ThreadPositions::Values ways_through(const Inst& inst) {
    if (inst.op == Op::If) return positions_.values(*inst.operands[0]);
    if (inst.op != Op::For || ir::any_inst(inst.regions[0], is_jump)) return std::nullopt;
    for (const Inst* bound : inst.operands)
      if (!positions_.values(*bound)) return std::nullopt;
    const auto bound = [&](size_t i) -> const std::vector<int64_t>& {
      return *positions_.values(*inst.operands[i]);
    };
    const ScalarKind kind = inst.operands[0]->type.scalar();
    std::vector<int64_t> trips(positions_.threads());
    for (size_t t = 0; t < trips.size(); ++t)
      trips[t] = static_cast<int64_t>(ir::trip_count(kind, bound(0)[t], bound(1)[t], bound(2)[t]));
    return trips;
  }

  // Once for a barrier of the source: an unrolled loop holds copies.
  void report(const Inst& barrier, const Inst& condition, size_t alike) {
    const auto is_it = [&](const Diagnostic& d) { return d.span == barrier.span; };
    if (barrier.span.known() && std::ranges::any_of(found_, is_it)) return;
    Diagnostic d{
        DiagCode::divergent_barrier,
        barrier.span,
        {name_of_barrier(barrier.op), std::to_string(alike), std::to_string(positions_.threads())},
        {},
        "",
        {}};
    d.notes.push_back({condition.span, "under this condition"});
    found_.push_back(std::move(d));
  }

  inline static const std::vector<Inst*> kNone;

  const ir::Function& f_;
  const Analysis a_;
  const BlockLevel level_;
  std::vector<bool> holds_return_;  // by Inst::id of control
  ThreadPositions positions_;
  std::vector<Diagnostic> found_;
};

}  // namespace

std::vector<Diagnostic> certainly_divergent_barriers(const ir::Function& f) {
  if (!f.launch.has_block() || !ir::has_barrier(f.body)) return {};
  return Search(f).run();
}

}  // namespace cuda_device::analysis
