#include "analysis/memory/prefetch.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "analysis/blocks/block_level.h"
#include "analysis/loops/trips.h"
#include "analysis/memory/iteration_strides.h"
#include "analysis/tree.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;
using What = Prefetch::What;

bool lies_beyond_cache(const Inst& array, const ir::Function& f) {
  return array.op == Op::Param && f.params[static_cast<size_t>(array.imm)].facts.beyond_cache;
}

template <class Wanted>
const Inst* nearest_around(const Inst& i, const Tree& tree, Wanted&& wanted) {
  const Inst* around = tree.position(i).parent;
  while (around && !wanted(*around)) around = tree.position(*around).parent;
  return around;
}

// Each operation of lanes is two instructions or more; CPUs look ahead by 400 to 500, over a few
// gangs. Measured: three operations lose by prefetching, 39 gain a little, 67 twofold (decision
// 0035).
bool computes_for_long(const ir::Function& f, const Analysis& a) {
  constexpr size_t kManyOperations = 30;
  size_t operations = 0;
  ir::for_each_inst(f.body, [&](const Inst& i) {
    if (i.type.is_scalar() && a.shape(i).level == Level::Varying) ++operations;
  });
  return operations >= kManyOperations;
}

bool goes_along_rows(const Inst& loop, const Analysis& a) {
  const Range& step = a.range(*loop.operands[2]);
  const auto differs = [&](size_t k) { return a.shape(*loop.operands[k]).level == Level::Varying; };
  return step.lo == 1 && step.hi == 1 && !step.unsigned_overflow && differs(0) && differs(1);
}

bool goes_in_strides(const Inst& loop, const Analysis& a) {
  const Range& step = a.range(*loop.operands[2]);
  return counts_in_step(loop, a) && (step.lo > a.layout.width || step.lo != step.hi);
}

bool is_counter(const Inst& index, const Inst& loop) {
  const Inst* i = &index;
  while (i->op == Op::Wrap || i->op == Op::Convert) i = i->operands[0];
  return i->op == Op::SlotLoad && i->imm == loop.imm;
}

class PrefetchFinder {
 public:
  PrefetchFinder(const ir::Function& f, const Analysis& a)
      : f_(f), a_(a), tree_(f), level_(f), computes_for_long_(computes_for_long(f, a)) {}

  std::vector<Prefetch> of(const Inst& load) {
    std::vector<Prefetch> all;
    const auto add = [&](Heuristic h, std::optional<Prefetch> found) {
      if (found && a_.tuning.on(h)) all.push_back(std::move(*found));
    };
    add(Heuristic::prefetch_page, page(load));
    add(Heuristic::prefetch_next_iteration, next_iteration(load));
    add(Heuristic::prefetch_next_gang, next_gang(load));
    return all;
  }

  std::optional<Prefetch> next_gang(const Inst& load) const {
    if (load.operands.size() != 2 || !is_far(load)) return std::nullopt;
    const Inst* loop = nearest_around(load, tree_, is_loop);
    if (!loop || loop->op != Op::For || !a_.divergent[loop->id]) return std::nullopt;
    if (!is_counter(*load.operands[1], *loop)) return std::nullopt;
    if (goes_along_rows(*loop, a_)) return Prefetch{What::NextGangRows, {}, loop};
    if (goes_in_strides(*loop, a_)) return Prefetch{What::NextGangStrides, {}, loop};
    return std::nullopt;
  }

 private:
  bool is_far(const Inst& load) const { return lies_beyond_cache(*load.operands[0], f_); }

  std::optional<Prefetch> page(const Inst& load) const {
    const Inst& array = *load.operands[0];
    if (level_.has_barrier() || array.op != Op::Param) return std::nullopt;  // the thread's own
    if (!computes_for_long_ && (array.type.ndim == 1 || !is_far(load))) return std::nullopt;
    const auto rolled = [&](const Inst& around) {
      return is_loop(around) && !unrolled_size(around, a_, kMostUnrolled);
    };
    return nearest_around(load, tree_, rolled) ? std::nullopt : std::optional(Prefetch{What::Page});
  }

  std::optional<Prefetch> next_iteration(const Inst& load) {
    if (!level_.has_barrier() || !is_far(load)) return std::nullopt;
    const Inst* loop = nearest_around(
        load, tree_, [&](const Inst& i) { return is_loop(i) && level_.contains(i); });
    if (!loop || loop->op != Op::For) return std::nullopt;
    const Range& step = a_.range(*loop->operands[2]);
    if (step.lo != step.hi || step.unsigned_overflow) return std::nullopt;
    IterationStrides& strides = strides_.try_emplace(loop, f_, *loop, step.lo).first->second;
    Prefetch found{What::NextIteration};
    for (size_t k = 1; k < load.operands.size(); ++k) {
      const Stride stride = strides.of(*load.operands[k]);
      if (!stride) return std::nullopt;
      found.strides.push_back(*stride);
    }
    const bool stays = std::ranges::all_of(found.strides, [](int64_t m) { return m == 0; });
    return stays ? std::nullopt : std::optional(std::move(found));
  }

  const ir::Function& f_;
  const Analysis& a_;
  const Tree tree_;
  const BlockLevel level_;
  const bool computes_for_long_;
  std::unordered_map<const Inst*, IterationStrides> strides_;  // by loop
};

}  // namespace

std::vector<std::vector<Prefetch>> find_prefetches(const ir::Function& f, const Analysis& a) {
  std::vector<std::vector<Prefetch>> all(f.inst_count());
  PrefetchFinder finder(f, a);
  ir::for_each_inst(f.body, [&](const Inst& i) {
    if (ir::is_plain_load(i)) all[i.id] = finder.of(i);
  });
  return all;
}

bool reads_in_strides(const ir::Function& f, const Analysis& a) {
  const PrefetchFinder finder(f, a);
  return ir::any_inst(f.body, [&](const Inst& i) {
    if (!ir::is_plain_load(i)) return false;
    const std::optional<Prefetch> prefetch = finder.next_gang(i);
    return prefetch && prefetch->what == What::NextGangStrides;
  });
}

}  // namespace cuda_device::analysis
