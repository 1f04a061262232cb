// Whether a thread comes back to the same states again and again, however many there are.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace cuda_device::runtime::fibres {

// A hash of what came before and of what comes next: the order matters. Compiled code chains what
// an iteration reads and keeps by the same step (codegen/thread/body.cpp).
inline uint64_t chained(uint64_t before, uint64_t next) {
  return ((std::rotl(before, 23) ^ next) + 1) * 0x9e3779b97f4a7c15;
}

// Brent's method: one state is kept, for twice as many turns as the one before, so it is within the
// cycle soon and long enough to be met again. A lap is what lies between two meetings. The thread
// goes round where two laps in a row are the same, in all of their states, which a hash tells: a
// loop with a counter comes to some of its states again and again, too. From then on it is taken
// to, until the state is not met where it should be or a lap is another one: after one more lap
// that is known.
class Cycle {
 public:
  // Longer ones are not found: each look at a block would take as many rounds.
  static constexpr uint32_t kLongest = 4096;

  // The thread's next state, never zero.
  void turn(uint64_t state) {
    ++turns_;
    lap_ = chained(lap_, state);
    if (state == kept_)
      meet();
    else if (turns_ >= (length_ != 0 ? length_ : until_))
      keep(state);
  }
  bool goes_round() const { return goes_round_; }
  uint32_t length() const { return length_; }  // of a lap; 0: none is known

 private:
  void meet() {
    const bool first = length_ == 0;
    goes_round_ = !first && turns_ == length_ && lap_ == last_lap_;
    if (!first && !goes_round_) return forget();
    length_ = turns_;
    last_lap_ = lap_;
    turns_ = 0;
    lap_ = 0;
  }
  // The state may come several times in a cycle: another one is kept next, a random number of turns
  // away, so that no pattern of the cycle's leads to such states for ever.
  void forget() {
    random_ = random_ * 1664525 + 1013904223;
    until_ = 1 + (random_ >> 26);
    kept_ = 0;
    start();
  }
  void keep(uint64_t state) {
    if (kept_ != 0 && length_ == 0) limit_ = std::min(2 * limit_, kLongest);
    until_ = limit_;
    kept_ = state;
    start();
  }
  void start() {
    goes_round_ = false;
    turns_ = length_ = 0;
    lap_ = 0;
  }

  uint64_t kept_ = 0;                // 0: none
  uint64_t lap_ = 0, last_lap_ = 0;  // hashes of the states since the last meeting, and before
  uint32_t turns_ = 0;               // since the state was kept or met
  uint32_t until_ = 1;               // for so many it is kept
  uint32_t limit_ = 1;
  uint32_t length_ = 0;
  uint32_t random_ = 0;
  bool goes_round_ = false;
};

}  // namespace cuda_device::runtime::fibres
