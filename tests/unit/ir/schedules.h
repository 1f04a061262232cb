// Every order in which threads of a small launch can take turns, at accesses to memory.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/machine.h"
#include "unit/ir/arguments.h"

namespace cuda_device::ir::test {

using Memory = std::vector<int32_t>;

// Runs a kernel of one array of int32 under all schedules. Between two accesses a thread touches
// nothing that others see, so a turn is an access and what follows it up to the next.
class Schedules {
 public:
  Schedules(const Function& f, const Grid& grid, size_t words)
      : code_(flatten(f, {0})), grid_(grid), memory_(words) {}

  // What memory holds at the end.
  std::set<Memory> outcomes() {
    std::vector<Turn> threads;
    for (uint32_t block = 0; block < grid_.grid[0]; ++block)
      for (uint32_t t = 0; t < grid_.block[0]; ++t)
        threads.push_back(to_access({Thread(launch_, {block, 0, 0}, {t, 0, 0}), false}));
    explore(threads);
    return std::move(outcomes_);
  }
  size_t states() const { return seen_.size(); }

 private:
  struct Turn {
    Thread thread;
    bool done;
  };

  Turn to_access(Turn turn) {
    while (!turn.done && code_.steps[turn.thread.next].kind != StepKind::Effect) step(turn);
    return turn;
  }
  void step(Turn& turn) { turn.done = advance(launch_, turn.thread, 1) == Outcome::Finished; }

  void explore(const std::vector<Turn>& threads) {
    if (!seen_.insert(key(threads)).second) return;
    const Memory before = memory_;
    bool all_done = true;
    for (size_t i = 0; i < threads.size(); ++i) {
      if (threads[i].done) continue;
      all_done = false;
      std::vector<Turn> next = threads;
      step(next[i]);
      next[i] = to_access(std::move(next[i]));
      explore(next);
      std::copy(before.begin(), before.end(), memory_.begin());
    }
    if (all_done) outcomes_.insert(memory_);
  }

  std::string key(const std::vector<Turn>& threads) const {
    std::string key(reinterpret_cast<const char*>(memory_.data()),
                    memory_.size() * sizeof(int32_t));
    for (const Turn& turn : threads) {
      key += std::to_string(turn.done ? -1 : static_cast<int64_t>(turn.thread.next));
      for (const int64_t r : turn.thread.registers) key += "," + std::to_string(r);
      key += ";";
    }
    return key;
  }

  const StepCode code_;
  const Grid grid_;
  Memory memory_;
  const std::vector<Argument> arguments_{array_of(memory_)};
  const Launch launch_{.code = code_, .arguments = arguments_, .grid = grid_};
  std::set<std::string> seen_;
  std::set<Memory> outcomes_;
};

}  // namespace cuda_device::ir::test
