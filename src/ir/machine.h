// Executes StepCode. The states of a launch, a block and a thread are values, so that threads can
// be run in any interleaving.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ir/interpreter.h"
#include "ir/step_code.h"
#include "support/print_format.h"

namespace cuda_device::ir {

struct Launch {
  const StepCode& code;
  const std::vector<Argument>& arguments;
  Grid grid;
  LaunchReport* report = nullptr;          // null: none is wanted
  std::vector<PrintFormatter> printers{};  // by format
  OpaqueCall opaque{};                     // empty: calls do nothing
  // How often threads did what others can see: they changed a byte of global or shared memory, or
  // reported something.
  mutable uint64_t changes = 0;
};

// An array that is no parameter itself.
struct OwnArray {
  ArrayArgument array;
  // Its memory, which a view must not leave; null where that is not known (a parameter's).
  const char* begin = nullptr;
  const char* end = nullptr;
  bool read_only = false;
  friend bool operator==(const OwnArray&, const OwnArray&) = default;
};

// The shared memory of one block: the function's shared arrays, then the dynamic part.
class BlockMemory {
 public:
  BlockMemory(const Launch& launch, std::array<uint32_t, 3> block);
  // Arrays by number in the function, those of threads left empty; the dynamic shared memory is
  // last.
  const std::vector<OwnArray>& arrays() const { return arrays_; }

 private:
  std::vector<char> bytes_;
  std::vector<OwnArray> arrays_;
};

struct Thread {
  // A kernel with arrays of its own needs the memory of the thread's block.
  Thread(const Launch& launch, std::array<uint32_t, 3> block, std::array<uint32_t, 3> index,
         const BlockMemory* memory = nullptr);

  // What a function has for itself while it runs.
  struct Frame {
    uint32_t next = 0;  // step
    std::vector<int64_t> registers;
    std::vector<OwnArray> arrays;  // by number, after the parameters
    std::vector<char> local;       // memory of its local arrays
    friend bool operator==(const Frame&, const Frame&) = default;
  };

  std::array<uint32_t, 3> block;
  std::array<uint32_t, 3> index;  // in the block
  uint32_t next = 0;              // step
  uint64_t taken = 0;             // steps so far
  std::vector<int64_t> registers;
  std::vector<OwnArray> arrays;
  std::vector<char> local;
  std::vector<Frame> callers;  // of the running function, that of the kernel first

  // The running function waits for another one, or goes on after one.
  void enter(const Launch& launch, const FunctionCode& function);
  void leave();

 private:
  void place_local(const Launch& launch, const FunctionCode& function);
};

enum class Outcome : uint8_t { Finished, OutOfSteps, AtBarrier, InWarp, Failed };

// Goes on where the thread stopped, for at most `steps` steps. A thread at a barrier, or at an
// operation of its warp, stays there until it is passed; one that has failed stands at its check.
Outcome advance(const Launch& launch, Thread& thread, uint64_t steps);

// The barrier that a thread stands at, and whether its operand is true there.
const Inst& barrier_of(const Launch& launch, const Thread& thread);
// What a thread that failed reports.
FailedThread failure_of(const Launch& launch, const Thread& thread);
bool barrier_operand(const Launch& launch, const Thread& thread);
void pass_barrier(const Launch& launch, Thread& thread, int64_t result);

// What a thread that takes part in an operation of its warp brings.
struct WarpMember {
  uint32_t lane = 0;
  const Inst* operation = nullptr;
  uint32_t step = 0;              // earlier ones stand earlier in the program
  uint32_t mask = 0;              // of active_mask, which names none: 0
  int64_t value = 0, number = 0;  // the operands after the mask
};
inline constexpr uint32_t kWarpSize = 32;
// The number of the thread in its warp, and of the warp in its block.
uint32_t warp_lane(const Launch& launch, const Thread& thread);
uint32_t warp_number(const Launch& launch, const Thread& thread);
WarpMember warp_member(const Launch& launch, const Thread& thread);
void pass_warp(const Launch& launch, Thread& thread, int64_t result);

// "'barrier' in line 4"
std::string step_text(const Launch& launch, uint32_t step);
// "thread (1, 2, 3) at 'barrier' in line 4"
std::string place_text(const Launch& launch, const Thread& thread);

// "(1, 2, 3)"
std::string text_of(const std::array<uint32_t, 3>& index);

// The trip count of a `for`.
uint64_t trip_count(ScalarKind kind, int64_t start, int64_t stop, int64_t step);

}  // namespace cuda_device::ir
