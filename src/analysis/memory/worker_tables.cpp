#include "analysis/memory/worker_tables.h"

#include <optional>

#include "analysis/tree.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::AtomicKind;
using ir::AtomicSpec;
using ir::Inst;
using ir::MemoryOrder;
using ir::Op;
using ir::ThreadScope;

// What joins what two workers have made of one element; nothing: the order of such operations
// matters.
std::optional<AtomicKind> merge_of(AtomicKind kind) {
  switch (kind) {
    case AtomicKind::Add:
    case AtomicKind::Sub:
      return AtomicKind::Add;
    case AtomicKind::And:
    case AtomicKind::Or:
    case AtomicKind::Xor:
      return kind;
    case AtomicKind::Max:
    case AtomicKind::NanMax:
      return AtomicKind::Max;
    case AtomicKind::Min:
    case AtomicKind::NanMin:
      return AtomicKind::Min;
    case AtomicKind::Exch:
      return std::nullopt;
  }
  CD_UNREACHABLE("unknown kind of atomic operation");
}

std::optional<AtomicSpec> spec_of(const Inst& i) {
  if (ir::info(i.op).imm != ir::ImmKind::Atomic) return std::nullopt;
  return AtomicSpec::decoded(i.imm);
}

class WorkerTableFinder {
 public:
  explicit WorkerTableFinder(const ir::Function& f)
      : f_(f), used_(f.inst_count()), params_(f.params.size()) {
    ir::for_each_inst(f.body, [&](const Inst& user) {
      for (const Inst* operand : user.operands) used_[operand->id] = true;
    });
  }

  std::vector<WorkerTable> run() {
    std::vector<WorkerTable> found;
    if (f_.kernel || ir::any_inst(f_.body, [&](const Inst& i) { return involves_others(i); }))
      return found;
    ir::for_each_inst(f_.body, [&](const Inst& i) { note(i); });
    for (uint32_t i = 0; i < params_.size(); ++i)
      if (params_[i].table && !params_[i].touched) found.push_back(*params_[i].table);
    return found;
  }

 private:
  struct Param {
    std::optional<WorkerTable> table;
    bool touched = false;  // in another way
  };

  // Somebody outside of the kernel may wait for an update, or rely on one.
  bool involves_others(const Inst& i) const {
    const ir::Effects effects = ir::effects_of(i);
    if (ir::waits(effects) && !ir::is_barrier(i.op)) return true;
    if (effects.order == ir::Order::OrdersAll && !stays_in_block(i)) return true;
    const std::optional<ir::Access> access = ir::access_of(i);
    if (access && (!access->array || !ir::whole_array(*access->array))) return true;
    return is_loop(i) && ir::any_inside(i, [&](const Inst& inside) { return looks(inside); });
  }

  static bool stays_in_block(const Inst& i) {
    const std::optional<AtomicSpec> spec = spec_of(i);
    return spec && spec->scope <= ThreadScope::Block;
  }

  // At what threads outside of the kernel may write meanwhile.
  bool looks(const Inst& i) const {
    const std::optional<ir::Access> access = ir::access_of(i);
    return access && access->array && access->atomic && access->reads && used_[i.id] &&
           access->array->type.space == ir::AddressSpace::Global;
  }

  std::optional<WorkerTable> table_for(const Inst& i, uint32_t param) const {
    const ArrayFacts& facts = f_.params[param].facts;
    if (i.op != Op::AtomicRmw || used_[i.id] || !facts.no_alias || !facts.element_aligned)
      return std::nullopt;
    const AtomicSpec spec = *spec_of(i);
    const ScalarKind element = i.operands[0]->type.scalar();
    const std::optional<AtomicKind> merge = merge_of(spec.kind);
    if (spec.order != MemoryOrder::Relaxed || spec.scope > ThreadScope::Device || !merge ||
        !is_int(element) || bits_of(element) < 32)
      return std::nullopt;
    return WorkerTable{param, *merge, element};
  }

  void note(const Inst& i) {
    const std::optional<ir::Access> access = ir::access_of(i);
    if (!access) return;
    const Inst& array = *ir::whole_array(*access->array);
    if (array.op != Op::Param) return;
    const auto number = static_cast<uint32_t>(array.imm);
    Param& param = params_[number];
    const std::optional<WorkerTable> table = table_for(i, number);
    param.touched = param.touched || !table || (param.table && *param.table != *table);
    param.table = table;
  }

  const ir::Function& f_;
  std::vector<bool> used_;  // by Inst::id
  std::vector<Param> params_;
};

}  // namespace

std::vector<WorkerTable> find_worker_tables(const ir::Function& f) {
  return WorkerTableFinder(f).run();
}

}  // namespace cuda_device::analysis
