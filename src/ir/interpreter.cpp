#include "ir/interpreter.h"

#include "ir/float_environment.h"
#include "ir/machine.h"
#include "ir/warp.h"
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

// Threads of one warp, and where each has come to.
class Warp {
 public:
  Warp(const Launch& launch, uint64_t max_steps) : launch_(launch), max_steps_(max_steps) {}
  void add(Thread&& thread) { lanes_.push_back({std::move(thread), Outcome::OutOfSteps}); }

  // Runs all threads until each has left the kernel or stands at a barrier, where they are moved to
  // `at_barrier`. False where one has failed.
  bool run(std::vector<Thread>& at_barrier) {
    do {
      for (Lane& lane : lanes_) {
        if (lane.outcome != Outcome::OutOfSteps) continue;
        lane.outcome = run_to_barrier(launch_, lane.thread, max_steps_);
        if (lane.outcome == Outcome::Failed) return false;
      }
    } while (pass_one_meeting());
    for (Lane& lane : lanes_)
      if (lane.outcome == Outcome::AtBarrier) at_barrier.push_back(std::move(lane.thread));
    return true;
  }

 private:
  struct Lane {
    Thread thread;
    Outcome outcome;  // OutOfSteps: it is to go on
  };

  bool pass_one_meeting() {
    std::vector<WarpMember> members;
    std::vector<Lane*> waiting;
    for (Lane& lane : lanes_) {
      if (lane.outcome != Outcome::InWarp) continue;
      members.push_back(warp_member(launch_, lane.thread));
      waiting.push_back(&lane);
      check_own_mask(lane.thread, members.back());
    }
    if (waiting.empty()) return false;
    const std::vector<size_t> group = meeting(members, live());
    if (group.empty()) nobody_comes(waiting.front()->thread, members.front());
    std::vector<WarpMember> met;
    met.reserve(group.size());
    for (const size_t i : group) met.push_back(members[i]);
    const std::vector<int64_t> results = results_of_meeting(met);
    for (size_t k = 0; k < group.size(); ++k) {
      pass_warp(launch_, waiting[group[k]]->thread, results[k]);
      waiting[group[k]]->outcome = Outcome::OutOfSteps;
    }
    return true;
  }

  uint32_t live() const {
    uint32_t lanes = 0;
    for (const Lane& lane : lanes_)
      if (lane.outcome != Outcome::Finished)
        lanes |= uint32_t{1} << warp_lane(launch_, lane.thread);
    return lanes;
  }

  std::string beginning(const Thread& thread) const {
    return "kernel '" + launch_.code.function->name + "', block " + text_of(thread.block) + ": ";
  }

  void check_own_mask(const Thread& thread, const WarpMember& member) const {
    if (member.operation->op == Op::ActiveMask || member.mask >> member.lane & 1) return;
    throw InterpretError(beginning(thread) +
                         "a thread is not in its own mask: " + place_text(launch_, thread));
  }

  // Some thread that the mask names waits elsewhere.
  [[noreturn]] void nobody_comes(const Thread& thread, const WarpMember& member) const {
    for (const Lane& lane : lanes_) {
      const bool named = member.mask >> warp_lane(launch_, lane.thread) & 1;
      if (lane.outcome == Outcome::Finished || !named) continue;
      if (lane.outcome == Outcome::InWarp) {
        const WarpMember other = warp_member(launch_, lane.thread);
        if (other.operation == member.operation && other.mask == member.mask) continue;
      }
      throw InterpretError(beginning(thread) + "threads of a warp wait for each other in vain: " +
                           place_text(launch_, thread) + ", " + place_text(launch_, lane.thread));
    }
    CD_UNREACHABLE("all threads of a mask have come, and do not meet");
  }

  const Launch& launch_;
  const uint64_t max_steps_;
  std::vector<Lane> lanes_;
};

// Runs the threads of a block warp by warp. False where one has failed.
class BlockRun {
 public:
  BlockRun(const Launch& launch, uint64_t max_steps) : launch_(launch), max_steps_(max_steps) {
    current_.emplace(launch, max_steps);
  }

  bool add(Thread&& thread) {
    const uint32_t warp = warp_number(launch_, thread);
    if (warp != current_number_ && !finish_warp()) return false;
    current_number_ = warp;
    current_->add(std::move(thread));
    return true;
  }
  bool finish_warp() {
    const bool fine = current_->run(waiting_);
    current_.emplace(launch_, max_steps_);
    return fine;
  }
  std::vector<Thread> waiting() { return std::move(waiting_); }

 private:
  const Launch& launch_;
  const uint64_t max_steps_;
  uint32_t current_number_ = 0;
  std::optional<Warp> current_;
  std::vector<Thread> waiting_;  // at a barrier
};

// False where a thread has failed.
bool run_block(const Launch& launch, const Index& block, uint64_t max_steps) {
  const BlockMemory memory(launch, block);
  BlockRun first(launch, max_steps);
  bool fine = true;
  for_each_index(launch.grid.block, [&](const Index& index) {
    return fine = first.add(Thread(launch, block, index, &memory));
  });
  if (!fine || !first.finish_warp()) return false;
  for (std::vector<Thread> waiting = first.waiting(); !waiting.empty();) {
    meet(launch, waiting);
    BlockRun next(launch, max_steps);
    for (Thread& thread : waiting)
      if (!next.add(std::move(thread))) return false;
    if (!next.finish_warp()) return false;
    waiting = next.waiting();
  }
  return true;
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
