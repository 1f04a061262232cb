#include "ir/effects.h"

#include <algorithm>

#include "ir/visitor.h"

namespace cuda_device::ir {
namespace {

// Of the instruction and those in its regions.
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

bool blocks(const Op a, const Op b) {
  if (hangs_on_threads(a) && (has_effect(b) || reads(b))) return true;
  return reports(a) && (reports(b) || writes(b));
}

}  // namespace

std::optional<Access> access_of(const Inst& inst) {
  const Effects& effects = info(inst.op).effects;
  if (effects.memory == Memory::Untouched) return std::nullopt;
  Access access;
  access.reads = reads(inst.op);
  access.writes = writes(inst.op);
  access.atomic = effects.where != Where::Element;
  if (effects.where == Where::Anywhere) return access;
  access.array = inst.operands[0];
  access.indices = std::span(inst.operands).subspan(1, access.array->type.ndim);
  access.bytes = static_cast<uint32_t>(bytes_of(access.array->type.scalar));
  return access;
}

bool is_plain_load(const Inst& inst) {
  const std::optional<Access> access = access_of(inst);
  return access && access->plain_read() && !has_effect(inst.op);
}

bool is_plain_store(const Inst& inst) {
  const std::optional<Access> access = access_of(inst);
  return access && access->plain_write() && !hangs_on_threads(inst.op) && !reports(inst.op);
}

const Inst& whole_array(const Inst& array) {
  return array.op == Op::View ? whole_array(*array.operands[0]) : array;
}

bool may_overlap(const Function& f, const Inst& a, const Inst& b) {
  if (a.type.space != b.type.space) return false;
  const Inst &x = whole_array(a), &y = whole_array(b);
  if (x.op != y.op) return false;  // own arrays, dynamic shared memory: different memory
  if (x.imm == y.imm || x.op == Op::Array) return x.imm == y.imm;
  const auto apart = [&](const Inst& p) {
    return p.op == Op::Param && f.params[static_cast<size_t>(p.imm)].facts.no_alias;
  };
  return !apart(x) && !apart(y);
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
    return orders(i.op) || waits(i.op) || (writes(i.op) && may_touch(f, i, array));
  });
}

bool may_cross(const Function& f, const Inst& a, const Inst& b) {
  if (info(a.op).kind == OpKind::Control || info(b.op).kind == OpKind::Control) return false;
  if (same_slot(a, b)) return !sets_slot(a.op) && !sets_slot(b.op);
  return !blocks(a.op, b.op) && !blocks(b.op, a.op) && !conflict(f, a, b);
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
  return any_inst(block, [](const Inst& i) { return converges(i.op); });
}

bool acquires(const Function& f) {
  return any_inst(f.body,
                  [](const Inst& i) { return info(i.op).effects.order == Order::OrdersAll; });
}

std::vector<bool> changing_arrays(const Function& f) {
  std::vector<bool> changing(f.params.size());
  for_each_inst(f.body, [&](const Inst& i) {
    if (may_change_any_array(info(i.op).effects)) {
      changing.assign(changing.size(), true);
      return;
    }
    const std::optional<Access> access = access_of(i);
    if (!access || !access->writes) return;
    const Inst& array = whole_array(*access->array);
    if (array.op == Op::Param) changing[static_cast<size_t>(array.imm)] = true;
  });
  return changing;
}

bool uses_warps(const Function& f) {
  return any_inst(f.body, [](const Inst& i) {
    return i.op == Op::LaneId || (converges(i.op) && !is_barrier(i.op));
  });
}

}  // namespace cuda_device::ir
