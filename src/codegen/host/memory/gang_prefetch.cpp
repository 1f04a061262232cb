#include "codegen/host/memory/gang_prefetch.h"

#include "ir/visitor.h"

namespace cuda_device::codegen::host {

using ir::Inst;
using llvm::Value;

GangAhead::GangAhead(EmitContext& context)
    : c_(context),
      loops_(analysis::loops_of_next_gang(context.source.function, context.source.analysis)) {
  ir::for_each_inst(context.source.function.body, [&](const Inst& load) {
    const Inst* loop = loops_[load.id];
    if (!loop) return;
    Ahead& ahead = wanted_[loop];
    if (!ahead.element) ahead.element = c_.variable(c_.b.getInt64Ty(), "ahead");
    ahead.lane_bytes += static_cast<uint64_t>(bytes_of(load.type.scalar));
  });
}

// Each lane starts where the one before it stops. Lanes without a thread have no rows: then there
// is no next gang either.
Value* GangAhead::lie_in_turn(Value* starts, Value* stops) {
  llvm::SmallVector<int, kMostLanes> before, behind;
  for (unsigned lane = 1; lane < c_.width(); ++lane) {
    before.push_back(static_cast<int>(lane - 1));
    behind.push_back(static_cast<int>(lane));
  }
  // A lane twice, for a whole vector.
  before.push_back(before.back());
  behind.push_back(behind.back());
  Value* apart = c_.b.CreateICmpNE(c_.b.CreateShuffleVector(stops, before),
                                   c_.b.CreateShuffleVector(starts, behind));
  return c_.b.CreateNot(c_.b.CreateOrReduce(apart));
}

void GangAhead::enter(const Inst& loop, Counter& counter) {
  const auto found = wanted_.find(&loop);
  if (found == wanted_.end()) return;
  if (counter.in_step())
    enter_strides(loop, counter, found->second);
  else
    enter_rows(loop, counter, found->second);
}

// Where rows lie elsewhere, what is asked for is at hand.
void GangAhead::enter_rows(const Inst& loop, Counter& counter, Ahead& ahead) {
  Value *starts = counter.starts(), *stops = counter.stops();
  Value* in_turn = lie_in_turn(starts, stops);
  Value* zero = c_.b.getInt64(0);
  Value* end = c_.b.CreateExtractElement(stops, uint64_t{c_.width() - 1});
  const bool is_signed = is_signed_int(loop.operands[0]->type.scalar);
  end = c_.b.CreateIntCast(end, c_.b.getInt64Ty(), is_signed);
  ahead.step = c_.b.CreateSelect(in_turn, c_.b.getInt64(c_.width()), zero);
  // The first iteration adds a step.
  Value* first = c_.b.CreateSub(end, c_.b.getInt64(c_.width()));
  c_.b.CreateStore(c_.b.CreateSelect(in_turn, first, zero), ahead.element);
}

// Where the whole loop reads more than the second cache holds, the next gang would come too late.
void GangAhead::enter_strides(const Inst& loop, Counter& counter, Ahead& ahead) {
  constexpr uint64_t kMostBytes = 256 << 10;
  const uint64_t most_iterations = kMostBytes / (c_.width() * ahead.lane_bytes);
  const bool is_signed = is_signed_int(loop.operands[0]->type.scalar);
  auto number = [&](Value* x) { return c_.b.CreateIntCast(x, c_.b.getInt64Ty(), is_signed); };
  Value* length = c_.b.CreateSub(number(counter.stop()), number(counter.first_start()));
  Value* most = c_.b.CreateMul(number(counter.step()), c_.b.getInt64(most_iterations));
  Value* soon = c_.b.CreateICmpSLE(length, most);
  Value* zero = c_.b.getInt64(0);
  ahead.step = zero;
  c_.b.CreateStore(c_.b.CreateSelect(soon, c_.b.getInt64(c_.width()), zero), ahead.element);
}

void GangAhead::next_iteration(const Inst& loop) {
  const auto found = wanted_.find(&loop);
  if (found == wanted_.end()) return;
  const Ahead& ahead = found->second;
  Value* now = c_.b.CreateLoad(c_.b.getInt64Ty(), ahead.element);
  c_.b.CreateStore(c_.b.CreateAdd(now, ahead.step), ahead.element);
}

Value* GangAhead::element(const Inst& load) {
  const Inst* loop = loops_[load.id];
  return loop ? c_.b.CreateLoad(c_.b.getInt64Ty(), wanted_.at(loop).element) : nullptr;
}

}  // namespace cuda_device::codegen::host
