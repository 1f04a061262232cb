// Answers the calls of `opaque` and records them, thread by thread: operand 0 says which thread it
// is.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <span>
#include <vector>

#include "ir/op.h"

namespace cuda_device::ir {

class OpaqueTrace {
 public:
  struct Call {
    int64_t identity;
    std::vector<int64_t> operands;
    friend bool operator==(const Call&, const Call&) = default;
  };
  using Calls = std::map<int64_t, std::vector<Call>>;  // by thread, in its order

  // `touch` changes memory of the thread, by the number that it is given. It is asked of the parts
  // that may do so.
  explicit OpaqueTrace(std::function<void(int64_t thread, int64_t number)> touch)
      : touch_(std::move(touch)) {}

  // Hangs on what the thread has called before: one call more or less, or in another order, changes
  // what follows.
  int32_t call(int64_t identity, std::span<const int64_t> operands) {
    const int64_t thread = operands[0];
    std::vector<Call>& own = calls_[thread];
    own.push_back({identity, {operands.begin(), operands.end()}});
    const auto number = static_cast<uint64_t>(identity) * 31 + own.size() * 7 +
                        static_cast<uint64_t>(operands.back()) * 3 + static_cast<uint64_t>(thread);
    const OpaquePart part = opaque_part(identity);
    if (part != OpaquePart::Vote && part != OpaquePart::Wait)
      touch_(thread, static_cast<int64_t>(number % 11));
    return static_cast<int32_t>(number % 13) - 4;
  }

  const Calls& calls() const { return calls_; }
  size_t count() const {
    size_t all = 0;
    for (const auto& [thread, own] : calls_) all += own.size();
    return all;
  }

 private:
  std::function<void(int64_t, int64_t)> touch_;
  Calls calls_;
};

inline void PrintTo(const OpaqueTrace::Call& call, std::ostream* out) {
  *out << "opaque " << call.identity << " (";
  for (const int64_t operand : call.operands) *out << " " << operand;
  *out << " )";
}

}  // namespace cuda_device::ir
