#include "passes/split_loop_slots.h"

#include <algorithm>

#include "analysis/analysis.h"
#include "analysis/liveness.h"
#include "analysis/tree.h"
#include "ir/visitor.h"

namespace cuda_device::passes {
namespace {

using analysis::SlotSet;
using ir::Block;
using ir::Inst;
using ir::Op;

// The regions of a loop that run in its iterations: all but the else region.
size_t iteration_regions(const Inst& loop) { return loop.regions.size() - 1; }

template <class F>
void for_each_in_iteration(const Inst& loop, F&& f) {
  for (size_t i = 0; i < iteration_regions(loop); ++i) ir::for_each_inst(loop.regions[i], f);
}

bool names_slot(const Inst& inst, Op op, size_t slot) {
  return inst.op == op && static_cast<size_t>(inst.imm) == slot;
}

// By slot: what surely lies in it, null where that is not known.
using Contents = std::vector<Inst*>;

// Which slots to split at one loop.
class Choice {
 public:
  Choice(const ir::Function& f, const Inst& loop, const Contents& at_entry,
         const analysis::Analysis& a, const analysis::Liveness& live)
      : loop_(loop), a_(a), candidates_(f.slots.size()), place_(f.inst_count()) {
    for (size_t i = 0; i < iteration_regions(loop); ++i) enter(loop.regions[i], false);
    // Slots made since the analyses are not theirs.
    for (size_t slot = 0; slot < at_entry.size(); ++slot) {
      const bool behind = live.after[loop.id][slot] || live.else_entry[loop.id][slot];
      candidates_[slot] = behind && starts_alike(slot, at_entry[slot]) && blends(slot);
    }
    do known_.assign(f.inst_count(), Unknown);
    while (drop_those_that_part());
  }

  SlotSet take() { return std::move(candidates_); }

 private:
  // `parted`: not all lanes of the iteration come here.
  void enter(const Block& block, bool parted) {
    for (const Inst* i : block.insts) {
      place_[i->id] = parted ? Parted : Together;
      for (const Block& region : i->regions) enter(region, parted || a_.divergent[i->id]);
    }
  }

  bool starts_alike(size_t slot, const Inst* at_entry) const {
    const bool counts = names_slot(loop_, Op::For, slot);
    const Inst* start = counts ? loop_.operands[0] : at_entry;
    return start && a_.shape(*start).level < analysis::Level::Varying &&
           (!counts || a_.shape(*loop_.operands[2]).uniform());
  }

  // Some store of it does, and no loop inside counts in it.
  bool blends(size_t slot) const {
    bool some = names_slot(loop_, Op::For, slot) && a_.store_blends[loop_.id], counted = false;
    for_each_in_iteration(loop_, [&](const Inst& i) {
      some = some || (names_slot(i, Op::SlotStore, slot) && a_.store_blends[i.id]);
      counted = counted || names_slot(i, Op::For, slot);
    });
    return some && !counted;
  }

  bool drop_those_that_part() {
    bool dropped = false;
    for_each_in_iteration(loop_, [&](const Inst& i) {
      if (i.op != Op::SlotStore || !candidates_[static_cast<size_t>(i.imm)]) return;
      if (place_[i.id] == Together && alike(*i.operands[0])) return;
      candidates_[static_cast<size_t>(i.imm)] = false;
      dropped = true;
    });
    return dropped;
  }

  // In all lanes still in the loop, if the candidates are.
  bool alike(const Inst& value) {
    if (known_[value.id] == Unknown) known_[value.id] = is_alike(value) ? Yes : No;
    return known_[value.id] == Yes;
  }

  bool is_alike(const Inst& value) {
    if (a_.shape(value).uniform()) return true;
    if (place_[value.id] == Outside) return false;
    if (value.op == Op::SlotLoad) return candidates_[static_cast<size_t>(value.imm)];
    return ir::info(value.op).effect == ir::Effect::Pure && !value.operands.empty() &&
           std::all_of(value.operands.begin(), value.operands.end(),
                       [&](const Inst* operand) { return alike(*operand); });
  }

  enum Where : uint8_t { Outside, Together, Parted };
  enum Answer : uint8_t { Unknown, No, Yes };

  const Inst& loop_;
  const analysis::Analysis& a_;
  SlotSet candidates_;
  std::vector<Where> place_;   // by Inst::id: in an iteration
  std::vector<Answer> known_;  // by Inst::id, with the candidates there are
};

class Splitter {
 public:
  explicit Splitter(ir::Function& f) : f_(f) {}

  // The outermost loops first: what they split, loops inside may split again.
  void run() {
    std::vector<Block*> level{&f_.body};
    while (!level.empty()) level = split_level(level);
  }

 private:
  // Splits at the loops of each block that no other loop of it holds; returns the blocks inside
  // those.
  std::vector<Block*> split_level(const std::vector<Block*>& blocks) {
    const analysis::Analysis a = analysis::analyse(f_);
    const analysis::Liveness live = analysis::liveness(f_);
    std::vector<Block*> next;
    for (Block* block : blocks) {
      Contents contents(f_.slots.size());
      split(*block, a, live, contents, next);
    }
    return next;
  }

  void split(Block& block, const analysis::Analysis& a, const analysis::Liveness& live,
             Contents& contents, std::vector<Block*>& next) {
    std::vector<Inst*> before = std::move(block.insts);
    block.insts.clear();
    for (Inst* inst : before) {
      const bool loop = analysis::is_loop(*inst);
      if (loop && a.divergent[inst->id])
        split(*inst, Choice(f_, *inst, contents, a, live).take(), contents, block);
      block.insts.push_back(inst);
      if (inst->op == Op::SlotStore) contents[static_cast<size_t>(inst->imm)] = inst->operands[0];
      for (Block& region : inst->regions) {
        Contents inside = contents;
        if (loop)
          next.push_back(&region);
        else
          split(region, a, live, inside, next);
      }
      forget_stores(*inst, contents);
    }
  }

  static void forget_stores(const Inst& control, Contents& contents) {
    for (const Block& region : control.regions)
      ir::for_each_inst(region, [&](const Inst& i) {
        const bool stores = i.op == Op::SlotStore || i.op == Op::For;
        if (stores && static_cast<size_t>(i.imm) < contents.size())
          contents[static_cast<size_t>(i.imm)] = nullptr;
      });
    if (control.op == Op::For && static_cast<size_t>(control.imm) < contents.size())
      contents[static_cast<size_t>(control.imm)] = nullptr;
  }

  void split(Inst& loop, const SlotSet& slots, const Contents& contents, Block& block) {
    for (size_t slot = 0; slot < slots.size(); ++slot) {
      if (!slots[slot]) continue;
      const auto own = static_cast<int64_t>(f_.slots.size());
      f_.slots.push_back(f_.slots[slot]);
      for (size_t i = 0; i < iteration_regions(loop); ++i) rename(loop.regions[i], slot, own);
      if (names_slot(loop, Op::For, slot))
        copy_counter(loop, slot, own);
      else
        block.insts.push_back(store(own, contents[slot]));
    }
  }

  void copy_counter(Inst& loop, size_t slot, int64_t own) {
    loop.imm = own;
    Inst* counter = f_.create(Op::SlotLoad, f_.slots[slot].type, loop.span);
    counter->imm = own;
    std::vector<Inst*>& body = loop.regions[0].insts;
    body.insert(body.begin(), {counter, store(static_cast<int64_t>(slot), counter)});
  }

  Inst* store(int64_t slot, Inst* value) {
    Inst* inst = f_.create(Op::SlotStore, {}, value->span);
    inst->imm = slot;
    inst->operands = {value};
    return inst;
  }

  void rename(Block& block, size_t slot, int64_t own) {
    std::vector<Inst*> renamed;
    for (Inst* inst : block.insts) {
      if (names_slot(*inst, Op::SlotLoad, slot)) inst->imm = own;
      if (names_slot(*inst, Op::SlotStore, slot)) renamed.push_back(store(own, inst->operands[0]));
      renamed.push_back(inst);
      for (Block& region : inst->regions) rename(region, slot, own);
    }
    block.insts = std::move(renamed);
  }

  ir::Function& f_;
};

}  // namespace

void split_loop_slots(ir::Function& f) { Splitter(f).run(); }

}  // namespace cuda_device::passes
