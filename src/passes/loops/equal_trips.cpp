#include "passes/loops/equal_trips.h"

#include <optional>

#include "analysis/liveness.h"
#include "analysis/ranges.h"
#include "ir/machine.h"
#include "ir/visitor.h"
#include "passes/loops/own_counter.h"

namespace cuda_device::passes {
namespace {

using analysis::Interval;
using ir::Block;
using ir::Inst;
using ir::Op;

bool starts_at_a_constant(const Inst& loop) { return loop.operands[0]->op == Op::Const; }

bool has_candidate(const ir::Function& f) {
  bool found = false;
  ir::for_each_inst(f.body, [&](const Inst& i) {
    found = found || (i.op == Op::For && !starts_at_a_constant(i));
  });
  return found;
}

class Equaliser {
 public:
  explicit Equaliser(ir::Function& f)
      : f_(f), ranges_(analysis::find_ranges(f, analysis::liveness(f).entry).values) {}

  void block(Block& b) {
    std::vector<Inst*> rebuilt;
    for (Inst* inst : b.insts) {
      for (Block& inside : inst->regions) block(inside);
      if (const std::optional<uint64_t> trips = equal(*inst)) {
        Block made;
        ir::Builder before(f_, made);
        before.set_span(inst->span);
        const ir::Type type = unsigned_like(inst->operands[0]->type);
        count_iterations(before, *inst, before.const_int(type, static_cast<int64_t>(*trips)));
        rebuilt.insert(rebuilt.end(), made.insts.begin(), made.insts.end());
      }
      rebuilt.push_back(inst);
    }
    b.insts = std::move(rebuilt);
  }

 private:
  // The number of iterations falls as the start comes closer to the stop: where the first and the
  // last start have the same, all have.
  std::optional<uint64_t> equal(const Inst& loop) const {
    if (loop.op != Op::For || starts_at_a_constant(loop)) return std::nullopt;
    const Interval start = range(loop, 0), stop = range(loop, 1), step = range(loop, 2);
    if (!stop.single() || !step.single()) return std::nullopt;
    const auto trips = [&](analysis::Wide from) {
      return ir::trip_count(loop.operands[0]->type.scalar, static_cast<int64_t>(from),
                            static_cast<int64_t>(stop.lo), static_cast<int64_t>(step.lo));
    };
    const uint64_t most = trips(start.lo);
    return most > 0 && most == trips(start.hi) ? std::optional(most) : std::nullopt;
  }

  const Interval& range(const Inst& loop, size_t i) const { return ranges_[loop.operands[i]->id]; }

  ir::Function& f_;
  std::vector<Interval> ranges_;
};

}  // namespace

void equal_trips(ir::Function& f) {
  if (has_candidate(f)) Equaliser(f).block(f.body);
}

}  // namespace cuda_device::passes
