#include "ir/machine.h"

#include <cstring>

#include "ir/atomic.h"
#include "support/check.h"

namespace cuda_device::ir {
namespace {

// In the block, x fastest.
uint32_t linear_index(const Launch& launch, const Thread& thread) {
  const auto& [x, y, z] = thread.index;
  const auto& block = launch.grid.block;
  return x + block[0] * (y + block[1] * z);
}

int64_t position(const Launch& launch, const Thread& thread, const Inst& question) {
  const auto& grid = launch.grid;
  const auto axis = static_cast<size_t>(question.imm);
  switch (question.op) {
    case Op::ThreadIdx:
      return thread.index[axis];
    case Op::BlockIdx:
      return thread.block[axis];
    case Op::BlockDim:
      return grid.block[axis];
    case Op::GridDim:
      return grid.grid[axis];
    case Op::Tid:
      return static_cast<int32_t>(thread.index[axis] + thread.block[axis] * grid.block[axis]);
    case Op::GridSize:
      return static_cast<int32_t>(grid.block[axis] * grid.grid[axis]);
    case Op::LaneId:
      return warp_lane(launch, thread);
    default:
      CD_UNREACHABLE("not a position: " + std::string(info(question.op).text));
  }
}

class Runner {
 public:
  Runner(const Launch& launch, Thread& thread)
      : launch_(launch), thread_(thread), registers_(thread.registers.data()) {}

  Outcome run(uint64_t steps) {
    const Step* code = launch_.code.steps.data();
    uint32_t& next = thread_.next;
    const uint64_t before = thread_.taken;
    while (!stops(code[next])) {
      if (fails(code[next])) return Outcome::Failed;
      if (thread_.taken - before == steps) return Outcome::OutOfSteps;
      ++thread_.taken;
      execute(code[next++]);
    }
    switch (code[next].kind) {
      case StepKind::Barrier:
        return Outcome::AtBarrier;
      case StepKind::Warp:
        return Outcome::InWarp;
      default:
        return Outcome::Finished;
    }
  }

 private:
  static bool stops(const Step& s) {
    return s.kind == StepKind::Finish || s.kind == StepKind::Barrier || s.kind == StepKind::Warp;
  }

  bool fails(const Step& s) const {
    return (s.kind == StepKind::Check && !registers_[s.a]) ||
           (s.kind == StepKind::Call && thread_.callers.size() == kMostNestedCalls);
  }

  void print(const Step& s) {
    ++launch_.changes;
    if (!launch_.report) return;
    const uint32_t* list = &launch_.code.lists[s.a];
    const PrintFormatter& printer = launch_.printers[static_cast<size_t>(s.source->imm)];
    launch_.report->printed.append(printer.text([&](size_t k) { return registers_[list[k]]; }));
  }

  // Does nothing where the launch has no answer.
  void opaque(const Step& s) {
    ++launch_.changes;
    std::vector<int64_t> operands(s.source->operands.size());
    for (size_t k = 0; k < operands.size(); ++k)
      operands[k] = registers_[launch_.code.lists[s.a + k]];
    registers_[s.result] = launch_.opaque ? launch_.opaque(s.source->imm, operands) : 0;
  }

  void execute(const Step& s) {
    int64_t* r = registers_;
    switch (s.kind) {
      case StepKind::Evaluate:
        r[s.result] = s.evaluate(r[s.a], r[s.b], r[s.c]);
        return;
      case StepKind::Copy:
        r[s.result] = r[s.a];
        return;
      case StepKind::Position:
        r[s.result] = position(launch_, thread_, *s.source);
        return;
      case StepKind::Extent:
        r[s.result] = array(s.a).shape[static_cast<size_t>(s.source->imm)];
        return;
      case StepKind::Stride:
        r[s.result] = array(s.a).strides[static_cast<size_t>(s.source->imm)];
        return;
      case StepKind::View:
        return view(s);
      case StepKind::Call:
        return call(s);
      case StepKind::Return:
        return return_(s);
      case StepKind::Jump:
        thread_.next = s.target;
        return;
      case StepKind::JumpUnless:
        if (!r[s.a]) thread_.next = s.target;
        return;
      case StepKind::LoopBegin:
        return loop_begin(s);
      case StepKind::LoopNext:
        return loop_next(s);
      case StepKind::Effect:
        return effect(s);
      case StepKind::Check:  // holds
      case StepKind::Barrier:
      case StepKind::Warp:
      case StepKind::Finish:
        return;
    }
  }

  void call(const Step& s) {
    const FunctionCode& called = launch_.code.functions[s.b];
    const std::vector<int64_t> before = thread_.registers;
    thread_.enter(launch_, called);
    registers_ = thread_.registers.data();
    for (const auto& [result, operand] : called.parameters)
      registers_[result] = before[launch_.code.lists[s.a + operand]];
    lend(s, *called.function, before);
  }

  void lend(const Step& s, const Function& called, const std::vector<int64_t>& registers) {
    const size_t before = called.kernel_params(), scalars = called.params.size() - before;
    for (size_t k = 0; k < called.lent.size(); ++k) {
      const auto number = static_cast<size_t>(registers[launch_.code.lists[s.a + scalars + k]]);
      thread_.arrays[called.lent[k]] = thread_.callers.back().arrays[number - before];
    }
  }

  void return_(const Step& s) {
    std::vector<int64_t> results(s.b);
    for (uint32_t k = 0; k < s.b; ++k) results[k] = registers_[launch_.code.lists[s.a + k]];
    thread_.leave();
    registers_ = thread_.registers.data();
    const Step& call = launch_.code.steps[thread_.next - 1];
    for (uint32_t k = 0; k < s.b; ++k)
      registers_[k == 0 ? call.result : call.c + k - 1] = results[k];
  }

  void effect(const Step& s) {
    switch (s.source->op) {
      case Op::Load:
        return load(s);
      case Op::Store:
        return store(s);
      case Op::AtomicLoad:
        return load(s);
      case Op::AtomicStore:
        return store(s);
      case Op::AtomicRmw:
        return atomic_rmw(s);
      case Op::AtomicCas:
        return atomic_cas(s);
      case Op::AtomicLoadPair:
        return load_pair(s);
      case Op::AtomicSecond:
        registers_[s.result] = registers_[s.b];
        return;
      case Op::AtomicStorePair:
        return store_pair(s);
      case Op::Fence:
        return;  // threads take turns
      case Op::Prefetch:
        return;
      case Op::WarpCheck:
        return;  // threads wait for each other
      case Op::Print:
        return print(s);
      case Op::Opaque:
        return opaque(s);
      case Op::Call:
      case Op::CallResult:
      case Op::Check:
#define BARRIER(name, ...) case Op::name:
#define WARP(name, ...) case Op::name:
#include "ir/op.def"
        break;  // kinds of steps of their own
#define OP(name, ...) case Op::name:
#define EFFECT(...)
#include "ir/op.def"
        break;
    }
    CD_UNREACHABLE("no effect: " + std::string(info(s.source->op).text));
  }

  size_t parameters() const { return launch_.arguments.size(); }
  // Null: a parameter.
  const OwnArray* own(uint32_t reg) const {
    const auto number = static_cast<size_t>(registers_[reg]);
    return number < parameters() ? nullptr : &thread_.arrays[number - parameters()];
  }
  const ArrayArgument& array(uint32_t reg) const {
    const OwnArray* a = own(reg);
    return a ? a->array : launch_.arguments[static_cast<size_t>(registers_[reg])].array;
  }
  bool is_read_only(uint32_t reg) const {
    const OwnArray* a = own(reg);
    const auto& params = launch_.code.function->params;
    return a ? a->read_only : params[static_cast<size_t>(registers_[reg])].facts.read_only;
  }

  void view(const Step& s) {
    const uint32_t* list = &launch_.code.lists[s.a];
    const auto number = [&](size_t i) { return registers_[list[i]]; };
    const size_t ndim = s.source->type.ndim;
    OwnArray made;
    if (const OwnArray* base = own(list[0])) made = *base;
    made.read_only = is_read_only(list[0]);
    made.array.data = array(list[0]).data + number(1);
    made.array.shape.resize(ndim);
    made.array.strides.resize(ndim);
    for (size_t axis = 0; axis < ndim; ++axis) {
      made.array.shape[axis] = number(2 + axis);
      made.array.strides[axis] = number(2 + ndim + axis);
    }
    thread_.arrays[s.b - parameters()] = std::move(made);
    registers_[s.result] = s.b;
  }

  char* address(const Step& s) {
    const uint32_t* list = &launch_.code.lists[s.a];
    const ArrayArgument& a = array(list[0]);
    char* at = a.data;
    for (size_t axis = 0; axis < a.shape.size(); ++axis) {
      const int64_t index = registers_[list[1 + axis]];
      if (index < 0 || index >= a.shape[axis]) out_of_range(s, axis, index, a.shape[axis]);
      at += index * a.strides[axis];
    }
    const OwnArray* memory = own(list[0]);
    at += leaf_offset(*s.source);
    const bool bounded = memory && memory->begin;
    if (bounded && (at < memory->begin || at + bytes_accessed(s) > memory->end))
      fail(s, "the element is outside of the memory that the view was made of");
    return at;
  }

  // What the step loads or stores.
  ScalarKind element(const Step& s) const {
    const Inst& inst = *s.source;
    return (inst.type.is_none() ? inst.operands.back()->type : inst.type).scalar();
  }

  int64_t bytes_accessed(const Step& s) const {
    const Type array = s.source->operands[0]->type;
    return info(s.source->op).imm == ImmKind::Leaf ? bytes_of(element(s)) : array.element_bytes();
  }

  void load(const Step& s) {
    const ScalarKind kind = element(s);
    uint64_t raw = 0;
    std::memcpy(&raw, address(s), static_cast<size_t>(bytes_of(kind)));  // little-endian hosts
    const auto value = static_cast<int64_t>(raw);
    registers_[s.result] = is_float(kind) ? value : canonical(kind, value);
  }

  void store(const Step& s) {
    const int64_t value = operand(s, 1);
    put(s, writable(s), &value, static_cast<size_t>(bytes_of(element(s))));
  }

  // What leaves the bytes as they are changes nothing: others wait on.
  void put(const Step& s, char* at, const void* from, size_t bytes) {
    if (s.source->operands[0]->type.space != AddressSpace::Local &&
        std::memcmp(at, from, bytes) != 0)
      ++launch_.changes;
    std::memcpy(at, from, bytes);
  }

  char* writable(const Step& s) {
    char* at = address(s);
    if (is_read_only(s.source->operands[0]->id)) fail(s, "the array is read-only");
    return at;
  }
  // Counted from the last, which is 1.
  int64_t operand(const Step& s, size_t from_end) const {
    return registers_[(s.source->operands.end() - static_cast<std::ptrdiff_t>(from_end))[0]->id];
  }

  // A thread executes a step while no other executes any.
  void atomic_rmw(const Step& s) {
    const ScalarKind kind = element(s);
    char* at = writable(s);
    const int64_t given = operand(s, 1);
    load(s);
    const int64_t after =
        after_atomic(AtomicSpec::decoded(s.source->imm)->kind, kind, registers_[s.result], given);
    put(s, at, &after, static_cast<size_t>(bytes_of(kind)));
  }

  void atomic_cas(const Step& s) {
    char* at = writable(s);
    const int64_t expected = operand(s, 2), value = operand(s, 1);
    const auto bytes = static_cast<size_t>(bytes_of(element(s)));
    load(s);
    if (std::memcmp(at, &expected, bytes) == 0) put(s, at, &value, bytes);
  }

  void load_pair(const Step& s) {
    const char* at = address(s);
    std::memcpy(&registers_[s.result], at, sizeof(int64_t));
    std::memcpy(&registers_[s.b], at + sizeof(int64_t), sizeof(int64_t));
  }

  void store_pair(const Step& s) {
    const int64_t both[] = {operand(s, 2), operand(s, 1)};
    put(s, writable(s), both, sizeof both);
  }

  void loop_begin(const Step& s) {
    const uint32_t* bounds = &launch_.code.lists[s.a];
    const int64_t start = registers_[bounds[0]];
    const ScalarKind kind = s.source->operands[0]->type.scalar();
    registers_[s.result] =
        static_cast<int64_t>(trip_count(kind, start, registers_[bounds[1]], registers_[bounds[2]]));
    registers_[s.result + 1] = start;
  }

  void loop_next(const Step& s) {
    int64_t& left = registers_[s.result];
    int64_t& value = registers_[s.result + 1];
    if (left == 0) {
      thread_.next = s.target;
      return;
    }
    left = static_cast<int64_t>(static_cast<uint64_t>(left) - 1);
    registers_[s.b] = value;
    // Beyond the last iteration the sum may wrap; it is not read then.
    const auto step = static_cast<uint64_t>(registers_[launch_.code.lists[s.a + 2]]);
    value = canonical(s.source->operands[0]->type.scalar(),
                      static_cast<int64_t>(static_cast<uint64_t>(value) + step));
  }

  [[noreturn]] void out_of_range(const Step& s, size_t axis, int64_t index, int64_t extent) const {
    fail(s, "index " + std::to_string(index) + " on axis " + std::to_string(axis) +
                " is out of range for extent " + std::to_string(extent));
  }

  [[noreturn]] void fail(const Step& s, const std::string& what) const {
    const Function& in = *launch_.code.function_of(thread_.next).function;
    throw InterpretError("block " + text_of(thread_.block) + ", thread " + text_of(thread_.index) +
                         ": " + what + ": " + print_line(in, *s.source));
  }

  const Launch& launch_;
  Thread& thread_;
  int64_t* registers_;
};

}  // namespace

uint64_t trip_count(ScalarKind kind, int64_t start, int64_t stop, int64_t step) {
  const auto first = static_cast<uint64_t>(start);
  const auto last = static_cast<uint64_t>(stop);
  const auto stride = static_cast<uint64_t>(step);
  if (step == 0) return 0;
  if (is_unsigned_int(kind)) return first < last ? (last - first - 1) / stride + 1 : 0;
  if (step > 0) return start < stop ? (last - first - 1) / stride + 1 : 0;
  return start > stop ? (first - last - 1) / (0 - stride) + 1 : 0;
}

std::string text_of(const std::array<uint32_t, 3>& v) {
  return "(" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " + std::to_string(v[2]) +
         ")";
}

const Inst& barrier_of(const Launch& launch, const Thread& thread) {
  return *launch.code.steps[thread.next].source;
}

FailedThread failure_of(const Launch& launch, const Thread& thread) {
  const Step& s = launch.code.steps[thread.next];
  FailedThread failed{0, thread.block, thread.index};
  if (s.kind == StepKind::Call) {
    failed.failure = launch.code.functions[s.b].function->too_deep;
    return failed;
  }
  failed.failure = static_cast<uint32_t>(s.source->imm);
  for (size_t k = 1; k < s.source->operands.size(); ++k)
    failed.values.at(k - 1) = thread.registers[launch.code.lists[s.b + k]];
  return failed;
}

bool barrier_operand(const Launch& launch, const Thread& thread) {
  const Inst& barrier = barrier_of(launch, thread);
  return !barrier.operands.empty() && thread.registers[launch.code.steps[thread.next].a] != 0;
}

void pass_barrier(const Launch& launch, Thread& thread, int64_t result) {
  const Step& s = launch.code.steps[thread.next++];
  if (!s.source->type.is_none()) thread.registers[s.result] = result;
}

uint32_t warp_lane(const Launch& launch, const Thread& thread) {
  return linear_index(launch, thread) % kWarpSize;
}

uint32_t warp_number(const Launch& launch, const Thread& thread) {
  return linear_index(launch, thread) / kWarpSize;
}

WarpMember warp_member(const Launch& launch, const Thread& thread) {
  const Step& s = launch.code.steps[thread.next];
  WarpMember member{.lane = warp_lane(launch, thread), .operation = s.source, .step = thread.next};
  const size_t count = s.source->operands.size();
  if (count > 0) member.mask = static_cast<uint32_t>(thread.registers[s.a]);
  if (count > 1) member.value = thread.registers[s.b];
  if (count > 2) member.number = thread.registers[s.c];
  return member;
}

void pass_warp(const Launch& launch, Thread& thread, int64_t result) {
  pass_barrier(launch, thread, result);
}

std::string step_text(const Launch& launch, uint32_t step) {
  const Inst* inst = launch.code.steps[step].source;
  if (!inst) return "a loop that reads no memory";
  const std::string line = inst->span.known() ? " in line " + std::to_string(inst->span.line) : "";
  const Function& in = *launch.code.function_of(step).function;
  return "'" + print_line(in, *inst) + "'" + line;
}

std::string place_text(const Launch& launch, const Thread& thread) {
  return "thread " + text_of(thread.index) + " at " + step_text(launch, thread.next);
}

Outcome advance(const Launch& launch, Thread& thread, uint64_t steps) {
  return Runner(launch, thread).run(steps);
}

}  // namespace cuda_device::ir
