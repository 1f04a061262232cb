// Machine code that a thread can be called out of before its end.
#pragma once

#include <array>
#include <csetjmp>

namespace cuda_device::runtime {

// While a thread is in `code`, the question whether to leave it is put to it every 50 ms or so of
// its own CPU time, by a timer's signal and so on top of the code. The question may do what any
// called function may, launch and fork too. What the code had begun stays half done, so it may hold
// no lock and own nothing: compiled kernels and the functions of mathematics that they call. Where
// the system has no timers for threads, the question is never put.
class Interruptible {
 public:
  using Question = bool (*)(void* asked);
  Interruptible(Question leave, void* asked) : leave_(leave), asked_(asked) {}
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  // False where it was left.
  template <class Code>
  bool run(Code code) {
    if (sigsetjmp(back_, 0)) return false;  // the signal is not blocked while its handler runs
    enter();
    code();
    exit();
    return true;
  }

 private:
  friend struct InterruptibleThread;
  void enter();
  void exit();

  const Question leave_;
  void* const asked_;
  sigjmp_buf back_;
};

// While one lives, the thread is not called out of its code: for what that calls and what takes
// locks or memory. Its end may be where the code is left, so it is the first thing that such a
// function makes.
class NotInterruptible {
 public:
  NotInterruptible();
  ~NotInterruptible();
  NotInterruptible(const NotInterruptible&) = delete;
  NotInterruptible& operator=(const NotInterruptible&) = delete;

 private:
  Interruptible* const code_;
};

// What signals those timers may send, which must not be blocked in a thread that runs such code:
// one, and another for when the program takes that one for itself; 0 for none.
const std::array<int, 2>& interruption_signals();

}  // namespace cuda_device::runtime
