#include "passes/loops/split_live_ranges.h"

#include <algorithm>

#include "analysis/analysis.h"
#include "analysis/blocks/block_level.h"
#include "analysis/liveness.h"
#include "analysis/tree.h"
#include "ir/effects.h"
#include "ir/visitor.h"
#include "passes/simplify/slot_contents.h"

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

enum class Where : uint8_t { Outside, Convergent, Divergent };
enum class Answer : uint8_t { Unknown, No, Yes };

// Tables by Inst::id, made once and clean between two loops.
struct Notes {
  explicit Notes(size_t insts) : places(insts), answers(insts) {}
  std::vector<Where> places;               // in an iteration of the loop
  std::vector<Answer> answers;             // for the candidates that are left
  std::vector<uint32_t> placed, answered;  // entries that are not clean
};

// Which slots to split at one loop.
class Choice {
 public:
  Choice(const ir::Function& f, const Inst& loop, const SlotContents& at_entry,
         const analysis::Analysis& a, const analysis::Liveness& live, Notes& notes)
      : loop_(loop), a_(a), notes_(notes), candidates_(f.slots.size()) {
    find_blending().for_each([&](size_t slot) {
      // Slots made since the analyses are not theirs.
      if (slot >= at_entry.size()) return;
      const bool read_after = live.after[loop.id][slot] || live.else_entry[loop.id][slot];
      if (read_after && starts_alike(slot, at_entry.of(slot))) candidates_.insert(slot);
    });
    if (candidates_.empty()) return;
    for (size_t i = 0; i < iteration_regions(loop); ++i) enter(loop.regions[i], false);
    do forget_answers();
    while (drop_diverging());
    forget_answers();
    for (uint32_t id : notes_.placed) notes_.places[id] = Where::Outside;
    notes_.placed.clear();
  }

  SlotSet take() { return std::move(candidates_); }

 private:
  // `divergent`: not all lanes of the iteration come to the block.
  void enter(const Block& block, bool divergent) {
    for (const Inst* i : block.insts) {
      notes_.places[i->id] = divergent ? Where::Divergent : Where::Convergent;
      notes_.placed.push_back(i->id);
      for (const Block& region : i->regions) enter(region, divergent || a_.divergent[i->id]);
    }
  }

  bool starts_alike(size_t slot, const Inst* at_entry) const {
    const bool counts = names_slot(loop_, Op::For, slot);
    const Inst* start = counts ? loop_.operands[0] : at_entry;
    return start && a_.shape(*start).level < analysis::Level::Varying &&
           (!counts || a_.shape(*loop_.operands[2]).uniform());
  }

  // Slots that some store blends, and in which no loop inside counts.
  SlotSet find_blending() const {
    SlotSet blending(candidates_.size()), counted(candidates_.size());
    const auto note = [&](const Inst& i) {
      if (a_.store_blends[i.id]) blending.insert(static_cast<size_t>(i.imm));
    };
    if (loop_.op == Op::For) note(loop_);
    for_each_in_iteration(loop_, [&](const Inst& i) {
      if (i.op == Op::SlotStore) note(i);
      if (i.op == Op::For) counted.insert(static_cast<size_t>(i.imm));
    });
    blending.remove(counted);
    return blending;
  }

  bool drop_diverging() {
    bool dropped = false;
    for_each_in_iteration(loop_, [&](const Inst& i) {
      if (i.op != Op::SlotStore || !candidates_[static_cast<size_t>(i.imm)]) return;
      if (notes_.places[i.id] == Where::Convergent && alike(*i.operands[0])) return;
      candidates_.erase(static_cast<size_t>(i.imm));
      dropped = true;
    });
    return dropped;
  }

  void forget_answers() {
    for (uint32_t id : notes_.answered) notes_.answers[id] = Answer::Unknown;
    notes_.answered.clear();
  }

  // Whether all lanes still in the loop have one value, if they have one of each candidate.
  bool alike(const Inst& value) {
    Answer& answer = notes_.answers[value.id];
    if (answer == Answer::Unknown) {
      answer = is_alike(value) ? Answer::Yes : Answer::No;
      notes_.answered.push_back(value.id);
    }
    return answer == Answer::Yes;
  }

  bool is_alike(const Inst& value) {
    if (a_.shape(value).uniform()) return true;
    if (notes_.places[value.id] == Where::Outside) return false;
    if (value.op == Op::SlotLoad) return candidates_[static_cast<size_t>(value.imm)];
    return ir::is_pure(value.op) && !value.operands.empty() &&
           std::all_of(value.operands.begin(), value.operands.end(),
                       [&](const Inst* operand) { return alike(*operand); });
  }

  const Inst& loop_;
  const analysis::Analysis& a_;
  Notes& notes_;
  SlotSet candidates_;
};

bool has_loop(const Block* block) { return ir::any_inst(*block, analysis::is_loop); }

class Splitter {
 public:
  explicit Splitter(ir::Function& f) : f_(f) {}

  // Outermost loops come first: what they split, loops inside may split again.
  void run() {
    std::vector<Block*> level{&f_.body};
    while (!level.empty()) level = split_level(level);
  }

 private:
  struct Known {
    explicit Known(const ir::Function& f)
        : lanes(analysis::analyse(f)),
          level(f),
          live(analysis::liveness(f)),
          notes(f.inst_count()) {}
    const analysis::Analysis lanes;
    const analysis::BlockLevel level;
    const analysis::Liveness live;
    Notes notes;
  };

  // Splits at the loops of each block that no other loop of it holds; returns the blocks inside
  // those.
  std::vector<Block*> split_level(const std::vector<Block*>& blocks) {
    std::vector<Block*> next;
    if (std::ranges::none_of(blocks, has_loop)) return next;
    Known known(f_);
    for (Block* block : blocks) {
      SlotContents contents(f_.slots.size());
      split(*block, known, contents, next);
    }
    return next;
  }

  void split(Block& block, Known& known, SlotContents& contents, std::vector<Block*>& next) {
    std::vector<Inst*> before = std::move(block.insts);
    block.insts.clear();
    for (Inst* inst : before) {
      const bool loop = analysis::is_loop(*inst);
      if (known.level.contains(*inst)) forget_temporaries(contents);
      if (loop && known.lanes.divergent[inst->id])
        split(*inst, Choice(f_, *inst, contents, known.lanes, known.live, known.notes).take(),
              contents, block);
      block.insts.push_back(inst);
      if (inst->op == Op::SlotStore)
        contents.stored(static_cast<size_t>(inst->imm), inst->operands[0]);
      if (loop)
        enter_loop(*inst, contents, next);
      else
        enter_regions(*inst, known, contents, next);
    }
  }

  // The next region has variables and constants alone (passes/barriers/spill_across_barriers.h).
  static void forget_temporaries(SlotContents& contents) {
    for (size_t slot = 0; slot < contents.size(); ++slot)
      if (contents.of(slot) && contents.of(slot)->op != Op::Const) contents.forget(slot);
  }

  static void enter_loop(Inst& loop, SlotContents& contents, std::vector<Block*>& next) {
    for (Block& region : loop.regions) next.push_back(&region);
    contents.forget_stored(loop);
  }

  void enter_regions(Inst& inst, Known& known, SlotContents& contents, std::vector<Block*>& next) {
    std::vector<size_t> stored;
    for (Block& region : inst.regions) {
      const size_t mark = contents.mark();
      split(region, known, contents, next);
      contents.undo(mark, stored);
    }
    for (size_t slot : stored) contents.forget(slot);
  }

  void split(Inst& loop, const SlotSet& slots, const SlotContents& contents, Block& block) {
    if (slots.empty()) return;
    std::vector<int64_t> own(slots.size(), kNone);
    slots.for_each([&](size_t slot) {
      own[slot] = static_cast<int64_t>(f_.slots.size());
      f_.slots.push_back(f_.slots[slot]);
    });
    for (size_t i = 0; i < iteration_regions(loop); ++i) rename(loop.regions[i], own);
    slots.for_each([&](size_t slot) {
      if (names_slot(loop, Op::For, slot))
        copy_counter(loop, slot, own[slot]);
      else
        block.insts.push_back(store(own[slot], contents.of(slot)));
    });
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

  // `own`: by slot, the loop's own slot to use instead, or none.
  void rename(Block& block, const std::vector<int64_t>& own) {
    std::vector<Inst*> renamed;
    for (Inst* inst : block.insts) {
      if (inst->op == Op::SlotLoad && own_of(*inst, own) != kNone) inst->imm = own_of(*inst, own);
      if (inst->op == Op::SlotStore && own_of(*inst, own) != kNone)
        renamed.push_back(store(own_of(*inst, own), inst->operands[0]));
      renamed.push_back(inst);
      for (Block& region : inst->regions) rename(region, own);
    }
    block.insts = std::move(renamed);
  }

  static int64_t own_of(const Inst& inst, const std::vector<int64_t>& own) {
    const auto slot = static_cast<size_t>(inst.imm);
    return slot < own.size() ? own[slot] : kNone;
  }

  static constexpr int64_t kNone = -1;

  ir::Function& f_;
};

}  // namespace

void split_live_ranges(ir::Function& f) { Splitter(f).run(); }

}  // namespace cuda_device::passes
