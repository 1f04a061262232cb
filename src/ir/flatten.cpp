#include <unordered_map>

#include "ir/effects.h"
#include "ir/step_code.h"
#include "support/check.h"

namespace cuda_device::ir {
namespace {

class Flattener {
 public:
  Flattener(const Function& f, const std::vector<int64_t>& scalars)
      : function_(f), scalars_(scalars) {
    code_.function = &f;
    code_.initial.resize(f.inst_count() + f.slots.size());
  }

  StepCode run() {
    block(function_.body);
    step(StepKind::Finish);
    for (Step& s : code_.steps) {
      if (jumps(s.kind)) s.target = labels_[s.target];
    }
    return std::move(code_);
  }

 private:
  using Label = uint32_t;  // index into labels_ until run() resolves it
  struct Loop {
    Label next, end;
  };

  static bool jumps(StepKind kind) {
    return kind == StepKind::Jump || kind == StepKind::JumpUnless || kind == StepKind::LoopNext;
  }

  Label label() {
    labels_.push_back(0);
    return static_cast<Label>(labels_.size() - 1);
  }
  void place(Label l) { labels_[l] = static_cast<uint32_t>(code_.steps.size()); }

  // One register per instruction, then the slots, then two for each `for`.
  uint32_t slot_register(int64_t slot) const {
    return function_.inst_count() + static_cast<uint32_t>(slot);
  }
  uint32_t two_more_registers() {
    const auto first = static_cast<uint32_t>(code_.initial.size());
    code_.initial.resize(first + 2);
    return first;
  }

  Step& step(StepKind kind, const Inst* source = nullptr) {
    Step& s = code_.steps.emplace_back();
    s.kind = kind;
    s.source = source;
    if (source) s.result = source->id;
    return s;
  }

  void jump(Label target) { step(StepKind::Jump).target = target; }
  void jump_unless(const Inst& condition, Label target) {
    Step& s = step(StepKind::JumpUnless);
    s.a = condition.id;
    s.target = target;
  }

  void copy(uint32_t result, uint32_t from) {
    Step& s = step(StepKind::Copy);
    s.result = result;
    s.a = from;
  }

  uint32_t list_of(const Inst& inst) {
    const auto begin = static_cast<uint32_t>(code_.lists.size());
    for (const Inst* operand : inst.operands) code_.lists.push_back(operand->id);
    return begin;
  }

  void block(const Block& b) {
    for (const Inst* inst : b.insts) instruction(*inst);
  }

  void instruction(const Inst& inst) {
    switch (inst.op) {
#define SCALAR(name, ...) case Op::name:
#include "ir/op.def"
      return evaluate(inst);
#define POSITION(name, ...) case Op::name:
#include "ir/op.def"
      step(StepKind::Position, &inst);
      return;
      case Op::Const:
        code_.initial[inst.id] = inst.imm;
        return;
      case Op::Param:
        return param(inst);
      case Op::SlotLoad:
        return copy(inst.id, slot_register(inst.imm));
      case Op::SlotStore:
        return copy(slot_register(inst.imm), inst.operands[0]->id);
      case Op::Extent:
        step(StepKind::Extent, &inst).a = inst.operands[0]->id;
        return;
      case Op::Stride:
        step(StepKind::Stride, &inst).a = inst.operands[0]->id;
        return;
      case Op::Array:
        return own_array(inst, first_own_array(function_) + static_cast<uint32_t>(inst.imm));
      case Op::DynamicShared:
        return own_array(inst, dynamic_shared_array(function_));
      case Op::View:
        return view(inst);
#define EFFECT(name, ...) case Op::name:
#include "ir/op.def"
        return effect(inst);
      case Op::If:
        return if_(inst);
      case Op::While:
        return while_(inst);
      case Op::For:
        return for_(inst);
      case Op::Scope:
        return scope(inst);
      case Op::Yield:
        return;  // while_ reads its operand
      case Op::Break:
        return jump(loops_.back().end);
      case Op::Continue:
        return jump(loops_.back().next);
      case Op::Leave:
        return jump(scopes_[scopes_.size() - 1 - static_cast<size_t>(inst.imm)]);
      case Op::Return:
        step(StepKind::Finish);
        return;
    }
  }

  void param(const Inst& inst) {
    code_.initial[inst.id] =
        inst.type.is_array() ? inst.imm : scalars_[static_cast<size_t>(inst.imm)];
  }

  void own_array(const Inst& inst, uint32_t number) {
    code_.initial[inst.id] = number;
    code_.own_arrays = true;
  }

  void view(const Inst& inst) {
    const uint32_t list = list_of(inst);
    Step& s = step(StepKind::View, &inst);
    s.a = list;
    s.b = dynamic_shared_array(function_) + 1 + code_.views++;
    code_.own_arrays = true;
  }

  void effect(const Inst& inst) {
    if (meets_warp(inst.op)) return operands_of(step(StepKind::Warp, &inst), inst);
    const bool stops = is_barrier(inst.op) || inst.op == Op::Check;
    if (!stops) {
      const uint32_t list = list_of(inst);
      // The second half of a pair has a register next to those of the function.
      if (inst.op == Op::AtomicLoadPair) second_.emplace(&inst, two_more_registers());
      Step& s = step(StepKind::Effect, &inst);
      s.a = list;
      if (inst.op == Op::AtomicLoadPair) s.b = second_.at(&inst);
      if (inst.op == Op::AtomicSecond) s.b = second_.at(inst.operands[0]);
      return;
    }
    Step& s = step(inst.op == Op::Check ? StepKind::Check : StepKind::Barrier, &inst);
    if (!inst.operands.empty()) s.a = inst.operands[0]->id;
  }

  void evaluate(const Inst& inst) {
    Step& s = step(StepKind::Evaluate, &inst);
    s.evaluate = evaluator(inst);
    CD_CHECK(s.evaluate, "the interpreter does not know '" + std::string(info(inst.op).text) + "'");
    operands_of(s, inst);
  }

  static void operands_of(Step& s, const Inst& inst) {
    uint32_t* const registers[] = {&s.a, &s.b, &s.c};
    for (size_t k = 0; k < inst.operands.size(); ++k) *registers[k] = inst.operands[k]->id;
  }

  void if_(const Inst& inst) {
    const Label otherwise = label(), end = label();
    jump_unless(*inst.operands[0], otherwise);
    block(inst.regions[0]);
    jump(end);
    place(otherwise);
    block(inst.regions[1]);
    place(end);
  }

  void while_(const Inst& inst) {
    const Label next = label(), otherwise = label(), end = label();
    place(next);
    block(inst.regions[0]);
    jump_unless(*inst.regions[0].insts.back()->operands[0], otherwise);
    loop_body(inst.regions[1], {next, end});
    place(otherwise);
    block(inst.regions[2]);
    place(end);
  }

  void for_(const Inst& inst) {
    const Label next = label(), otherwise = label(), end = label();
    const uint32_t state = two_more_registers();
    const uint32_t bounds = list_of(inst);
    Step& begin = step(StepKind::LoopBegin, &inst);
    begin.result = state;
    begin.a = bounds;
    place(next);
    Step& advance = step(StepKind::LoopNext, &inst);
    advance.result = state;
    advance.a = bounds;
    advance.b = slot_register(inst.imm);
    advance.target = otherwise;
    loop_body(inst.regions[0], {next, end});
    place(otherwise);
    block(inst.regions[1]);
    place(end);
  }

  void loop_body(const Block& body, Loop loop) {
    loops_.push_back(loop);
    block(body);
    loops_.pop_back();
    jump(loop.next);
  }

  void scope(const Inst& inst) {
    scopes_.push_back(label());
    block(inst.regions[0]);
    place(scopes_.back());
    scopes_.pop_back();
  }

  const Function& function_;
  const std::vector<int64_t>& scalars_;
  StepCode code_;
  std::vector<uint32_t> labels_;
  std::vector<Loop> loops_;
  std::vector<Label> scopes_;
  std::unordered_map<const Inst*, uint32_t> second_;  // of an atomic_load_pair
};

}  // namespace

StepCode flatten(const Function& f, const std::vector<int64_t>& scalars) {
  return Flattener(f, scalars).run();
}

}  // namespace cuda_device::ir
