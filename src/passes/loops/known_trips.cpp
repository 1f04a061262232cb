#include "passes/loops/known_trips.h"

#include <optional>

#include "analysis/liveness.h"
#include "analysis/loops/trips.h"
#include "analysis/ranges/ranges.h"
#include "ir/clone.h"
#include "ir/effects.h"
#include "ir/visitor.h"
#include "passes/loops/canonical_counter.h"

namespace cuda_device::passes {
namespace {

using analysis::TripBounds;
using ir::Block;
using ir::Inst;
using ir::Op;

constexpr size_t kMostCopiedInstructions = 100;  // of a body that is copied

bool is_candidate(const Inst& i) { return i.op == Op::For && i.operands[0]->op != Op::Const; }

bool may_stand_once(const Inst& i) {
  return !ir::may_copy(i) || (ir::ends_block(i.op) && i.op != Op::Yield);
}

bool may_stand_twice(const Block& body) {
  return ir::count_insts(body) <= kMostCopiedInstructions && !ir::any_inst(body, may_stand_once);
}

enum class Rewrite : uint8_t { None, Count, Peel };

// Decides for both passes. `peels`: which of the two rewrites is asked for.
Rewrite rewrite_of(const Inst& loop, const TripBounds& trips, bool peels) {
  if (!peels) return trips.most > 0 && trips.least == trips.most ? Rewrite::Count : Rewrite::None;
  const bool one_more = trips.most == trips.least + 1;
  return one_more && loop.regions[1].empty() && may_stand_twice(loop.regions[0]) ? Rewrite::Peel
                                                                                 : Rewrite::None;
}

class Rewriter {
 public:
  Rewriter(ir::Function& f, bool peels)
      : f_(f),
        peels_(peels),
        ranges_(analysis::find_ranges(f, analysis::liveness(f).entry).values) {}

  void block(Block& b) {
    std::vector<Inst*> rebuilt;
    for (Inst* inst : b.insts) {
      for (Block& inside : inst->regions) block(inside);
      if (!is_candidate(*inst) || !rewrite(*inst, rebuilt)) rebuilt.push_back(inst);
    }
    b.insts = std::move(rebuilt);
  }

 private:
  bool rewrite(Inst& loop, std::vector<Inst*>& rebuilt) {
    const std::optional<TripBounds> trips = analysis::trip_bounds(loop, ranges_);
    const Rewrite how = trips ? rewrite_of(loop, *trips, peels_) : Rewrite::None;
    if (how == Rewrite::None) return false;
    Block made;
    ir::Builder b(f_, made);
    b.set_span(loop.span);
    // Built before the loop loses its bounds.
    Inst* last = how == Rewrite::Peel ? last_trip(b, loop, trips->least) : nullptr;
    if (trips->least > 0) {
      const ir::Type type = unsigned_like(loop.operands[0]->type);
      count_iterations(b, loop, b.const_int(type, static_cast<int64_t>(trips->least)));
      made.insts.push_back(&loop);
    }
    if (last) made.insts.push_back(last);
    rebuilt.insert(rebuilt.end(), made.insts.begin(), made.insts.end());
    return true;
  }

  // Builds `if start < stop - trips * step` with a copy of the body for start + trips * step. That
  // bound lies between two starts, and no sum goes beyond the stop.
  Inst* last_trip(ir::Builder& b, const Inst& loop, uint64_t trips) {
    Inst* start = loop.operands[0];
    const auto count = static_cast<int64_t>(trips);
    const analysis::Interval stop = range(loop, 1), step = range(loop, 2);
    Inst* bound = b.const_int(start->type, static_cast<int64_t>(stop.lo - count * step.lo));
    Inst* inside = f_.create(Op::If, {}, loop.span);
    inside->operands = {b.op(step.lo > 0 ? Op::Lt : Op::Gt, {start, bound})};
    inside->regions.resize(2);
    ir::Builder body(f_, inside->regions[0]);
    body.set_span(loop.span);
    Inst* away = body.const_int(start->type, static_cast<int64_t>(count * step.lo));
    body.slot_store(static_cast<uint32_t>(loop.imm), body.op(Op::Add, {start, away}));
    ir::Copies copies;
    const std::vector<Inst*> copy = clone(f_, loop.regions[0], copies);
    std::vector<Inst*>& insts = inside->regions[0].insts;
    insts.insert(insts.end(), copy.begin(), copy.end());
    return inside;
  }

  const analysis::Interval& range(const Inst& loop, size_t i) const {
    return ranges_[loop.operands[i]->id];
  }

  ir::Function& f_;
  const bool peels_;
  const std::vector<analysis::Interval> ranges_;
};

void rewrite(ir::Function& f, bool peels) {
  if (ir::any_inst(f.body, is_candidate)) Rewriter(f, peels).block(f.body);
}

}  // namespace

void known_trips(ir::Function& f) { rewrite(f, /*peels=*/false); }
void peel_last_trip(ir::Function& f) { rewrite(f, /*peels=*/true); }

}  // namespace cuda_device::passes
