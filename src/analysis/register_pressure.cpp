#include "analysis/register_pressure.h"

#include <algorithm>

#include "analysis/liveness.h"
#include "analysis/tree.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

bool is_straight(const Block& block) {
  return !ir::any_inst(block, [](const Inst& i) { return is_loop(i) || ir::is_barrier(i.op); });
}

uint32_t bytes_of(const ir::Type& type) {
  return type.is_bool() ? 4 : static_cast<uint32_t>(type.bits()) / 8;
}

// Numbers the instructions in order, and adds up what is live at each number.
class Pressure {
 public:
  Pressure(const ir::Function& f, const Analysis& a)
      : f_(f), a_(a), liveness_(liveness(f)), values_(f.inst_count()), slots_(f.slots.size()) {
    number(f.body, is_straight(f.body));
  }

  uint32_t most_in_loops() const {
    std::vector<int64_t> change(in_loop_.size() + 1);
    const auto add = [&](const LiveRange& range, const Shape& shape, const ir::Type& type) {
      if (range.last <= range.first || shape.level != Level::Varying) return;
      change[range.first] += bytes_of(type);
      change[range.last] -= bytes_of(type);
    };
    for (size_t slot = 0; slot < slots_.size(); ++slot)
      add(slots_[slot], a_.slot_shapes[slot], f_.slots[slot].type);
    ir::for_each_inst(f_.body, [&](const Inst& i) {
      if (i.type.is_scalar() && i.op != Op::SlotLoad) add(values_[i.id], a_.shape(i), i.type);
    });
    int64_t live = 0, most = 0;
    for (size_t k = 0; k < in_loop_.size(); ++k) {
      live += change[k];
      if (in_loop_[k]) most = std::max(most, live);
    }
    return static_cast<uint32_t>(most);
  }

 private:
  struct LiveRange {
    uint32_t first = UINT32_MAX, last = 0;
    void cover(uint32_t from, uint32_t to) {
      first = std::min(first, from);
      last = std::max(last, to);
    }
  };
  struct Loop {
    uint32_t begin;
    std::vector<const Inst*> uses;  // of what is defined before it: live to its end
  };

  uint32_t next() const { return static_cast<uint32_t>(in_loop_.size()); }

  void number(const Block& block, bool in_loop) {
    const uint32_t first = next();
    for (const Inst* inst : block.insts) {
      const uint32_t at = next();
      in_loop_.push_back(in_loop);
      // LLVM moves what a straight piece of code loads to its start.
      values_[inst->id].cover(ir::reads(*inst) ? first : at, at);
      for (const Inst* operand : inst->operands) use(*operand, at);
      if (ir::names_slot(inst->op)) slots_[static_cast<size_t>(inst->imm)].cover(at, at);
      if (is_loop(*inst))
        number_loop(*inst);
      else
        for (const Block& region : inst->regions) number(region, in_loop);
    }
  }

  // What lives across a barrier is in memory.
  void number_loop(const Inst& loop) {
    loops_.push_back({next() - 1, {}});
    for (const Block& region : loop.regions) number(region, !ir::has_barrier(region));
    const uint32_t end = next() - 1;
    liveness_.head[loop.id].for_each(
        [&](size_t slot) { slots_[slot].cover(loops_.back().begin, end); });
    for (const Inst* value : loops_.back().uses) values_[value->id].last = end;
    loops_.pop_back();
  }

  void use(const Inst& value, uint32_t at) {
    values_[value.id].last = std::max(values_[value.id].last, at);
    for (Loop& loop : loops_)  // the outermost
      if (values_[value.id].first < loop.begin) return loop.uses.push_back(&value);
  }

  const ir::Function& f_;
  const Analysis& a_;
  const Liveness liveness_;
  std::vector<bool> in_loop_;      // by number
  std::vector<LiveRange> values_;  // by Inst::id
  std::vector<LiveRange> slots_;
  std::vector<Loop> loops_;  // that are open
};

}  // namespace

uint32_t live_lane_bytes(const ir::Function& f, const Analysis& a) {
  return Pressure(f, a).most_in_loops();
}

}  // namespace cuda_device::analysis
