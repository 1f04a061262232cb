#include "codegen/host/memory/access.h"

#include "support/check.h"

namespace cuda_device::codegen::host {

using ir::Inst;
using llvm::Value;
using How = AccessPlan::How;
using If = AccessPlan::If;

Access::Access(EmitContext& context, LaneValues& values, Arrays& arrays, Prefetcher& prefetcher)
    : c_(context),
      values_(values),
      addresses_(context, values, arrays),
      memory_(MemoryForm::create(context.b, context.source.target, context.width())),
      planner_(context),
      prefetcher_(prefetcher) {}

static size_t indices_of(const Inst& inst) {
  return inst.operands.size() - (inst.op == ir::Op::Store ? 2 : 1);
}

AccessPlan Access::plan(const Inst& inst, const Mask& mask, bool unclamped) {
  return planner_.plan(inst, addresses_.of(inst, indices_of(inst), unclamped), mask);
}

// emit(plan) for gangs in which no index is clamped, negative or wraps, and for others, each in a
// branch of its own.
template <class Emit>
void Access::in_two_versions(const Inst& inst, Value* unclamped, const Mask& mask, Emit&& emit) {
  llvm::BasicBlock *near = c_.new_block("unclamped_index"), *far = c_.new_block("any_index"),
                   *done = c_.new_block("accessed");
  c_.b.CreateCondBr(unclamped, near, far);
  std::string how = "if no index is negative or clamped: ";
  for (llvm::BasicBlock* block : {near, far}) {
    c_.start(block);
    const AccessPlan version = plan(inst, mask, block == near);
    how += (block == far ? ", else " : "") + describe(version);
    emit(version);
    c_.b.CreateBr(done);
  }
  c_.notes.add(inst, mask, how);
  c_.start(done);
}

// Of the lanes, for a gather or a scatter.
Offsets Access::offsets_of(const Address& address) {
  if (address.offsets.numbers) return address.offsets;
  const ScalarKind kind = address.offset;
  auto scaled = [&](llvm::Constant* sequence, Value* step) {
    Value* narrow = c_.b.CreateTrunc(step, c_.scalar_type(kind));
    return c_.b.CreateMul(sequence, c_.b.CreateVectorSplat(c_.width(), narrow));
  };
  Value* numbers = scaled(values_.column(kind, address.period), address.s0);
  if (address.period == c_.width()) return {numbers, 1};
  return {c_.b.CreateAdd(numbers, scaled(values_.row(kind, address.period), address.s1)), 1};
}

// ------------------------------------------------------------------------------------------------
// loads

void Access::load(const Inst& inst, const Mask& mask) {
  const ScalarKind kind = inst.type.scalar, held = values_.held_kind(inst);
  auto in_register = [&](Value* x) {
    if (is_bool(kind)) x = c_.b.CreateICmpNE(x, llvm::Constant::getNullValue(x->getType()));
    return values_.resize(x, kind, held);
  };
  if (Value* unclamped = addresses_.may_be_unclamped(inst, indices_of(inst))) {
    Value* lanes = load_in_two_versions(inst, unclamped, mask);
    return values_.define_vector(inst, held, in_register(lanes));
  }
  AccessPlan loading = plan(inst, mask);
  const Address& address = loading.address;
  if (address.kind == Lanes::Kind::Uniform) {
    c_.notes.add(inst, mask, describe(loading));
    Value* one = memory_->load_one(address.element, address.pointer);
    return values_.define_uniform(inst, held, in_register(one));
  }
  loading.prefetches = prefetcher_.prefetches(inst, address);
  c_.notes.add(inst, mask, describe(loading));
  Value* lanes = load_lanes(loading, mask);
  for (const analysis::Prefetch& prefetch : loading.prefetches)
    prefetcher_.emit(inst, prefetch, address);
  values_.define_vector(inst, held, in_register(lanes));
}

Value* Access::load_in_two_versions(const Inst& inst, Value* unclamped, const Mask& mask) {
  llvm::SmallVector<std::pair<Value*, llvm::BasicBlock*>, 2> loaded;
  in_two_versions(inst, unclamped, mask, [&](const AccessPlan& version) {
    Value* lanes = load_lanes(version, mask);
    loaded.push_back({lanes, c_.b.GetInsertBlock()});
  });
  llvm::PHINode* either = c_.b.CreatePHI(loaded[0].first->getType(), 2);
  for (const auto& [lanes, from] : loaded) either->addIncoming(lanes, from);
  return either;
}

Value* Access::load_lanes(const AccessPlan& plan, const Mask& mask) {
  const Address& p = plan.address;
  switch (plan.how) {
    case How::RepeatedRow:
      return load_row_once(p);
    case How::OneARow:
      return load_one_a_row(p);
    case How::Run:
      return memory_->load(p.element, p.pointer, mask);
    case How::BlendedRun: {
      Value* whole = memory_->load(p.element, p.pointer, {});
      return c_.b.CreateSelect(c_.masks.lanes(mask), whole,
                               llvm::Constant::getNullValue(whole->getType()));
    }
    case How::Window:
      return memory_->load_window(p.element, *plan.window, p.pointer);
    case How::Rows:
      return memory_->load_rows(p.element, p.pieces(c_.b), mask);
    case How::EachElement:
      return memory_->load_each(p.element, p.pointer, offsets_of(p));
    case How::Gather:
    case How::LaneByLane:
      return memory_->gather(p.element, p.pointer, offsets_of(p), mask);
    case How::OneAddress:
    case How::OneLane:
    case How::Scatter:
    case How::Lines:
      break;
  }
  CD_UNREACHABLE("a plan that loads no lanes");
}

Value* Access::load_row_once(const Address& p) {
  Value* row = memory_->load_whole(p.element, p.period, p.pointer);
  llvm::SmallVector<int, kMostLanes> lanes;
  for (unsigned lane = 0; lane < c_.width(); ++lane)
    lanes.push_back(static_cast<int>(lane % p.period));
  return c_.b.CreateShuffleVector(row, lanes);
}

Value* Access::load_one_a_row(const Address& p) {
  const unsigned period = p.period, rows = c_.width() / period;
  Value* elements = llvm::PoisonValue::get(llvm::FixedVectorType::get(p.element.type, rows));
  Value* pointer = p.pointer;
  for (unsigned row = 0; row < rows; ++row) {
    if (row > 0) pointer = c_.b.CreateGEP(c_.b.getInt8Ty(), pointer, p.s1);
    elements = c_.b.CreateInsertElement(elements, memory_->load_one(p.element, pointer), row);
  }
  llvm::SmallVector<int, kMostLanes> lanes;
  for (unsigned lane = 0; lane < c_.width(); ++lane)
    lanes.push_back(static_cast<int>(lane / period));
  return c_.b.CreateShuffleVector(elements, lanes);
}

// ------------------------------------------------------------------------------------------------
// stores

void Access::store(const Inst& inst, const Mask& mask) {
  if (Value* unclamped = addresses_.may_be_unclamped(inst, indices_of(inst)))
    return in_two_versions(inst, unclamped, mask,
                           [&](const AccessPlan& version) { store(inst, version, mask); });
  const AccessPlan storing = plan(inst, mask);
  c_.notes.add(inst, mask, describe(storing));
  store(inst, storing, mask);
}

void Access::store(const Inst& inst, const AccessPlan& plan, const Mask& mask) {
  const Inst& value = *inst.operands.back();
  if (plan.address.kind == Lanes::Kind::Uniform) return store_one(value, plan, mask);
  Value* all = values_.vector(value, value.type.scalar);
  if (value.type.is_bool())
    all = c_.b.CreateZExt(all, with_lanes_of(all->getType(), plan.address.element.type));
  plan.how == How::Lines ? store_lines(plan, all, mask) : store_lanes(plan, all, mask);
}

// All lanes store to one address: the highest active lane is the last.
void Access::store_one(const Inst& value, const AccessPlan& plan, const Mask& mask) {
  const Element& element = plan.address.element;
  const bool one = values_.of(value).uniform();
  Value* stored =
      one ? values_.scalar(value, value.type.scalar) : values_.vector(value, value.type.scalar);
  if (value.type.is_bool())
    stored = c_.b.CreateZExt(stored, with_lanes_of(stored->getType(), element.type));
  memory_->store_one(element, one ? stored : c_.masks.last_of(stored, mask), plan.address.pointer);
}

void Access::store_lanes(const AccessPlan& plan, Value* value, const Mask& mask) {
  const Address& p = plan.address;
  switch (plan.how) {
    case How::Run:
      return memory_->store(p.element, value, p.pointer, mask);
    case How::BlendedRun: {
      Value* before = memory_->load(p.element, p.pointer, {});
      value = c_.b.CreateSelect(c_.masks.lanes(mask), value, before);
      return memory_->store(p.element, value, p.pointer, {});
    }
    case How::Window:
      return memory_->store_window(p.element, *plan.window, value, p.pointer, mask);
    case How::Rows:
      return memory_->store_rows(p.element, value, p.pieces(c_.b), mask);
    case How::Scatter:
    case How::LaneByLane:
      return memory_->scatter(p.element, value, p.pointer, offsets_of(p), mask);
    case How::OneAddress:
    case How::OneLane:
    case How::RepeatedRow:
    case How::OneARow:
    case How::Gather:
    case How::EachElement:
    case How::Lines:
      break;
  }
  CD_UNREACHABLE("a plan that stores no lanes");
}

// i1: whether the plan's condition does.
Value* Access::holds(const AccessPlan& plan, const Mask& mask) {
  Value* all = mask.all() ? nullptr : c_.b.CreateAndReduce(c_.masks.lanes(mask));
  if (plan.when == If::AllLanesOn) return all;
  const Address& address = plan.address;
  Value* at = c_.b.CreatePtrToInt(address.pointer, c_.b.getInt64Ty());
  if (!address.is_linear()) at = c_.b.CreateOr(at, address.s1);
  Value* within = c_.b.CreateAnd(at, c_.b.getInt64(kLineBytes - 1));
  Value* begins = c_.b.CreateICmpEQ(within, c_.b.getInt64(0));
  return all ? c_.b.CreateAnd(begins, all) : begins;
}

void Access::store_lines(const AccessPlan& plan, Value* value, const Mask& mask) {
  c_.has_nontemporal_stores = true;
  const auto store_all = [&] {
    memory_->store_lines(plan.address.element, value, plan.address.pieces(c_.b));
  };
  if (plan.when == If::Always) return store_all();
  Value* whole = holds(plan, mask);
  llvm::BasicBlock *lines = c_.new_block("whole_lines"), *parts = c_.new_block("parts_of_lines"),
                   *done = c_.new_block("stored");
  c_.b.CreateCondBr(whole, lines, parts);
  c_.start(lines);
  store_all();
  c_.b.CreateBr(done);
  c_.start(parts);
  store_lanes(plan.otherwise.front(), value, mask);
  c_.b.CreateBr(done);
  c_.start(done);
}

}  // namespace cuda_device::codegen::host
