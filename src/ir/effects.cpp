#include "ir/effects.h"

#include <algorithm>

#include "ir/atomic.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace cuda_device::ir {
namespace {

// Whether it holds of the instruction or of one in its regions.
template <class Holds>
bool any_of_all(const Inst& inst, const Holds& holds) {
  return holds(inst) || any_inside(inst, holds);
}

bool same_slot(const Inst& a, const Inst& b) {
  return names_slot(a.op) && names_slot(b.op) && a.imm == b.imm;
}

// Both may touch one place, and one of them in a way that the other notices.
bool conflict(const Function& f, const Inst& a, const Inst& b) {
  const std::optional<Access> x = access_of(a), y = access_of(b);
  if (!x || !y) return false;
  const bool noticed = x->writes || y->writes || (x->atomic && y->atomic);
  if (!noticed) return false;
  if (x->array) return may_touch(f, b, *x->array);
  return !y->array || may_touch(f, a, *y->array);
}

bool blocks(const Effects& a, const Effects& b) {
  if (depends_on_threads(a) && (has_effect(b) || reads(b))) return true;
  return reports(a) && (reports(b) || writes(b));
}

// A part of everything, as its identity says: each effect is some instruction's only one.
Effects effects_of_opaque(int64_t identity) {
  Effects effects = kNoEffects;
  switch (opaque_part(identity)) {
    case OpaquePart::Everything:
      return {};
    case OpaquePart::Access:
      effects.memory = Memory::ReadsWrites;
      effects.where = Where::Anywhere;
      return effects;
    case OpaquePart::Fence:
      effects.order = Order::OrdersAll;
      return effects;
    case OpaquePart::Vote:
      effects.threads = Threads::Converges;
      return effects;
    case OpaquePart::Wait:
      effects.threads = Threads::Waits;
      return effects;
    case OpaquePart::AtomicLoad:
      effects.memory = Memory::Reads;
      effects.where = Where::AtomicElement;
      return effects;
  }
  return {};
}

}  // namespace

bool neutral_vote(Op barrier) {
  switch (barrier) {
    case Op::BarrierAnd:
      return true;
    case Op::BarrierOr:
    case Op::BarrierCount:
      return false;
    case Op::Barrier:
#define OP(name, ...) case Op::name:
#define BARRIER(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("a barrier without a vote");
}

Effects effects_of(const Inst& inst) {
  if (inst.op == Op::Opaque) return effects_of_opaque(inst.imm);
  Effects effects = info(inst.op).effects;
  if (info(inst.op).imm == ImmKind::Atomic && !AtomicSpec::decoded(inst.imm)->orders())
    effects.order = Order::Unordered;
  return effects;
}

std::optional<Access> access_of(const Inst& inst) {
  const Effects effects = effects_of(inst);
  if (effects.where == Where::Nowhere) return std::nullopt;
  Access access;
  access.reads = reads(effects);
  access.writes = writes(effects);
  access.atomic = effects.where != Where::Element;
  if (effects.where == Where::Anywhere) return access;
  access.array = inst.operands[0];
  access.indices = std::span(inst.operands).subspan(1, access.array->type.ndim);
  return access;
}

bool is_plain_load(const Inst& inst) {
  const std::optional<Access> access = access_of(inst);
  return access && access->plain_read() && !has_effect(inst);
}

bool is_plain_store(const Inst& inst) {
  const std::optional<Access> access = access_of(inst);
  return access && access->plain_write() && !depends_on_threads(inst) && !reports(inst);
}

const Inst* whole_array(const Inst& array) {
  switch (array.op) {
    case Op::View:
      return whole_array(*array.operands[0]);
    case Op::Param:
    case Op::Array:
    case Op::DynamicShared:
      return &array;
    default:
      return nullptr;
  }
}

bool may_overlap(const Function& f, const Inst& a, const Inst& b) {
  if (a.type.space != b.type.space) return false;
  const Inst *x = whole_array(a), *y = whole_array(b);
  if (!x || !y) return true;
  if (x->op != y->op) return false;  // own arrays, dynamic shared memory: different memory
  if (x->imm == y->imm) return true;
  // What callers lend may be one array twice.
  const auto is_lent = [&](const Inst& own) { return f.arrays[static_cast<size_t>(own.imm)].lent; };
  if (x->op == Op::Array) return is_lent(*x) && is_lent(*y);
  const auto apart = [&](const Inst& p) {
    return p.op == Op::Param && f.params[static_cast<size_t>(p.imm)].facts.no_alias;
  };
  return !apart(*x) && !apart(*y);
}

bool may_touch(const Function& f, const Inst& inst, const Inst& array) {
  const std::optional<Access> access = access_of(inst);
  if (!access) return false;
  if (access->array) return may_overlap(f, *access->array, array);
  return array.type.space != AddressSpace::Local ||
         std::ranges::any_of(inst.operands, [&](const Inst* operand) {
           return operand->type.is_array() && may_overlap(f, *operand, array);
         });
}

bool may_change(const Function& f, const Inst& inst, const Inst& array) {
  return any_of_all(inst, [&](const Inst& i) {
    const Effects effects = effects_of(i);
    return orders(effects) || waits(effects) || (writes(effects) && may_touch(f, i, array));
  });
}

bool may_cross(const Function& f, const Inst& a, const Inst& b) {
  if (info(a.op).kind == OpKind::Control || info(b.op).kind == OpKind::Control) return false;
  if (same_slot(a, b)) return !sets_slot(a.op) && !sets_slot(b.op);
  const Effects x = effects_of(a), y = effects_of(b);
  return !blocks(x, y) && !blocks(y, x) && !conflict(f, a, b);
}

bool may_cross_all(const Function& f, const Inst& a, const Inst& b) {
  return !any_of_all(b, [&](const Inst& i) {
    if (info(i.op).kind != OpKind::Control) return !may_cross(f, a, i);
    return i.op != Op::If;
  });
}

bool has_barrier(const Block& block) {
  return any_inst(block, [](const Inst& i) { return is_barrier(i.op); });
}

bool holds_barrier(const Inst& inst) { return std::ranges::any_of(inst.regions, has_barrier); }

bool has_convergent(const Block& block) {
  return any_inst(block, [](const Inst& i) { return converges(i); });
}

bool acquires(const Function& f) {
  return any_inst(f.body, [](const Inst& i) { return effects_of(i).order == Order::OrdersAll; });
}

std::vector<bool> changing_arrays(const Function& f) {
  std::vector<bool> changing(f.params.size(), f.kernel != nullptr);  // what calls it may store
  for_each_inst(f.body, [&](const Inst& i) {
    const std::optional<Access> access = access_of(i);
    const bool changes = access && access->array && (access->writes || access->atomic);
    const Inst* array = changes ? whole_array(*access->array) : nullptr;
    if (may_change_any_array(effects_of(i)) || (changes && !array))
      changing.assign(changing.size(), true);
    else if (array && array->op == Op::Param)
      changing[static_cast<size_t>(array->imm)] = true;
  });
  return changing;
}

bool uses_warps(const Function& f) {
  return any_inst(f.body, [](const Inst& i) {
    return info(i.op).lanes == LaneRule::ByLane || (converges(i) && !is_barrier(i.op));
  });
}

}  // namespace cuda_device::ir
