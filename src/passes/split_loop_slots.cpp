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

// Which slots to split at one loop.
class Choice {
 public:
  Choice(const ir::Function& f, const Inst& loop, const analysis::Analysis& a,
         const analysis::Liveness& live)
      : f_(f), loop_(loop), a_(a), candidates_(f.slots.size()), inside_(f.inst_count()) {
    for_each_in_iteration(loop, [&](const Inst& i) { inside_[i.id] = true; });
    for (size_t slot = 0; slot < f.slots.size(); ++slot)
      candidates_[slot] = (live.after[loop.id][slot] || live.else_entry[loop.id][slot]) &&
                          live.head[loop.id][slot] && starts_alike(slot);
    while (drop_those_that_part()) {
    }
  }

  SlotSet take() { return std::move(candidates_); }

 private:
  // A store of it blends inside, and all those outside are of values with a shape.
  bool starts_alike(size_t slot) const {
    bool blends = false, alike = true;
    ir::for_each_inst(f_.body, [&](const Inst& i) {
      if (i.op == Op::For && names_slot(i, Op::For, slot)) alike = false;
      if (!names_slot(i, Op::SlotStore, slot)) return;
      blends = blends || (inside_[i.id] && a_.store_blends[i.id]);
      alike = alike && (inside_[i.id] || a_.shape(*i.operands[0]).level < analysis::Level::Varying);
    });
    return blends && alike;
  }

  bool drop_those_that_part() {
    bool dropped = false;
    for_each_in_iteration(loop_, [&](const Inst& i) {
      if (i.op != Op::SlotStore || !candidates_[static_cast<size_t>(i.imm)]) return;
      if (alike(*i.operands[0])) return;
      candidates_[static_cast<size_t>(i.imm)] = false;
      dropped = true;
    });
    return dropped;
  }

  // In all lanes still in the loop, if the candidates are.
  bool alike(const Inst& value) const {
    if (a_.shape(value).uniform()) return true;
    if (!inside_[value.id]) return false;
    if (value.op == Op::SlotLoad) return candidates_[static_cast<size_t>(value.imm)];
    return ir::info(value.op).effect == ir::Effect::Pure && !value.operands.empty() &&
           std::all_of(value.operands.begin(), value.operands.end(),
                       [&](const Inst* operand) { return alike(*operand); });
  }

  const ir::Function& f_;
  const Inst& loop_;
  const analysis::Analysis& a_;
  SlotSet candidates_;
  std::vector<bool> inside_;
};

class Splitter {
 public:
  explicit Splitter(ir::Function& f) : f_(f) {}

  // The outermost loops first: what they split, loops inside may split again.
  void run() {
    std::vector<Block*> level{&f_.body};
    while (!level.empty()) level = split(level);
  }

 private:
  // Of each block, the loops that no other loop of it holds; returns the blocks inside those.
  std::vector<Block*> split(const std::vector<Block*>& blocks) {
    const analysis::Analysis a = analysis::analyse(f_);
    const analysis::Liveness live = analysis::liveness(f_);
    std::vector<Block*> next;
    for (Block* block : blocks) split(*block, a, live, next);
    return next;
  }

  void split(Block& block, const analysis::Analysis& a, const analysis::Liveness& live,
             std::vector<Block*>& next) {
    std::vector<Inst*> before = std::move(block.insts);
    block.insts.clear();
    for (Inst* inst : before) {
      const bool loop = analysis::is_loop(*inst);
      if (loop && a.divergent[inst->id]) split(*inst, Choice(f_, *inst, a, live).take(), block);
      block.insts.push_back(inst);
      for (Block& region : inst->regions) {
        if (loop)
          next.push_back(&region);
        else
          split(region, a, live, next);
      }
    }
  }

  void split(Inst& loop, const SlotSet& slots, Block& block) {
    for (size_t slot = 0; slot < slots.size(); ++slot) {
      if (!slots[slot]) continue;
      const auto own = static_cast<int64_t>(f_.slots.size());
      f_.slots.push_back(f_.slots[slot]);
      Inst* load = f_.create(Op::SlotLoad, f_.slots[slot].type, loop.span);
      load->imm = static_cast<int64_t>(slot);
      block.insts.push_back(load);
      block.insts.push_back(store(own, load));
      for (size_t i = 0; i < iteration_regions(loop); ++i) rename(loop.regions[i], slot, own);
    }
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
