// A started block: its threads, each a fibre, and where they meet.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "abi/host_thread.h"
#include "runtime/host/fibres/cycle.h"
#include "runtime/host/fibres/meeting.h"
#include "runtime/host/fibres/stacks.h"
#include "runtime/host/fibres/switch.h"
#include "runtime/host/fibres/word.h"

namespace cuda_device::runtime::fibres {

class Block;
struct Fibre;

// What runs on it: the code of all threads, as the image has it.
struct Kernel {
  abi::HostThreadEntry entry = nullptr;
  uint32_t stack = 0;   // bytes, of its own frame
  uint32_t arrays = 0;  // bytes of a block's shared arrays
  // Its threads wait for nobody: one after the other runs on one stack.
  bool alone = false;
  bool flush_subnormals = false;
};

// A thread of the machine, which carries the fibres of its started blocks.
struct Carrier {
  enum class Left : uint8_t {
    RoundOver,  // every thread that could go on had its turn
    Failed,     // a thread has ended its block
    Asked,      // somebody else is to decide whether the running fibre goes on
  };

  Context own;  // of its own stack
  Fibre* running = nullptr;
  Left left = Left::RoundOver;
  // Whether the running fibre is in the kernel's code, where it may be left: it holds no lock and
  // is not changing what is here. Read by a signal's handler.
  std::atomic<bool> in_code{false};
  bool host_may_change = false;  // what a thread has waited for
  std::string error;             // what an entry that is no machine code has thrown
};

// Lies at the top of its stack, so that a switch touches one page.
struct Fibre {
  abi::HostThread self;  // the first: machine code has its address
  Context context;
  Block* block = nullptr;
  uint32_t number = 0;  // in its block, x fastest
  uint32_t site = 0;    // where it stands
  // Its last turns, hashes of loop and state, none of them zero: loops in loops come back to the
  // same few again and again while they wait. Those are known at once; Block::cycles_ knows of
  // more.
  std::array<uint64_t, 8> turns{};
  uint8_t oldest_turn = 0;
  bool within_turns = false;  // where it meets others
  bool repeats = false;       // its last turn was no advance
  uint64_t last_turn = 0;
  // How often it has met others since, and at most in any iteration since one that was an advance.
  uint32_t meetings = 0, most_meetings = 0;
};

// Threads run in rounds: each that can go on gets its turn, by number. A fibre that waits switches
// to the next one directly. One that waits for a word is passed over while the word is the same.
class Block {
 public:
  // How a round went, or the block.
  enum class Progress : uint8_t {
    Working,  // some thread has advanced, and none is in a loop that may wait
    Turning,  // some thread has advanced, and some is in such a loop
    Still,    // none has advanced
    Stuck,    // none has advanced or ever will: all wait for each other
    Asked,    // see Carrier; go_on() continues
    Failed,
    Ended,
  };
  // A place where threads stand.
  using OnStanding = std::function<void(uint32_t site, const abi::HostThread& thread)>;

  Block(Carrier& carrier, const Kernel& kernel, const void* params, const abi::HostContext& context,
        Stacks&& stacks);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  static Stacks::Shape shape(const Kernel& kernel, const abi::LaunchDims& dims);

  // Puts all threads of that block of the grid at their beginning. The one before, if any, has
  // ended or is left as it is.
  void begin(uint64_t number);
  uint64_t number() const { return number_; }
  Progress round();
  Progress go_on();
  // The one word that all threads wait for which could go on: while it does not change, a round
  // changes nothing. None: there are several, or a thread waits for something else.
  Word awaited() const;
  // In so many rounds without an advance each thread has been through all that it does while it
  // waits: that it has left its cycle is known at the end of a lap.
  uint32_t rounds_of_a_wait() const { return longest_wait_; }
  // Calls with each thread that has not left the kernel.
  void standing(const OnStanding& use);

  // What a fibre calls, on its own stack.
  int32_t barrier(Fibre& fibre, uint32_t site, abi::ThreadBarrier kind, bool operand);
  uint64_t meet(Fibre& fibre, uint32_t site, abi::ThreadMeeting kind, uint32_t mask, uint64_t value,
                uint32_t number);
  void turn(Fibre& fibre, uint32_t site, uint64_t state, const Word& word);
  [[noreturn]] void fail();
  Carrier& carrier() const { return carrier_; }

 private:
  struct Warp {
    uint32_t live = 0;        // lanes that have not left the kernel
    uint32_t ready = 0;       // that can go on
    uint32_t awaiting = 0;    // of those, the ones that wait for a word
    uint32_t at_barrier = 0;  // that wait at the block's barrier
    uint32_t meeting = 0;     // that wait for others of a mask
    uint32_t asking = 0;      // that ask for the active lanes
    uint32_t asking_rounds = 0;
    uint32_t still_rounds = 0;  // of those, the last ones, in which no lane advanced
    uint32_t renewed = 0;       // of those that meet or ask: it was an advance that they came
    bool advanced = false;      // one of them, in this round
    // What the waiting lanes brought.
    std::array<uint64_t, kLanes> keys{};  // kind and mask, or the address of a word
    std::array<uint64_t, kLanes> values{};
    std::array<uint32_t, kLanes> numbers{};  // or the bytes of a word
    Word word(uint32_t lane) const {
      return {reinterpret_cast<const void*>(keys[lane]), values[lane], numbers[lane]};
    }
  };

  static void body(void* fibre);
  void run(Fibre& fibre);
  void run_others(Fibre& fibre);
  Fibre& fibre(uint32_t number) const;
  Warp& warp_of(const Fibre& fibre) { return warps_[fibre.number / kLanes]; }
  Fibre* next();
  void leave(Fibre& fibre);
  void advanced(Warp& warp) { warp.advanced = advanced_ = true; }
  bool meeting_advances(Fibre& fibre);
  void went_on(Warp& warp, uint32_t lanes);
  bool finish_barrier();
  bool finish_meeting(Warp& warp, uint64_t key);
  void finish_meetings(Warp& warp);
  void answer_askers(Warp& warp);
  void nobody_ready(Warp& warp);
  bool end_of_round(Warp& warp);
  Progress after_switch();
  Progress after_round();
  bool has_advanced(Fibre& fibre, uint64_t key);
  void note_iteration(Fibre& fibre, bool advanced);
  void wait_takes(uint64_t rounds);
  uint32_t lap(const Fibre& fibre) const;
  void look_for_cycles();
  void await(Fibre& fibre, const Word& word);
  void end(Fibre& fibre);
  void forget_fibres();

  Carrier& carrier_;
  const Kernel& kernel_;
  const void* const params_;
  const abi::HostContext context_;
  const Stacks stacks_;
  const uint32_t threads_;
  std::vector<Warp> warps_;
  uint64_t number_ = 0;
  bool begun_ = false;
  uint32_t live_ = 0;
  // At the barrier, wherever in the program: `kinds_` has a bit for each ThreadBarrier.
  uint32_t came_ = 0, trues_ = 0, kinds_ = 0;
  uint32_t passed_ = 0, passed_trues_ = 0;  // of the last one that is complete
  // The rest of the round: warps from this one on, of it these lanes.
  uint32_t warp_ = 0, rest_ = 0;
  bool advanced_ = false, turned_ = false;  // in this round
  uint32_t longest_wait_ = 1;  // rounds that a thread goes round in, since one advanced
  uint32_t rounds_in_turns_ = 0;
  std::vector<Cycle> cycles_;  // by number; none in a block that has not been in turns for long
};

}  // namespace cuda_device::runtime::fibres
