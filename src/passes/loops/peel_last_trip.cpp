#include "passes/loops/peel_last_trip.h"

#include <algorithm>
#include <optional>

#include "analysis/liveness.h"
#include "analysis/ranges.h"
#include "ir/effects.h"
#include "ir/machine.h"
#include "ir/visitor.h"
#include "passes/clone.h"
#include "passes/loops/own_counter.h"

namespace cuda_device::passes {
namespace {

using analysis::Interval;
using ir::Block;
using ir::Inst;
using ir::Op;

constexpr size_t kMostInstructions = 100;  // of a body, that there will be twice

bool may_stand_twice(const Inst& loop) {
  size_t size = 0;
  bool may = true;
  ir::for_each_inst(loop.regions[0], [&](const Inst& i) {
    ++size;
    may = may && ir::may_copy(i.op) && (!ir::ends_block(i.op) || i.op == Op::Yield);
  });
  return may && size <= kMostInstructions;
}

class Peeler {
 public:
  explicit Peeler(ir::Function& f)
      : f_(f), ranges_(analysis::find_ranges(f, analysis::liveness(f).entry).values) {}

  void block(Block& b) {
    std::vector<Inst*> rebuilt;
    for (Inst* inst : b.insts) {
      for (Block& inside : inst->regions) block(inside);
      if (const std::optional<uint64_t> trips = of_all(*inst))
        peel(*inst, *trips, rebuilt);
      else
        rebuilt.push_back(inst);
    }
    b.insts = std::move(rebuilt);
  }

 private:
  // How many iterations all threads make, if none makes more than one more.
  std::optional<uint64_t> of_all(const Inst& loop) const {
    if (loop.op != Op::For || !loop.regions[1].empty()) return std::nullopt;
    const Interval start = range(loop, 0), stop = range(loop, 1), step = range(loop, 2);
    if (!stop.single() || !step.single()) return std::nullopt;
    const auto trips = [&](analysis::Wide from) {
      return ir::trip_count(loop.operands[0]->type.scalar, static_cast<int64_t>(from),
                            static_cast<int64_t>(stop.lo), static_cast<int64_t>(step.lo));
    };
    const auto [least, most] = std::minmax({trips(start.lo), trips(start.hi)});
    return most == least + 1 && may_stand_twice(loop) ? std::optional(least) : std::nullopt;
  }

  void peel(Inst& loop, uint64_t trips, std::vector<Inst*>& rebuilt) {
    Block made;
    ir::Builder b(f_, made);
    b.set_span(loop.span);
    Inst* last = last_trip(b, loop, static_cast<int64_t>(trips));
    if (trips > 0) {
      const ir::Type type = unsigned_like(loop.operands[0]->type);
      count_iterations(b, loop, b.const_int(type, static_cast<int64_t>(trips)));
      made.insts.push_back(&loop);
    }
    made.insts.push_back(last);
    rebuilt.insert(rebuilt.end(), made.insts.begin(), made.insts.end());
  }

  // if start < stop - trips * step: the body, with start + trips * step. That bound lies between
  // two starts, and what is added goes beyond the stop nowhere.
  Inst* last_trip(ir::Builder& b, const Inst& loop, int64_t trips) {
    Inst* start = loop.operands[0];
    const Interval stop = range(loop, 1), step = range(loop, 2);
    Inst* bound = b.const_int(start->type, static_cast<int64_t>(stop.lo - trips * step.lo));
    Inst* inside = f_.create(Op::If, {}, loop.span);
    inside->operands = {b.op(step.lo > 0 ? Op::Lt : Op::Gt, {start, bound})};
    inside->regions.resize(2);
    ir::Builder body(f_, inside->regions[0]);
    body.set_span(loop.span);
    Inst* away = body.const_int(start->type, static_cast<int64_t>(trips * step.lo));
    body.slot_store(static_cast<uint32_t>(loop.imm), body.op(Op::Add, {start, away}));
    Copies copies;
    const std::vector<Inst*> copy = clone(f_, loop.regions[0], copies);
    std::vector<Inst*>& insts = inside->regions[0].insts;
    insts.insert(insts.end(), copy.begin(), copy.end());
    return inside;
  }

  const Interval& range(const Inst& loop, size_t i) const { return ranges_[loop.operands[i]->id]; }

  ir::Function& f_;
  std::vector<Interval> ranges_;
};

bool has_loop(const ir::Function& f) {
  bool found = false;
  ir::for_each_inst(f.body, [&](const Inst& i) {
    found = found || (i.op == Op::For && i.operands[0]->op != Op::Const);
  });
  return found;
}

}  // namespace

void peel_last_trip(ir::Function& f) {
  if (has_loop(f)) Peeler(f).block(f.body);
}

}  // namespace cuda_device::passes
