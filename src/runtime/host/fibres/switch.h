// A switch between stacks of one thread: where each fibre was left, and how it goes on.
//
// Ours, and not Boost.Context: it is twenty instructions, and the library would be one more to
// build, ship and follow. It saves the registers that a called function must keep, and not the
// control words of floating point, which all fibres of a worker share. A fibre may be left from
// within a signal's handler, on top of its code: the rest of its registers is then in the signal's
// frame on its stack.
#pragma once

#include <cstddef>

namespace cuda_device::runtime::fibres {

#if defined(__x86_64__)
inline constexpr bool kSupported = true;
#else
inline constexpr bool kSupported = false;
#endif

// A stack that is not running, and what the sanitizers want to know of it.
struct Context {
  void* stack_pointer = nullptr;
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  const void* bottom = nullptr;
  size_t size = 0;
#endif
#if defined(__SANITIZE_THREAD__)
  void* fiber = nullptr;
#endif
};

// Makes the context of the running stack, the thread's own, which is left in it.
void adopt(Context& own);
// At the first switch to it, body(argument) runs on that stack, from its top down. It must not
// return: its last act is end().
void prepare(Context& context, char* bottom, char* top, void (*body)(void*), void* argument);
// The first thing that a body does.
void begun();
// Forgets a stack that is not running, whether its body has ended or was left in its midst.
void forget(Context& context, bool ended, char* bottom, char* top);

void announce_switch(Context& from, Context& to);
void announce_arrival(Context& at);
extern "C" void cuda_device_switch_stack(void** from, void* to);

// Leaves the running stack and goes on where `to` was left; returns when somebody switches back.
inline void switch_to(Context& from, Context& to) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  announce_switch(from, to);
#endif
  cuda_device_switch_stack(&from.stack_pointer, to.stack_pointer);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  announce_arrival(from);
#endif
}

// Leaves the running stack, of a body that has ended.
[[noreturn]] void end(Context& to);

}  // namespace cuda_device::runtime::fibres
