#include "passes/barriers/spill_across_barriers.h"

#include <map>

#include "analysis/blocks/block_level.h"
#include "ir/effects.h"
#include "ir/visitor.h"
#include "passes/barriers/count_trips.h"
#include "support/check.h"

namespace cuda_device::passes {
namespace {

using analysis::BlockLevel;
using analysis::Region;
using ir::Block;
using ir::Inst;
using ir::Op;

// Operations that a copy of a value may take.
constexpr int kMostOperations = 6;

// Numbers the regions: instructions of one number are run together by every thread.
class Regions {
 public:
  Regions(const ir::Function& f, const BlockLevel& level) : numbers_(f.inst_count()) {
    enter(f.body, level);
  }
  static constexpr uint32_t kBlockLevel = 0;
  uint32_t of(const Inst& i) const {
    CD_CHECK(i.id < numbers_.size(), "a copy has no region of its own");
    return numbers_[i.id];
  }

 private:
  void enter(const Block& block, const BlockLevel& level) {
    for_each_part(
        block, level,
        [&](const Region& r) {
          ++last_;
          for (size_t i = r.first; i < r.last; ++i) number(*block.insts[i]);
        },
        [&](const Inst& inst) {
          for (const Block& inside : inst.regions) enter(inside, level);
        });
  }

  void number(const Inst& inst) {
    numbers_[inst.id] = last_;
    ir::for_each_inside(inst, [&](const Inst& i) { numbers_[i.id] = last_; });
  }

  std::vector<uint32_t> numbers_;
  uint32_t last_ = kBlockLevel;
};

class Spiller {
 public:
  Spiller(ir::Function& f, const BlockLevel& level) : f_(f), level_(level), regions_(f, level) {}

  void run() {
    block(f_.body);
    insert_stores(f_.body);
  }

 private:
  // Values as one region has them.
  struct Imports {
    uint32_t region;
    std::vector<Inst*> at_start;  // to be inserted before the region
    std::map<const Inst*, Inst*> copies;
  };

  void block(Block& b) {
    std::vector<Inst*> rebuilt;
    for_each_part(
        b, level_, [&](const Region& r) { region(b, r, rebuilt); },
        [&](const Inst& i) { block_level(const_cast<Inst&>(i), rebuilt); });
    if (!b.insts.empty() && b.insts.back()->op == Op::Yield) {
      reload_operands(*b.insts.back(), rebuilt);
      rebuilt.push_back(b.insts.back());
    }
    b.insts = std::move(rebuilt);
  }

  void region(const Block& b, const Region& r, std::vector<Inst*>& rebuilt) {
    Imports imports{regions_.of(*b.insts[r.first]), {}, {}};
    for (size_t i = r.first; i < r.last; ++i) take_over(*b.insts[i], imports);
    rebuilt.insert(rebuilt.end(), imports.at_start.begin(), imports.at_start.end());
    for (size_t i = r.first; i < r.last; ++i) rebuilt.push_back(b.insts[i]);
  }

  void take_over(Inst& inst, Imports& imports) {
    for (Inst*& operand : inst.operands) operand = here(operand, imports);
    for (Block& inside : inst.regions)
      for (Inst* i : inside.insts) take_over(*i, imports);
  }

  // Whether the region can use the value as it is. That of a barrier is the same everywhere.
  bool reaches(const Inst& value, const Imports& imports) const {
    const uint32_t region = regions_.of(value);
    return region == imports.region || (region == Regions::kBlockLevel && level_.contains(value));
  }

  // Operands of instructions that were taken over already are the copies of their region.
  Inst* here(Inst* value, Imports& imports) {
    if (const auto found = originals_.find(value); found != originals_.end()) value = found->second;
    if (reaches(*value, imports) || value->op == Op::Const) return value;
    Inst*& copy = imports.copies[value];
    if (!copy) {
      copy = is_cheap(*value) ? clone(*value, imports) : reload(*value, imports);
      originals_[copy] = value;
    }
    return copy;
  }

  Inst* clone(const Inst& value, Imports& imports) {
    std::vector<Inst*> operands = value.operands;
    for (Inst*& operand : operands) operand = here(operand, imports);
    Inst* copy = f_.create(value.op, value.type, value.span);
    copy->imm = value.imm;
    copy->operands = std::move(operands);
    imports.at_start.push_back(copy);
    return copy;
  }

  Inst* reload(const Inst& value, Imports& imports) {
    Inst* load = load_of(spill_slot_of(value), value.type, value.span);
    imports.at_start.push_back(load);
    return load;
  }

  // A descriptor cannot be stored: it is always computed again.
  static bool is_cheap(const Inst& value) {
    if (value.type.is_array()) return ir::is_pure(value.op);
    return operations_left(value, kMostOperations) >= 0;
  }

  // What remains of `left` operations after this value and its operands; negative: not cheap.
  static int operations_left(const Inst& value, int left) {
    constexpr int kNone = -1;
    if (!ir::is_pure(value.op) || ir::is_costly(value.op) || value.type.is_float()) return kNone;
    if (!value.operands.empty()) --left;
    for (const Inst* operand : value.operands)
      if (left >= 0 && !operand->type.is_array()) left = operations_left(*operand, left);
    return left;
  }

  int64_t spill_slot_of(const Inst& value) {
    const auto [found, is_new] =
        spill_slots_.try_emplace(&value, static_cast<int64_t>(f_.slots.size()));
    if (is_new) f_.slots.push_back({"", value.type});
    return found->second;
  }

  // ---- block level ----

  void block_level(Inst& inst, std::vector<Inst*>& rebuilt) {
    reload_operands(inst, rebuilt);
    rebuilt.push_back(&inst);
    for (Block& inside : inst.regions) block(inside);
  }

  void reload_operands(Inst& inst, std::vector<Inst*>& rebuilt) {
    for (Inst*& operand : inst.operands) {
      const bool block_value = regions_.of(*operand) == Regions::kBlockLevel;
      if (operand->op == Op::Const || (block_value && level_.contains(*operand))) continue;
      Inst* load = load_of(spill_slot_of(*operand), operand->type, operand->span);
      rebuilt.push_back(load);
      operand = load;
    }
  }

  // ---- spilling ----

  Inst* load_of(int64_t slot, ir::Type type, Span span) {
    Inst* load = f_.create(Op::SlotLoad, type, span);
    load->imm = slot;
    return load;
  }

  // Stores each value that has a spill slot.
  void insert_stores(Block& b) {
    std::vector<Inst*> rebuilt;
    for (Inst* inst : b.insts) {
      rebuilt.push_back(inst);
      for (Block& inside : inst->regions) insert_stores(inside);
      const auto found = spill_slots_.find(inst);
      if (found == spill_slots_.end()) continue;
      Inst* store = f_.create(Op::SlotStore, {}, inst->span);
      store->imm = found->second;
      store->operands = {inst};
      rebuilt.push_back(store);
    }
    b.insts = std::move(rebuilt);
  }

  ir::Function& f_;
  const BlockLevel& level_;
  const Regions regions_;
  std::map<const Inst*, int64_t> spill_slots_;  // by value
  std::map<const Inst*, Inst*> originals_;      // by copy
};

}  // namespace

void spill_across_barriers(ir::Function& f) {
  if (!BlockLevel(f).has_barrier()) return;
  count_trips(f, BlockLevel(f));
  Spiller(f, BlockLevel(f)).run();
}

}  // namespace cuda_device::passes
