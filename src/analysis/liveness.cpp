#include "analysis/liveness.h"

#include "support/check.h"

namespace cuda_device::analysis {

using ir::Block;
using ir::Inst;
using ir::Op;

// Walks blocks backwards. `before_` of a block is a function of what is live after it and at the
// targets of the jumps inside.
class RangeLiveness::Walk {
 public:
  explicit Walk(const ir::Function& f) : slots_(f.slots.size()) {
    out_.after.resize(f.inst_count());
    out_.else_entry.resize(f.inst_count());
    out_.head.resize(f.inst_count());
  }
  Liveness all(const ir::Function& f) {
    out_.entry = before(f.body.insts, SlotSet(slots_));
    return std::move(out_);
  }
  SlotSet before(std::span<Inst* const> insts, SlotSet live) {
    for (auto it = insts.rbegin(); it != insts.rend(); ++it) step(**it, live);
    return live;
  }

 private:
  SlotSet before(const Block& b, SlotSet live) {
    return before(std::span<Inst* const>(b.insts), std::move(live));
  }

  void step(const Inst& inst, SlotSet& live) {
    switch (inst.op) {
#define SCALAR(name, ...) case Op::name:
#define GIVEN(name, ...) case Op::name:
#define POSITION(name, ...) case Op::name:
#define EFFECT(name, ...) case Op::name:
#include "ir/op.def"
      case Op::Yield:
        return;
      case Op::SlotLoad:
        live.insert(static_cast<size_t>(inst.imm));
        return;
      case Op::SlotStore:
        live.erase(static_cast<size_t>(inst.imm));
        return;
      case Op::If:
      case Op::Scope:
      case Op::While:
      case Op::For:
        out_.after[inst.id] = live;
        control(inst, live);
        return;
      case Op::Break:
        live = out_.after[loops_.back()->id];
        return;
      case Op::Continue:
        live = out_.head[loops_.back()->id];
        return;
      case Op::Leave:
        live = out_.after[scopes_[scopes_.size() - 1 - static_cast<size_t>(inst.imm)]->id];
        return;
      case Op::Return:
        live.clear();
        return;
    }
  }

  void control(const Inst& inst, SlotSet& live) {
    if (inst.op == Op::Scope) {
      scopes_.push_back(&inst);
      live = before(inst.regions[0], std::move(live));
      scopes_.pop_back();
      return;
    }
    SlotSet otherwise = before(inst.regions.back(), live);
    out_.else_entry[inst.id] = otherwise;
    if (inst.op == Op::If) {
      live = before(inst.regions[0], std::move(live));
      live.add(otherwise);
    } else {
      live = loop(inst, otherwise);
    }
  }

  // Visited again, a loop in a loop starts from what it found before: an outer loop's sets only
  // grow. So the visits do not multiply with the depth.
  SlotSet loop(const Inst& inst, const SlotSet& exit) {
    SlotSet head = exit;
    if (out_.head[inst.id].size() == slots_) head.add(out_.head[inst.id]);
    loops_.push_back(&inst);
    do {
      out_.head[inst.id] = head;
    } while (head.add(inst.op == Op::For ? for_head(inst, head) : while_head(inst, head, exit)));
    loops_.pop_back();
    return head;
  }

  SlotSet for_head(const Inst& inst, const SlotSet& head) {
    SlotSet body = before(inst.regions[0], head);
    body.erase(static_cast<size_t>(inst.imm));
    return body;
  }

  SlotSet while_head(const Inst& inst, const SlotSet& head, const SlotSet& exit) {
    SlotSet body = before(inst.regions[1], head);
    body.add(exit);
    return before(inst.regions[0], std::move(body));
  }

  size_t slots_;
  Liveness out_;
  std::vector<const Inst*> loops_;
  std::vector<const Inst*> scopes_;
};

Liveness liveness(const ir::Function& f) { return RangeLiveness::Walk(f).all(f); }

RangeLiveness::RangeLiveness(const ir::Function& f) : walk_(std::make_unique<Walk>(f)) {}
RangeLiveness::~RangeLiveness() = default;

SlotSet RangeLiveness::before(std::span<Inst* const> insts, SlotSet live_after) {
  return walk_->before(insts, std::move(live_after));
}

}  // namespace cuda_device::analysis
