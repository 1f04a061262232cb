// Atomic operations of a gang. Lanes take turns, from the lowest, so that those that collide see
// each other's values as threads that run one after the other do. Where all of them meet at one
// address, one locked instruction does for all: integers are combined first, and lanes get what
// they would have found by a prefix sum; floats and exchanges go from lane to lane in a register.
// Where many of them meet at the first one's address (nine in ten of a skewed histogram), those are
// combined, and the others take turns.
#include "codegen/host/control/emit_branch.h"
#include "codegen/host/memory/access.h"
#include "codegen/host/memory/atomic_element.h"
#include "ir/effects.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using ir::AtomicKind;
using ir::AtomicSpec;
using ir::Inst;
using ir::Op;
using llvm::Value;

namespace {

// The value operands: those after the indices.
std::span<Inst* const> values_of(const Inst& inst) {
  return std::span(inst.operands).subspan(1 + inst.operands[0]->type.ndim);
}

// Leaves any value as it is.
int64_t neutral(AtomicKind kind, ScalarKind element) {
  const auto bits = static_cast<unsigned>(bits_of(element));
  const int64_t lowest = is_signed_int(element) ? INT64_MIN >> (64 - bits) : 0;
  switch (kind) {
    case AtomicKind::And:
      return -1;
    case AtomicKind::Max:
    case AtomicKind::NanMax:
      return lowest;
    case AtomicKind::Min:
    case AtomicKind::NanMin:
      return ~lowest;
    default:
      return 0;
  }
}

// What joins operands of several lanes to one.
AtomicKind joins(AtomicKind kind) { return kind == AtomicKind::Sub ? AtomicKind::Add : kind; }

}  // namespace

// No other thread accesses the element meanwhile.
bool Access::is_alone(const Inst& inst) const {
  const AtomicSpec spec = *AtomicSpec::decoded(inst.imm);
  return in_table_ || !spec.concurrent() ||
         inst.operands[0]->type.space == ir::AddressSpace::Shared;
}

void Access::note_atomic(const Inst& inst, const Mask& mask, const char* how) {
  c_.notes.add(inst, mask, (in_table_ ? "in a table of the worker: " : "") + std::string(how));
}

// In the worker's table where it has one, which takes no locked instruction; else in the array.
void Access::atomic(const Inst& inst, const Mask& mask) {
  const Address address = addresses_.of(inst);
  Value* in_table = arrays_.in_table(*inst.operands[0]);
  if (!in_table) return atomic(inst, address, mask);
  const auto emit = [&](bool table) {
    in_table_ = table;
    atomic(inst, address, mask);
    in_table_ = false;
  };
  emit_branch(c_.b, in_table, [&] { emit(true); }, [&] { emit(false); }, "in_table", "in_array");
}

void Access::atomic(const Inst& inst, const Address& address, const Mask& mask) {
  if (address.kind != Lanes::Kind::Uniform) return atomic_by_lanes(inst, address, mask);
  if (inst.op == Op::AtomicLoad) return atomic_load_one(inst, address);
  if (inst.op != Op::AtomicRmw) return atomic_by_lanes(inst, address, mask);
  const bool combines = is_int(inst.operands[0]->type.scalar()) &&
                        AtomicSpec::decoded(inst.imm)->kind != AtomicKind::Exch;
  return combines ? atomic_combined(inst, address, mask)
                  : atomic_in_lane_order(inst, address, mask);
}

void Access::define_results(const Inst& inst, Value* lanes) {
  if (!is_used(inst)) return;
  const ScalarKind kind = inst.type.scalar(), held = values_.held_kind(inst);
  values_.define_vector(inst, held, values_.resize(lanes, kind, held));
}

void Access::atomic_load_one(const Inst& inst, const Address& address) {
  const ScalarKind kind = inst.type.scalar();
  AtomicElement element(c_.b, c_.arithmetic, *AtomicSpec::decoded(inst.imm), kind, is_alone(inst));
  Value* one = element.load(address.element.type, address.pointer);
  note_atomic(inst, {}, "one atomic load for all lanes");
  define_results(inst, c_.b.CreateVectorSplat(c_.width(), one));
}

namespace {

// Memory for one number a lane.
class LanesInMemory {
 public:
  LanesInMemory(EmitContext& c, llvm::Type* element, unsigned number)
      : b_(c.b),
        element_(element),
        vector_(llvm::FixedVectorType::get(element, c.width())),
        place_(c.masks.scratch(vector_, number)) {}
  LanesInMemory& holding(Value* vector) {
    b_.CreateStore(vector, place_);
    return *this;
  }
  Value* of(Value* lane) { return b_.CreateLoad(element_, at(lane)); }
  void set(Value* lane, Value* value) { b_.CreateStore(value, at(lane)); }
  Value* all() { return b_.CreateLoad(vector_, place_); }
  llvm::Constant* zero() const { return llvm::Constant::getNullValue(vector_); }

 private:
  Value* at(Value* lane) { return b_.CreateGEP(element_, place_, lane); }

  llvm::IRBuilder<>& b_;
  llvm::Type* element_;
  llvm::FixedVectorType* vector_;
  llvm::AllocaInst* place_;
};

// Two int64 as the 16 bytes that hold them.
Value* as_one_integer(llvm::IRBuilder<>& b, Value* first, Value* second) {
  llvm::Type* both = b.getInt128Ty();
  return b.CreateOr(b.CreateZExt(first, both), b.CreateShl(b.CreateZExt(second, both), 64));
}

}  // namespace

// What the operation needs of each lane, in memory: where its element lies, and its operands. Those
// that all lanes share stay in a register.
class Access::LaneOperands {
 public:
  LaneOperands(EmitContext& c, LaneValues& values, const Inst& inst, ScalarKind kind,
               Value* pointer, const std::optional<Offsets>& offsets)
      : c_(c), values_(values), kind_(kind), pointer_(pointer) {
    for (const Inst* value : values_of(inst)) add(*value);
    if (!offsets) return;
    scale_ = offsets->scale;
    offsets_.emplace(c_, offsets->numbers->getType()->getScalarType(), kOffsets);
    offsets_->holding(offsets->numbers);
  }

  // The offset of its element from the pointer of all.
  Value* offset(Value* lane) { return offsets_->of(lane); }
  Value* pointer(Value* lane) {
    if (!offsets_) return pointer_;
    Value* number = c_.b.CreateSExt(offset(lane), c_.b.getInt64Ty());
    return c_.b.CreateGEP(c_.b.getInt8Ty(), pointer_,
                          c_.b.CreateMul(number, c_.b.getInt64(scale_)));
  }
  Value* value(size_t i, Value* lane) {
    return given_[i].shared ? given_[i].shared : given_[i].each->of(lane);
  }

 private:
  void add(const Inst& value) {
    Operand operand;
    if (values_.of(value).uniform()) {
      operand.shared = values_.scalar(value, kind_);
    } else {
      operand.each.emplace(c_, c_.scalar_type(kind_),
                           kValues + static_cast<unsigned>(given_.size()));
      operand.each->holding(values_.vector(value, kind_));
    }
    given_.push_back(std::move(operand));
  }

  static constexpr unsigned kOffsets = 2, kValues = 3;
  struct Operand {
    Value* shared = nullptr;
    std::optional<LanesInMemory> each;
  };
  EmitContext& c_;
  LaneValues& values_;
  const ScalarKind kind_;
  Value* const pointer_;
  std::optional<LanesInMemory> offsets_;
  unsigned scale_ = 1;
  llvm::SmallVector<Operand, 2> given_;
};

namespace {

constexpr unsigned kResults = 6;  // after the numbers of LaneOperands

// What several lanes do together that each give the same operand; null where that is unknown.
Value* together(llvm::IRBuilder<>& b, AtomicKind kind, Value* operand, Value* lanes) {
  switch (kind) {
    case AtomicKind::Add:
    case AtomicKind::Sub:
      return b.CreateMul(operand, b.CreateZExtOrTrunc(lanes, operand->getType()));
    case AtomicKind::And:
    case AtomicKind::Or:
    case AtomicKind::Max:
    case AtomicKind::Min:
    case AtomicKind::NanMax:
    case AtomicKind::NanMin:
      return operand;
    case AtomicKind::Xor:
    case AtomicKind::Exch:
      return nullptr;
  }
  CD_UNREACHABLE("unknown kind of atomic operation");
}

}  // namespace

// Whether lanes may be looked at for those that meet: integers, all of them the same, and nobody
// asks what was there.
bool Access::may_collide(const Inst& inst) {
  if (inst.op != Op::AtomicRmw || is_used(inst) || !c_.uses(Heuristic::combine_collisions))
    return false;
  const AtomicKind kind = AtomicSpec::decoded(inst.imm)->kind;
  return is_int(inst.operands[0]->type.scalar()) && kind != AtomicKind::Xor &&
         kind != AtomicKind::Exch && values_.of(*values_of(inst)[0]).uniform();
}

// each_lane(mask); but lanes at the address of the first one are done at once where they are a
// quarter of the gang, which is worth a branch.
void Access::atomic_colliding(const Inst& inst, LaneOperands& operands, const Offsets& offsets,
                              const Mask& mask, llvm::function_ref<void(const Mask&)> each_lane) {
  llvm::IRBuilder<>& b = c_.b;
  const AtomicSpec spec = *AtomicSpec::decoded(inst.imm);
  const ScalarKind kind = inst.operands[0]->type.scalar();
  Value* first = b.getInt64(0);
  if (!mask.all()) {  // without a lane, any lane will do
    Value* lowest = c_.masks.first_lane(c_.masks.bits(mask));
    first = b.CreateURem(b.CreateZExtOrTrunc(lowest, b.getInt64Ty()), b.getInt64(c_.width()));
  }
  Value* wanted = b.CreateVectorSplat(c_.width(), operands.offset(first));
  Value* same = b.CreateICmpEQ(offsets.numbers, wanted);
  if (!mask.all()) same = b.CreateAnd(mask.lanes, same);
  Value* count = b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop,
                                        b.CreateBitCast(same, b.getIntNTy(c_.width())));
  Value* many = b.CreateICmpUGE(count, llvm::ConstantInt::get(count->getType(), c_.width() / 4));
  emit_branch(
      b, many,
      [&] {
        AtomicElement element(b, c_.arithmetic, spec, kind, is_alone(inst));
        element.rmw(together(b, spec.kind, operands.value(0, first), count),
                    operands.pointer(first));
        each_lane(c_.masks.without(mask, same));
      },
      [&] { each_lane(mask); }, "collide", "apart");
}

// Places in memory that atomic operations will change one after the other, each of which waits for
// what was read before it: their lines come side by side meanwhile.
void Access::prefetch(const Inst& inst, const Mask& mask) {
  const Address address = addresses_.of(inst);
  std::optional<Offsets> offsets;
  if (address.kind != Lanes::Kind::Uniform) offsets = offsets_of(address);
  LaneOperands operands(c_, values_, inst, inst.operands[0]->type.scalar(), address.pointer,
                        offsets);
  const auto each = [&](Value* lane) {
    Value* pointer = operands.pointer(c_.b.CreateZExtOrTrunc(lane, c_.b.getInt64Ty()));
    llvm::Value* for_writing = c_.b.getInt32(1);
    c_.b.CreateIntrinsic(llvm::Intrinsic::prefetch, {pointer->getType()},
                         {pointer, for_writing, c_.b.getInt32(3), c_.b.getInt32(1)});
  };
  c_.notes.add(inst, mask, "lane after lane");
  if (offsets)
    c_.masks.for_each_lane(mask, each, c_.width());
  else
    each(c_.b.getInt32(0));
}

void Access::atomic_by_lanes(const Inst& inst, const Address& address, const Mask& mask) {
  const bool pair = inst.op == Op::AtomicLoadPair || inst.op == Op::AtomicStorePair;
  const ScalarKind kind = pair ? ScalarKind::I64 : inst.operands[0]->type.scalar();
  AtomicElement element(c_.b, c_.arithmetic, *AtomicSpec::decoded(inst.imm), kind, is_alone(inst));
  std::optional<Offsets> offsets;
  if (address.kind != Lanes::Kind::Uniform) offsets = offsets_of(address);
  LaneOperands operands(c_, values_, inst, kind, address.pointer, offsets);
  std::optional<LanesInMemory> results, second;
  if (!inst.type.is_none()) {
    results.emplace(c_, c_.scalar_type(kind), kResults);
    results->holding(results->zero());
    if (pair) second.emplace(c_, c_.scalar_type(kind), kResults + 1).holding(results->zero());
  }
  const auto each = [&](Value* lane) {
    Value* at = c_.b.CreateZExtOrTrunc(lane, c_.b.getInt64Ty());
    Value* pointer = operands.pointer(at);
    switch (inst.op) {
      case Op::AtomicLoad:
        return results->set(at, element.load(c_.scalar_type(kind), pointer));
      case Op::AtomicStore:
        return element.store(operands.value(0, at), pointer);
      case Op::AtomicRmw:
        return results->set(at, element.rmw(operands.value(0, at), pointer));
      case Op::AtomicCas:
        return results->set(
            at, element.compare_and_swap(operands.value(0, at), operands.value(1, at), pointer));
      case Op::AtomicLoadPair: {
        Value* both = element.load(c_.b.getInt128Ty(), pointer);
        results->set(at, c_.b.CreateTrunc(both, c_.b.getInt64Ty()));
        return second->set(at, c_.b.CreateTrunc(c_.b.CreateLShr(both, 64), c_.b.getInt64Ty()));
      }
      case Op::AtomicStorePair:
        return element.store(as_one_integer(c_.b, operands.value(0, at), operands.value(1, at)),
                             pointer);
#define OP(name, ...) case Op::name:
#define ATOMIC(...)
#include "ir/op.def"
        break;
    }
    CD_UNREACHABLE("no atomic operation");
  };
  // Code beside a locked instruction takes no time.
  const auto each_lane = [&](const Mask& lanes) {
    c_.masks.for_each_lane(lanes, each, is_alone(inst) ? 8 : 1);
  };
  const bool combines = offsets && may_collide(inst);
  note_atomic(inst, mask,
              combines ? "atomic, lane after lane, those at the first one's address at once"
                       : "atomic, lane after lane");
  if (combines)
    atomic_colliding(inst, operands, *offsets, mask, each_lane);
  else
    each_lane(mask);
  if (second) second_[&inst] = second->all();
  if (results) define_results(inst, results->all());
}

// ---------------------------------------------------------------------- all lanes at one address

bool Access::is_used(const Inst& inst) {
  if (used_.empty()) {
    used_.resize(c_.source.function.inst_count());
    ir::for_each_inst(c_.source.function.body, [&](const Inst& user) {
      for (const Inst* operand : user.operands) used_[operand->id] = true;
    });
  }
  return used_[inst.id];
}

// The vector moved up by some lanes; the lowest get `filler`.
static Value* moved_up(llvm::IRBuilder<>& b, Value* vector, Value* filler, unsigned by) {
  const unsigned width = lanes_of(vector->getType());
  llvm::SmallVector<int, kMostLanes> lanes;
  for (unsigned lane = 0; lane < width; ++lane)
    lanes.push_back(static_cast<int>(lane < by ? width + lane : lane - by));
  return b.CreateShuffleVector(vector, filler, lanes);
}

// Floats round at each step, so they are not combined: the lanes' operands are taken one after the
// other, as threads do that nobody comes between, and one compare-and-swap stores what is left.
void Access::atomic_in_lane_order(const Inst& inst, const Address& address, const Mask& mask) {
  const ScalarKind kind = inst.type.scalar();
  llvm::Type* type = c_.scalar_type(kind);
  AtomicElement element(c_.b, c_.arithmetic, *AtomicSpec::decoded(inst.imm), kind, is_alone(inst));
  constexpr unsigned kValues = 3, kResults = 6;
  LanesInMemory given(c_, type, kValues), results(c_, type, kResults);
  given.holding(values_.vector(*values_of(inst)[0], kind));
  results.holding(results.zero());
  const bool used = is_used(inst);
  llvm::AllocaInst* value = c_.masks.variable(type, "element");
  element.change(type, address.pointer, [&](Value* old) -> Value* {
    c_.b.CreateStore(old, value);
    c_.masks.for_each_lane(mask, [&](Value* lane) {
      Value* at = c_.b.CreateZExtOrTrunc(lane, c_.b.getInt64Ty());
      Value* before = c_.b.CreateLoad(type, value);
      if (used) results.set(at, before);
      c_.b.CreateStore(element.after(before, given.of(at)), value);
    });
    return c_.b.CreateLoad(type, value);
  });
  note_atomic(inst, mask, "one atomic operation, lanes in their order");
  define_results(inst, results.all());
}

void Access::atomic_combined(const Inst& inst, const Address& address, const Mask& mask) {
  const AtomicSpec spec = *AtomicSpec::decoded(inst.imm);
  const ScalarKind kind = inst.type.scalar();
  AtomicSpec join = spec;
  join.kind = joins(spec.kind);
  AtomicElement element(c_.b, c_.arithmetic, spec, kind, is_alone(inst));
  AtomicElement joining(c_.b, c_.arithmetic, join, kind, true);
  Value* filler = c_.b.CreateVectorSplat(c_.width(), c_.integer(kind, neutral(spec.kind, kind)));
  Value* given = values_.vector(*values_of(inst)[0], kind);
  if (!mask.all()) given = c_.b.CreateSelect(c_.masks.lanes(mask), given, filler);
  // Lane by lane, what it and all lanes below it give.
  Value* sums = given;
  for (unsigned by = 1; by < c_.width(); by *= 2)
    sums = joining.after(moved_up(c_.b, sums, filler, by), sums);
  Value* total = c_.b.CreateExtractElement(sums, uint64_t{c_.width() - 1});
  Value* old = element.rmw(total, address.pointer);
  const bool used = is_used(inst);
  note_atomic(inst, mask,
              used ? "one atomic operation, lanes by a prefix" : "one atomic operation");
  if (!used) return define_results(inst, filler);
  Value* before = c_.b.CreateVectorSplat(c_.width(), old);
  define_results(inst, element.after(before, moved_up(c_.b, sums, filler, 1)));
}

// ------------------------------------------------------------------------------------------------

void Access::emit_second(const Inst& inst) {
  values_.define_vector(inst, ScalarKind::I64, second_.at(inst.operands[0]));
}

void Access::emit_fence(const Inst& inst) {
  const AtomicSpec spec = *AtomicSpec::decoded(inst.imm);
  if (spec.orders()) c_.b.CreateFence(AtomicElement::ordering(spec.order));
}

}  // namespace cuda_device::codegen::host
