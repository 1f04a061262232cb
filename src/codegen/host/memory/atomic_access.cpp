// Atomic operations of a gang. Lanes take turns, from the lowest, so that those that collide see
// each other's values as threads that run one after the other do. Where all of them meet at one
// address, one locked instruction does for all: integers are combined first, and lanes get what
// they would have found by a prefix sum; floats and exchanges go from lane to lane in a register.
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

bool is_alone(const Inst& inst) {
  const AtomicSpec spec = *AtomicSpec::decoded(inst.imm);
  return !spec.concurrent() || inst.operands[0]->type.space == ir::AddressSpace::Shared;
}

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

void Access::atomic(const Inst& inst, const Mask& mask) {
  const Address address = addresses_.of(inst);
  if (address.kind != Lanes::Kind::Uniform) return atomic_by_lanes(inst, address, mask);
  if (inst.op == Op::AtomicLoad) return atomic_load_one(inst, address);
  if (inst.op != Op::AtomicRmw) return atomic_by_lanes(inst, address, mask);
  const bool combines = is_int(inst.operands[0]->type.scalar()) &&
                        AtomicSpec::decoded(inst.imm)->kind != AtomicKind::Exch;
  return combines ? atomic_combined(inst, address, mask)
                  : atomic_in_lane_order(inst, address, mask);
}

void Access::define_results(const Inst& inst, Value* lanes) {
  const ScalarKind kind = inst.type.scalar(), held = values_.held_kind(inst);
  values_.define_vector(inst, held, values_.resize(lanes, kind, held));
}

void Access::atomic_load_one(const Inst& inst, const Address& address) {
  const ScalarKind kind = inst.type.scalar();
  AtomicElement element(c_.b, c_.arithmetic, *AtomicSpec::decoded(inst.imm), kind, is_alone(inst));
  Value* one = element.load(address.element.type, address.pointer);
  c_.notes.add(inst, {}, "one atomic load for all lanes");
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
Value* joined(llvm::IRBuilder<>& b, Value* first, Value* second) {
  llvm::Type* both = b.getInt128Ty();
  return b.CreateOr(b.CreateZExt(first, both), b.CreateShl(b.CreateZExt(second, both), 64));
}

}  // namespace

void Access::atomic_by_lanes(const Inst& inst, const Address& address, const Mask& mask) {
  const bool pair = inst.op == Op::AtomicLoadPair || inst.op == Op::AtomicStorePair;
  const ScalarKind kind = pair ? ScalarKind::I64 : inst.operands[0]->type.scalar();
  AtomicElement element(c_.b, c_.arithmetic, *AtomicSpec::decoded(inst.imm), kind, is_alone(inst));
  c_.notes.add(inst, mask, "atomic, lane after lane");
  const bool one_place = address.kind == Lanes::Kind::Uniform;
  constexpr unsigned kOffsets = 2, kValues = 3, kResults = 6;
  std::optional<LanesInMemory> offsets;
  unsigned scale = 1;
  if (!one_place) {
    const Offsets bytes = offsets_of(address);
    offsets.emplace(c_, bytes.numbers->getType()->getScalarType(), kOffsets);
    offsets->holding(bytes.numbers);
    scale = bytes.scale;
  }
  llvm::SmallVector<LanesInMemory, 2> given;
  for (const Inst* value : values_of(inst)) {
    given.emplace_back(c_, c_.scalar_type(kind), kValues + static_cast<unsigned>(given.size()));
    given.back().holding(values_.vector(*value, kind));
  }
  std::optional<LanesInMemory> results, second;
  if (!inst.type.is_none()) {
    results.emplace(c_, c_.scalar_type(kind), kResults);
    results->holding(results->zero());
    if (pair) second.emplace(c_, c_.scalar_type(kind), kResults + 1).holding(results->zero());
  }
  c_.masks.for_each_lane(mask, [&](Value* lane) {
    Value* at = c_.b.CreateZExtOrTrunc(lane, c_.b.getInt64Ty());
    Value* pointer = address.pointer;
    if (offsets) {
      Value* bytes =
          c_.b.CreateMul(c_.b.CreateSExt(offsets->of(at), c_.b.getInt64Ty()), c_.b.getInt64(scale));
      pointer = c_.b.CreateGEP(c_.b.getInt8Ty(), pointer, bytes);
    }
    switch (inst.op) {
      case Op::AtomicLoad:
        return results->set(at, element.load(c_.scalar_type(kind), pointer));
      case Op::AtomicStore:
        return element.store(given[0].of(at), pointer);
      case Op::AtomicRmw:
        return results->set(at, element.rmw(given[0].of(at), pointer));
      case Op::AtomicCas:
        return results->set(at,
                            element.compare_and_swap(given[0].of(at), given[1].of(at), pointer));
      case Op::AtomicLoadPair: {
        Value* both = element.load(c_.b.getInt128Ty(), pointer);
        results->set(at, c_.b.CreateTrunc(both, c_.b.getInt64Ty()));
        return second->set(at, c_.b.CreateTrunc(c_.b.CreateLShr(both, 64), c_.b.getInt64Ty()));
      }
      case Op::AtomicStorePair:
        return element.store(joined(c_.b, given[0].of(at), given[1].of(at)), pointer);
      default:
        CD_UNREACHABLE("no atomic operation");
    }
  });
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
  c_.notes.add(inst, mask, "one atomic operation, lanes in their order");
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
  c_.notes.add(inst, mask,
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
