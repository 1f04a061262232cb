// Whether a loop looks at another element in each of its iterations.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "analysis/tree.h"
#include "ir/ir.h"

namespace cuda_device::analysis {

// A variable moves where every path from one iteration to the next gives it a value that is
// computed from itself, or from another one that moves: `slot = (slot + 1) % n`, `x = parent[x]`.
// One that moves only if what was read says so does not (`if flag[i] != 0: i += 1`,
// `i += flag[i] != 0`): the loop looks at one element again until another thread has written it.
class MovingIndices {
 public:
  using Predicate = std::function<bool(const ir::Inst&)>;
  // `reads_others`: finds values that other threads write meanwhile. `takes_numbers`: gives another
  // value each time (`next.fetch_add(1)`), which is such a step, too.
  MovingIndices(const ir::Function& f, const Tree& tree, const ir::Inst& loop,
                Predicate reads_others, Predicate takes_numbers);
  bool moves(const ir::Inst& index);

 private:
  // How a value is come by, in an iteration.
  enum class Way : uint8_t {
    Stays,     // of what the loop does not change, or changes without a read
    Computed,  // from a variable that moves
    Followed,  // read where a variable that moves points to
    Told,      // what other threads write decides it, in another way
  };

  Way way(const ir::Inst& value, bool copied);
  Way find_way(const ir::Inst& value, bool copied);
  Way of_slot(const ir::Inst& load, bool copied);
  Way of_select(const ir::Inst& select, bool copied);
  Way of_operands(const ir::Inst& i);
  bool counts(const ir::Inst& store);
  bool is_told(const ir::Inst& store);
  bool decided_without_reading(const ir::Inst& store);
  void drop_those_that_stay(const ir::Function& f);

  const Tree& tree_;
  const ir::Inst& loop_;
  const Predicate reads_others_, takes_numbers_;
  std::vector<bool> inside_;                             // by Inst::id
  std::vector<std::vector<const ir::Inst*>> stores_;     // in the loop, by slot
  std::vector<const ir::Inst*> counted_by_;              // loops inside, by the slot they count in
  std::vector<bool> carried_, moving_;                   // by slot
  std::array<std::map<const ir::Inst*, Way>, 2> known_;  // the second: of what is copied
  int64_t target_ = -1;                                  // the slot whose store is looked at
};

}  // namespace cuda_device::analysis
