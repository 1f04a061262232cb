#include "codegen/host/memory/access.h"

#include "codegen/host/control/emit_branch.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using ir::Inst;
using llvm::Value;
using How = AccessPlan::How;
using If = AccessPlan::If;

Access::Access(EmitContext& context, LaneValues& values, Arrays& arrays, Prefetcher& prefetcher)
    : c_(context),
      values_(values),
      arrays_(arrays),
      addresses_(context, values, arrays),
      memory_(MemoryForm::create(context.b, context.source.target, context.width())),
      planner_(context),
      prefetcher_(prefetcher) {}

void Access::emit(const Inst& inst, const Mask& mask) {
  switch (inst.op) {
    case ir::Op::Load:
      return load(inst, mask);
    case ir::Op::Store:
      if (c_.analysis().record_stores.waits[inst.id]) return;
      if (const auto& all = c_.analysis().record_stores.groups[inst.id]; !all.empty())
        return store_records(all, mask);
      return store(inst, mask);
    case ir::Op::Prefetch:
      return prefetch(inst, mask);
    case ir::Op::AtomicLoad:
    case ir::Op::AtomicStore:
    case ir::Op::AtomicRmw:
    case ir::Op::AtomicCas:
    case ir::Op::AtomicLoadPair:
    case ir::Op::AtomicStorePair:
      return atomic(inst, mask);
#define OP(name, ...) case ir::Op::name:
#define ACCESS(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("no access to an element");
}

AccessPlan Access::plan(const Inst& inst, const Mask& mask, bool unclamped) {
  return planner_.plan(inst, addresses_.of(inst, unclamped), mask);
}

// emit(plan) for gangs in which no index is clamped, negative or wraps, and for others, each in a
// branch of its own.
template <class Emit>
auto Access::in_two_versions(const Inst& inst, Value* unclamped, const Mask& mask, Emit&& emit) {
  std::string how = "if no index is negative or clamped: ";
  return emit_branch(
      c_.b, unclamped,
      [&] {
        const AccessPlan version = plan(inst, mask, /*unclamped=*/true);
        how += describe(version) + ", else ";
        return emit(version);
      },
      [&] {
        const AccessPlan version = plan(inst, mask);
        c_.notes.add(inst, mask, how + describe(version));
        return emit(version);
      },
      "unclamped_index", "any_index");
}

// emit(plan, mask) where the plan's condition holds; where not, of the plan for that.
template <class Emit>
auto Access::in_branches(const AccessPlan& plan, const Mask& mask, Emit&& emit)
    -> decltype(emit(plan, mask)) {
  if (plan.when == If::Always) return emit(plan, mask);
  return emit_branch(
      c_.b, holds(plan, mask), [&] { return emit(plan, Mask::all_lanes()); },
      [&] { return in_branches(plan.otherwise.front(), mask, emit); });
}

// The offsets of the lanes, for a gather or a scatter.
Offsets Access::offsets_of(const Address& address) {
  if (address.offsets.numbers) return address.offsets;
  if (address.is_linear()) return memory_->consecutive(address.element);
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
  const ScalarKind kind = inst.type.scalar(), held = values_.held_kind(inst);
  std::optional<uint64_t> packed;
  auto in_register = [&](Value* x) {
    if (packed) x = unpacked(x, inst, *packed);
    if (is_bool(kind)) x = c_.b.CreateICmpNE(x, llvm::Constant::getNullValue(x->getType()));
    return values_.resize(x, kind, held);
  };
  if (Value* unclamped = addresses_.may_be_unclamped(inst)) {
    Value* lanes = in_two_versions(inst, unclamped, mask, [&](const AccessPlan& version) {
      packed = version.address.packed;
      return load_lanes(version, mask);
    });
    return values_.define_vector(inst, held, in_register(lanes));
  }
  AccessPlan loading = plan(inst, mask);
  const Address& address = loading.address;
  packed = address.packed;
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

Value* Access::load_lanes(const AccessPlan& plan, const Mask& mask) {
  return in_branches(plan, mask, [&](const AccessPlan& here, const Mask& on) -> Value* {
    const Address& p = here.address;
    switch (here.how) {
      case How::RepeatedRow:
        return load_row_once(p);
      case How::OneARow:
        return load_one_a_row(p);
      case How::Run:
        return memory_->load(p.element, p.pointer, on);
      case How::BlendedRun: {
        Value* whole = memory_->load(p.element, p.pointer, {});
        return c_.b.CreateSelect(c_.masks.lanes(on), whole,
                                 llvm::Constant::getNullValue(whole->getType()));
      }
      case How::Window:
        return memory_->load_window(p.element, *here.window, p.pointer);
      case How::Records:
        return memory_->load_window(
            p.element, *here.window,
            c_.b.CreateConstGEP1_64(c_.b.getInt8Ty(), p.pointer, -static_cast<uint64_t>(p.into)));
      case How::Rows:
        return memory_->load_rows(p.element, p.pieces(c_.b), on);
      case How::EachElement:
        return memory_->load_each(p.element, p.pointer, offsets_of(p));
      case How::Gather:
        return memory_->gather(p.element, p.pointer, offsets_of(p), on);
      case How::LaneByLane:
        return memory_->load_scalarized(p.element, p.pointer, offsets_of(p), on);
      case How::OneAddress:
      case How::Scalarized:
      case How::Scatter:
      case How::Lines:
        break;
    }
    CD_UNREACHABLE("a plan that loads no lanes");
  });
}

Value* Access::load_row_once(const Address& p) {
  Value* row = memory_->plain_load(p.element, p.period, p.pointer);
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
  if (Value* unclamped = addresses_.may_be_unclamped(inst))
    return in_two_versions(inst, unclamped, mask,
                           [&](const AccessPlan& version) { store(inst, version, mask); });
  const AccessPlan storing = plan(inst, mask);
  c_.notes.add(inst, mask, describe(storing));
  store(inst, storing, mask);
}

void Access::store(const Inst& inst, const AccessPlan& plan, const Mask& mask) {
  const Inst& value = *inst.operands.back();
  if (plan.address.kind == Lanes::Kind::Uniform) return store_one(value, plan, mask);
  Value* all = values_.vector(value, value.type.scalar());
  if (value.type.is_bool())
    all = c_.b.CreateZExt(all, with_lanes_of(all->getType(), plan.address.element.type));
  store_lanes(plan, all, mask);
}

// All lanes store to one address: the highest active lane is the last.
void Access::store_one(const Inst& value, const AccessPlan& plan, const Mask& mask) {
  const Element& element = plan.address.element;
  const bool one = values_.of(value).uniform();
  Value* stored =
      one ? values_.scalar(value, value.type.scalar()) : values_.vector(value, value.type.scalar());
  if (value.type.is_bool())
    stored = c_.b.CreateZExt(stored, with_lanes_of(stored->getType(), element.type));
  memory_->store_one(element, one ? stored : c_.masks.last_of(stored, mask), plan.address.pointer);
}

void Access::store_lanes(const AccessPlan& plan, Value* value, const Mask& mask) {
  in_branches(plan, mask, [&](const AccessPlan& here, const Mask& on) {
    const Address& p = here.address;
    switch (here.how) {
      case How::Run:
        return memory_->store(p.element, value, p.pointer, on);
      case How::BlendedRun: {
        Value* before = memory_->load(p.element, p.pointer, {});
        Value* blended = c_.b.CreateSelect(c_.masks.lanes(on), value, before);
        return memory_->store(p.element, blended, p.pointer, {});
      }
      case How::Window:
        return memory_->store_window(p.element, *here.window, value, p.pointer, on);
      case How::Rows:
        return memory_->store_rows(p.element, value, p.pieces(c_.b), on);
      case How::Scatter:
        return memory_->scatter(p.element, value, p.pointer, offsets_of(p), on);
      case How::LaneByLane:
        return memory_->store_scalarized(p.element, value, p.pointer, offsets_of(p), on);
      case How::Lines:
        c_.has_nontemporal_stores = true;
        return memory_->store_lines(p.element, value, p.pieces(c_.b));
      case How::OneAddress:
      case How::Scalarized:
      case How::RepeatedRow:
      case How::OneARow:
      case How::Gather:
      case How::Records:
      case How::EachElement:
        break;
    }
    CD_UNREACHABLE("a plan that stores no lanes");
  });
}

// i1: whether the plan's condition holds.
Value* Access::holds(const AccessPlan& plan, const Mask& mask) {
  Value* all = mask.all() ? nullptr : c_.b.CreateAndReduce(c_.masks.lanes(mask));
  if (plan.when == If::AllLanesOn) return all;
  const Address& address = plan.address;
  Value* at = c_.b.CreatePtrToInt(address.pointer, c_.b.getInt64Ty());
  if (!address.is_linear()) at = c_.b.CreateOr(at, address.s1);
  Value* begins = begins_line(at);
  return all ? c_.b.CreateAnd(begins, all) : begins;
}

Value* Access::begins_line(Value* address) {
  Value* within = c_.b.CreateAnd(address, c_.b.getInt64(kLineBytes - 1));
  return c_.b.CreateICmpEQ(within, c_.b.getInt64(0));
}

}  // namespace cuda_device::codegen::host
