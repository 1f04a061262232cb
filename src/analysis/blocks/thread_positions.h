// Values that follow from a thread's place in its block alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/ir.h"

namespace cuda_device::analysis {

// The values of expressions in all threads of block 0, x fastest, where they follow from the
// places of threads and from constants. The block shape is a fact.
class ThreadPositions {
 public:
  using Values = std::optional<std::vector<int64_t>>;  // by thread; none: not known

  explicit ThreadPositions(const ir::Function& f) : block_(f.launch.block) {}

  size_t threads() const { return size_t{block_[0]} * block_[1] * block_[2]; }
  const Values& values(const ir::Inst& inst);
  // How often each thread executes the body of a `for` that it does not leave by a jump.
  Values trips(const ir::Inst& loop);

 private:
  static constexpr int kDeepest = 1000;

  template <class F>
  Values each(F&& value) const {
    std::vector<int64_t> all(threads());
    for (size_t thread = 0; thread < all.size(); ++thread) all[thread] = value(thread);
    return all;
  }
  Values answer(const ir::Inst& inst);
  Values computed(const ir::Inst& inst);
  std::array<size_t, 3> index(size_t thread) const;

  std::array<uint32_t, 3> block_;
  std::unordered_map<uint32_t, Values> known_;  // by Inst::id
  int depth_ = 0;
};

}  // namespace cuda_device::analysis
