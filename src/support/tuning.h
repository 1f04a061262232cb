// The compiler's heuristics: what it does for speed alone, and which of it one compilation does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cuda_device {

enum class Heuristic : uint8_t {
#define HEURISTIC(name, decision, purpose) name,
#include "support/tuning.def"
#undef HEURISTIC
};

struct HeuristicInfo {
  Heuristic heuristic;
  std::string_view name;
  std::string_view purpose;
};

inline constexpr HeuristicInfo kHeuristics[] = {
#define HEURISTIC(name, decision, purpose) {Heuristic::name, #name, purpose},
#include "support/tuning.def"
#undef HEURISTIC
};

// All heuristics but those that are switched off.
class Tuning {
 public:
  bool on(Heuristic h) const { return (off_ & bit(h)) == 0; }
  void switch_off(Heuristic h) { off_ |= bit(h); }
  uint64_t off() const { return off_; }  // a bit for each
  friend bool operator==(const Tuning&, const Tuning&) = default;

 private:
  static constexpr uint64_t bit(Heuristic h) { return uint64_t{1} << static_cast<unsigned>(h); }
  uint64_t off_ = 0;
};

// A comma-separated list of "-name"; "-all" switches every heuristic off. Throws
// std::invalid_argument for any other word; it names all that there are.
Tuning parse_tuning(std::string_view list);

}  // namespace cuda_device
