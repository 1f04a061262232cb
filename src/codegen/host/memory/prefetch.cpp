#include "codegen/host/memory/prefetch.h"

#include "ir/visitor.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using analysis::Prefetch;
using ir::Inst;
using llvm::Value;
using What = Prefetch::What;

static bool is_of_next_gang(What what) {
  return what == What::NextGangRows || what == What::NextGangStrides;
}

Prefetcher::Prefetcher(EmitContext& context, Arrays& arrays)
    : c_(context),
      arrays_(arrays),
      memory_(MemoryForm::create(context.b, context.source.target, context.width())),
      by_load_(analysis::find_prefetches(context.source.function, context.source.analysis)) {
  ir::for_each_inst(context.source.function.body, [&](const Inst& load) {
    for (const Prefetch& prefetch : by_load_[load.id]) {
      if (!is_of_next_gang(prefetch.what)) continue;
      Ahead& ahead = ahead_[prefetch.loop];
      ahead.rows = prefetch.what == What::NextGangRows;
      if (!ahead.element) ahead.element = c_.variable(c_.b.getInt64Ty(), "ahead");
      ahead.lane_bytes += static_cast<uint64_t>(bytes_of(load.type.scalar()));
    }
  });
}

std::vector<Prefetch> Prefetcher::prefetches(const Inst& load, const Address& address) const {
  std::vector<Prefetch> all;
  for (const Prefetch& prefetch : by_load_[load.id])
    if (is_of_next_gang(prefetch.what) || address.is_linear() || address.is_in_rows())
      all.push_back(prefetch);
  return all;
}

std::string_view Prefetcher::describe(const Prefetch& prefetch) {
  switch (prefetch.what) {
    case What::Page:
      return ", prefetched one page ahead";
    case What::NextIteration:
      return ", next iteration prefetched";
    case What::NextGangRows:
    case What::NextGangStrides:
      return ", next gang prefetched";
  }
  CD_UNREACHABLE("unknown prefetch");
}

void Prefetcher::emit(const Inst& load, const Prefetch& prefetch, const Address& address) {
  constexpr uint64_t kPage = 4096;
  switch (prefetch.what) {
    case What::Page:
      return rows(address, c_.b.getInt64(kPage), /*to_the_last=*/false);
    case What::NextIteration:
      return rows(address, distance(load, prefetch.strides), /*to_the_last=*/true);
    case What::NextGangRows:
    case What::NextGangStrides:
      break;
  }
  // An iteration advances all lanes together by as many elements as there are lanes.
  Value* element = c_.b.CreateLoad(c_.b.getInt64Ty(), ahead_.at(prefetch.loop).element);
  Value* away = c_.b.CreateMul(stride(load, 0), element);
  memory_->prefetch(c_.b.CreateGEP(c_.b.getInt8Ty(), address.pointer, away),
                    c_.width() * address.element.bytes());
}

// The bytes that an address advances from one iteration to the next.
Value* Prefetcher::distance(const Inst& load, const std::vector<int64_t>& strides) {
  Value* away = c_.b.getInt64(0);
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    Value* elements = c_.integer(ScalarKind::I64, strides[axis]);
    away = c_.b.CreateAdd(away, c_.b.CreateMul(stride(load, axis), elements));
  }
  return away;
}

// The lines so many bytes away. To the last one, where lanes do not begin with a line.
void Prefetcher::rows(const Address& address, Value* away, bool to_the_last) {
  for (const RowPiece& row : address.pieces(c_.b)) {
    const unsigned bytes = row.count * address.element.bytes();
    Value* first = c_.b.CreateGEP(c_.b.getInt8Ty(), row.pointer, away);
    memory_->prefetch(first, bytes);
    if (!to_the_last) continue;
    memory_->prefetch(c_.b.CreateGEP(c_.b.getInt8Ty(), first, c_.b.getInt64(bytes - 1)), 1);
  }
}

// ------------------------------------------------------------------------------------------------
// the next gang

// Each lane starts where the one before it stops. Lanes without a thread have no rows: then there
// is no next gang either.
Value* Prefetcher::lie_in_turn(Value* starts, Value* stops) {
  llvm::SmallVector<int, kMostLanes> before, after;
  for (unsigned lane = 1; lane < c_.width(); ++lane) {
    before.push_back(static_cast<int>(lane - 1));
    after.push_back(static_cast<int>(lane));
  }
  // A lane twice, for a whole vector.
  before.push_back(before.back());
  after.push_back(after.back());
  Value* apart = c_.b.CreateICmpNE(c_.b.CreateShuffleVector(stops, before),
                                   c_.b.CreateShuffleVector(starts, after));
  return c_.b.CreateNot(c_.b.CreateOrReduce(apart));
}

void Prefetcher::enter(const Inst& loop, Counter& counter) {
  const auto found = ahead_.find(&loop);
  if (found == ahead_.end()) return;
  if (found->second.rows)
    enter_rows(loop, counter, found->second);
  else
    enter_strides(loop, counter, found->second);
}

// Where rows lie elsewhere, what is prefetched is at hand.
void Prefetcher::enter_rows(const Inst& loop, Counter& counter, Ahead& ahead) {
  Value *starts = counter.starts(), *stops = counter.stops();
  Value* in_turn = lie_in_turn(starts, stops);
  Value* zero = c_.b.getInt64(0);
  Value* end = c_.b.CreateExtractElement(stops, uint64_t{c_.width() - 1});
  const bool is_signed = is_signed_int(loop.operands[0]->type.scalar());
  end = c_.b.CreateIntCast(end, c_.b.getInt64Ty(), is_signed);
  ahead.step = c_.b.CreateSelect(in_turn, c_.b.getInt64(c_.width()), zero);
  // The first iteration adds a step.
  Value* first = c_.b.CreateSub(end, c_.b.getInt64(c_.width()));
  c_.b.CreateStore(c_.b.CreateSelect(in_turn, first, zero), ahead.element);
}

// Where the whole loop reads more than the second cache holds, the next gang would come too late.
void Prefetcher::enter_strides(const Inst& loop, Counter& counter, Ahead& ahead) {
  constexpr uint64_t kMostBytes = 256 << 10;
  const uint64_t most_iterations = kMostBytes / (c_.width() * ahead.lane_bytes);
  const bool is_signed = is_signed_int(loop.operands[0]->type.scalar());
  auto number = [&](Value* x) { return c_.b.CreateIntCast(x, c_.b.getInt64Ty(), is_signed); };
  Value* length = c_.b.CreateSub(number(counter.stop()), number(counter.first_start()));
  Value* most = c_.b.CreateMul(number(counter.step()), c_.b.getInt64(most_iterations));
  Value* soon = c_.b.CreateICmpSLE(length, most);
  Value* zero = c_.b.getInt64(0);
  ahead.step = zero;
  c_.b.CreateStore(c_.b.CreateSelect(soon, c_.b.getInt64(c_.width()), zero), ahead.element);
}

void Prefetcher::next_iteration(const Inst& loop) {
  const auto found = ahead_.find(&loop);
  if (found == ahead_.end()) return;
  const Ahead& ahead = found->second;
  Value* now = c_.b.CreateLoad(c_.b.getInt64Ty(), ahead.element);
  c_.b.CreateStore(c_.b.CreateAdd(now, ahead.step), ahead.element);
}

}  // namespace cuda_device::codegen::host
