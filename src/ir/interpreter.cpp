#include "ir/interpreter.h"

#include "ir/float_environment.h"
#include "ir/machine.h"
#include "support/check.h"

namespace cuda_device::ir {
namespace {

using Index = std::array<uint32_t, 3>;

// Calls the action on indices in increasing order, x fastest, while it returns true.
template <class Action>
void for_each_index(const Index& extents, Action&& action) {
  Index i;
  for (i[2] = 0; i[2] < extents[2]; ++i[2]) {
    for (i[1] = 0; i[1] < extents[1]; ++i[1]) {
      for (i[0] = 0; i[0] < extents[0]; ++i[0]) {
        if (!action(i)) return;
      }
    }
  }
}

void check_arguments(const Function& f, const std::vector<Argument>& arguments) {
  CD_CHECK(arguments.size() == f.params.size(), "wrong number of arguments");
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type type = f.params[i].type;
    const size_t ndim = type.is_array() ? type.ndim : 0;
    const ArrayArgument& array = arguments[i].array;
    CD_CHECK(array.shape.size() == ndim && array.strides.size() == ndim,
             "argument " + std::to_string(i) + " is no " + to_string(type));
  }
}

std::vector<int64_t> scalars_of(const Function& f, const std::vector<Argument>& arguments) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type type = f.params[i].type;
    const int64_t value = arguments[i].scalar;
    const bool integral = type.is_int() || type.is_bool();
    out.push_back(integral ? canonical(type.scalar(), value) : value);
  }
  return out;
}

void report_failure(const Launch& launch, const Thread& thread) {
  const Function& f = *launch.code.function;
  const auto failure = static_cast<uint32_t>(check_of(launch, thread).imm);
  const FailedThread failed{failure, thread.block, thread.index};
  if (!launch.report)
    throw InterpretError(cuda_device::text_of(f.name, f.failures[failure], "", failed));
  launch.report->failed = failed;
}

// Where the thread has come to.
Outcome run_to_barrier(const Launch& launch, Thread& thread, uint64_t max_steps) {
  const Outcome outcome = advance(launch, thread, max_steps - thread.taken);
  if (outcome == Outcome::OutOfSteps) {
    throw InterpretError("kernel '" + launch.code.function->name + "' exceeded " +
                         std::to_string(max_steps) + " steps in one thread");
  }
  if (outcome == Outcome::Failed) report_failure(launch, thread);
  return outcome;
}

std::string place_text(const Launch& launch, const Thread& thread) {
  const Inst& barrier = barrier_of(launch, thread);
  const std::string line =
      barrier.span.known() ? " in line " + std::to_string(barrier.span.line) : "";
  return "thread " + text_of(thread.index) + " at '" + print_line(*launch.code.function, barrier) +
         "'" + line;
}

int64_t barrier_result(Op op, size_t came, size_t trues) {
  switch (op) {
    case Op::Barrier:
      return 0;
    case Op::BarrierCount:
      return static_cast<int64_t>(trues);
    case Op::BarrierAnd:
      return trues == came;
    case Op::BarrierOr:
      return trues != 0;
    default:
      CD_UNREACHABLE("no barrier: " + std::string(info(op).text));
  }
}

// All that have not left the kernel stand at a barrier: at the same one, or the program is wrong.
void meet(const Launch& launch, std::vector<Thread>& waiting) {
  const Inst& barrier = barrier_of(launch, waiting.front());
  size_t trues = 0;
  for (const Thread& thread : waiting) {
    if (&barrier_of(launch, thread) != &barrier) {
      throw InterpretError("kernel '" + launch.code.function->name + "', block " +
                           text_of(thread.block) + ": threads wait at different barriers: " +
                           place_text(launch, waiting.front()) + ", " + place_text(launch, thread));
    }
    trues += barrier_operand(launch, thread);
  }
  const int64_t result = barrier_result(barrier.op, waiting.size(), trues);
  for (Thread& thread : waiting) pass_barrier(launch, thread, result);
}

// False where a thread has failed.
bool run_block(const Launch& launch, const Index& block, uint64_t max_steps) {
  const BlockMemory memory(launch, block);
  std::vector<Thread> waiting;
  bool failed = false;
  const auto run = [&](Thread&& thread, std::vector<Thread>& still) {
    const Outcome outcome = run_to_barrier(launch, thread, max_steps);
    if (outcome == Outcome::AtBarrier) still.push_back(std::move(thread));
    failed = outcome == Outcome::Failed;
    return !failed;
  };
  for_each_index(launch.grid.block, [&](const Index& index) {
    return run(Thread(launch, block, index, &memory), waiting);
  });
  while (!waiting.empty() && !failed) {
    meet(launch, waiting);
    std::vector<Thread> still;
    for (Thread& thread : waiting) {
      if (!run(std::move(thread), still)) break;
    }
    waiting = std::move(still);
  }
  return !failed;
}

}  // namespace

void interpret(const Function& f, const std::vector<Argument>& arguments, const Grid& grid,
               uint64_t max_steps, LaunchReport* report, const OpaqueCall& opaque) {
  verify_or_throw(f, "all that came before the interpreter");
  check_arguments(f, arguments);
  CD_CHECK(!f.launch.has_block() || f.launch.block == grid.block,
           "the kernel is specialised for another block shape");
  const DefaultFloatEnvironment environment;
  const StepCode code = flatten(f, scalars_of(f, arguments));
  Launch launch{
      .code = code, .arguments = arguments, .grid = grid, .report = report, .opaque = opaque};
  for (const PrintFormat& format : f.formats) launch.printers.emplace_back(format);
  for_each_index(grid.grid,
                 [&](const Index& block) { return run_block(launch, block, max_steps); });
}

}  // namespace cuda_device::ir
