#include <algorithm>
#include <unordered_map>

#include "ir/effects.h"
#include "ir/step_code.h"
#include "support/check.h"

namespace cuda_device::ir {
namespace {

// Adds one function of the module to the code.
class Flattener {
 public:
  Flattener(const Function& f, const std::vector<int64_t>& scalars, StepCode& code)
      : function_(f), scalars_(scalars), code_(code), own_(code.functions.emplace_back()) {
    own_.function = &f;
    own_.begin = static_cast<uint32_t>(code.steps.size());
    own_.initial.resize(f.inst_count() + f.slots.size());
    own_.uses.resize(f.arrays.size());
  }

  void run() {
    block(function_.body);
    end();
    for (size_t i = own_.begin; i < code_.steps.size(); ++i) {
      Step& s = code_.steps[i];
      if (jumps(s.kind)) s.target = labels_[s.target];
    }
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
  uint32_t more_registers(size_t count) {
    const size_t first = own_.initial.size();
    own_.initial.resize(first + count);
    return static_cast<uint32_t>(first);
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
        own_.initial[inst.id] = inst.imm;
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
        own_.uses[static_cast<size_t>(inst.imm)] = true;
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
        return return_(inst);
    }
  }

  void param(const Inst& inst) {
    const auto number = static_cast<size_t>(inst.imm), before = function_.kernel_params();
    if (number >= before)
      own_.parameters.emplace_back(inst.id, static_cast<uint32_t>(number - before));
    else
      own_.initial[inst.id] = inst.type.is_array() ? inst.imm : scalars_[number];
  }

  void end() { step(function_.kernel ? StepKind::Return : StepKind::Finish); }

  void return_(const Inst& inst) {
    const uint32_t list = list_of(inst);
    end();
    code_.steps.back().a = list;
    code_.steps.back().b = static_cast<uint32_t>(inst.operands.size());
  }

  void call(const Inst& inst) {
    const uint32_t list = list_of(inst);
    const size_t results = called_function(function_, inst).results.size();
    results_.emplace(&inst, more_registers(std::max<size_t>(results, 1) - 1));
    Step& s = step(StepKind::Call, &inst);
    s.a = list;
    s.b = static_cast<uint32_t>(inst.imm) + 1;
    s.c = results_.at(&inst);
  }

  void own_array(const Inst& inst, uint32_t number) {
    own_.initial[inst.id] = number;
    code_.own_arrays = true;
  }

  void view(const Inst& inst) {
    const uint32_t list = list_of(inst);
    Step& s = step(StepKind::View, &inst);
    s.a = list;
    s.b = dynamic_shared_array(function_) + 1 + own_.views++;
    code_.own_arrays = true;
  }

  void effect(const Inst& inst) {
    if (inst.op == Op::Call) return call(inst);
    if (inst.op == Op::CallResult)
      return copy(inst.id, results_.at(inst.operands[0]) + static_cast<uint32_t>(inst.imm) - 1);
    if (meets_warp(inst.op)) return operands_of(step(StepKind::Warp, &inst), inst);
    const bool stops = is_barrier(inst.op) || inst.op == Op::Check;
    if (!stops) {
      const uint32_t list = list_of(inst);
      // The second half of a pair has a register next to those of the function.
      if (inst.op == Op::AtomicLoadPair) second_.emplace(&inst, more_registers(2));
      Step& s = step(StepKind::Effect, &inst);
      s.a = list;
      if (inst.op == Op::AtomicLoadPair) s.b = second_.at(&inst);
      if (inst.op == Op::AtomicSecond) s.b = second_.at(inst.operands[0]);
      return;
    }
    const uint32_t list = inst.op == Op::Check ? list_of(inst) : 0;
    Step& s = step(inst.op == Op::Check ? StepKind::Check : StepKind::Barrier, &inst);
    if (!inst.operands.empty()) s.a = inst.operands[0]->id;
    s.b = list;
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
    const uint32_t state = more_registers(2);
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
  StepCode& code_;
  FunctionCode& own_;
  std::vector<uint32_t> labels_;
  std::vector<Loop> loops_;
  std::vector<Label> scopes_;
  std::unordered_map<const Inst*, uint32_t> second_;  // of an atomic_load_pair
  std::unordered_map<const Inst*, uint32_t>
      results_;  // of a call, the registers of all but the first
};

}  // namespace

StepCode flatten(const Function& f, const std::vector<int64_t>& scalars) {
  StepCode code;
  code.function = &f;
  code.functions.reserve(f.functions.size() + 1);
  for (const Function* one : functions_of(f)) Flattener(*one, scalars, code).run();
  return code;
}

const FunctionCode& StepCode::function_of(uint32_t step) const {
  const auto after = std::ranges::upper_bound(functions, step, {}, &FunctionCode::begin);
  return *std::prev(after);
}

}  // namespace cuda_device::ir
