// How far values move from one iteration of a loop to the next.
#pragma once

#include <optional>
#include <vector>

#include "ir/ir.h"

namespace cuda_device::analysis {

using Stride = std::optional<int64_t>;  // none: not by a constant

// Strides of values in one `for`. A hint: an index that wraps, or a variable that is not stored to
// in every iteration, may move otherwise.
class IterationStrides {
 public:
  IterationStrides(const ir::Function& f, const ir::Inst& loop, int64_t step);
  Stride of(const ir::Inst& i) { return of(i, 0); }

 private:
  using Inst = ir::Inst;

  Stride of(const Inst& i, int depth);
  Stride of_slot(int64_t number, int depth);
  Stride product(const Inst& i, int depth);
  bool stays(const Inst& i, int depth);
  std::vector<const Inst*>& slot(int64_t number) { return stored_[static_cast<size_t>(number)]; }

  std::vector<std::vector<const Inst*>> stored_;  // in the loop, by slot
  int64_t counter_ = 0;
  int64_t step_ = 0;
};

}  // namespace cuda_device::analysis
