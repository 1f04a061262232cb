#include "runtime/host/fibres/switch.h"

#include <cstdint>

#include "support/check.h"

#if defined(__SANITIZE_ADDRESS__)
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

// A stack that is left has on it, from the top down: where to go on, rbp, rbx, r12 to r15. A new
// one goes on at the second function, with its body in rbx and the argument in rbp; nobody called
// that, which is what the last directive tells debuggers and the C++ library.
#if defined(__x86_64__)
asm(R"(
.text
.p2align 4
.globl cuda_device_switch_stack
.hidden cuda_device_switch_stack
.type cuda_device_switch_stack, @function
cuda_device_switch_stack:
  .cfi_startproc
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbp, 0
  pushq %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbx, 0
  pushq %r12
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r12, 0
  pushq %r13
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r13, 0
  pushq %r14
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r14, 0
  pushq %r15
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r15, 0
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r15
  popq %r14
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r14
  popq %r13
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r13
  popq %r12
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r12
  popq %rbx
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbx
  popq %rbp
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbp
  ret
  .cfi_endproc
.size cuda_device_switch_stack, .-cuda_device_switch_stack

.p2align 4
.globl cuda_device_begin_stack
.hidden cuda_device_begin_stack
.type cuda_device_begin_stack, @function
cuda_device_begin_stack:
  .cfi_startproc
  .cfi_undefined %rip
  movq %rbp, %rdi
  xorl %ebp, %ebp
  callq *%rbx
  ud2
  .cfi_endproc
.size cuda_device_begin_stack, .-cuda_device_begin_stack
)");
#else
void cuda_device_switch_stack(void**, void*) { CD_UNREACHABLE("no switch for this processor"); }
#endif

extern "C" void cuda_device_begin_stack();

namespace cuda_device::runtime::fibres {
namespace {

void lay_out([[maybe_unused]] Context& context, [[maybe_unused]] char* top,
             [[maybe_unused]] void (*body)(void*), [[maybe_unused]] void* argument) {
#if defined(__x86_64__)
  auto* const end = reinterpret_cast<uint64_t*>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t{15});
  enum : int { R15, R14, R13, R12, Rbx, Rbp, GoesOn, kWords };
  uint64_t* const words = end - kWords;
  for (const int unset : {R15, R14, R13, R12}) words[unset] = 0;
  words[Rbx] = reinterpret_cast<uint64_t>(body);
  words[Rbp] = reinterpret_cast<uint64_t>(argument);
  words[GoesOn] = reinterpret_cast<uint64_t>(&cuda_device_begin_stack);
  context.stack_pointer = words;
#endif
}

}  // namespace

void adopt([[maybe_unused]] Context& own) {
#if defined(__SANITIZE_ADDRESS__)
  pthread_attr_t attributes;
  void* bottom = nullptr;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &bottom, &own.size);
    pthread_attr_destroy(&attributes);
  }
  own.bottom = bottom;
#endif
#if defined(__SANITIZE_THREAD__)
  own.fiber = __tsan_get_current_fiber();
#endif
}

void prepare(Context& context, [[maybe_unused]] char* bottom, char* top, void (*body)(void*),
             void* argument) {
#if defined(__SANITIZE_ADDRESS__)
  context.fake_stack = nullptr;
  context.bottom = bottom;
  context.size = static_cast<size_t>(top - bottom);
#endif
#if defined(__SANITIZE_THREAD__)
  context.fiber = __tsan_create_fiber(0);
#endif
  lay_out(context, top, body, argument);
}

void begun() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
}

void forget([[maybe_unused]] Context& context, [[maybe_unused]] bool ended,
            [[maybe_unused]] char* bottom, [[maybe_unused]] char* top) {
#if defined(__SANITIZE_ADDRESS__)
  // Functions that did not return have left their marks.
  if (!ended) __asan_unpoison_memory_region(bottom, static_cast<size_t>(top - bottom));
#endif
#if defined(__SANITIZE_THREAD__)
  if (context.fiber) __tsan_destroy_fiber(context.fiber);
  context.fiber = nullptr;
#endif
}

void announce_switch([[maybe_unused]] Context& from, [[maybe_unused]] Context& to) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.size);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(to.fiber, 0);
#endif
}

void announce_arrival([[maybe_unused]] Context& at) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(at.fake_stack, nullptr, nullptr);
#endif
}

void end(Context& to) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(nullptr, to.bottom, to.size);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(to.fiber, 0);
#endif
  void* nowhere = nullptr;
  cuda_device_switch_stack(&nowhere, to.stack_pointer);
  CD_UNREACHABLE("a stack was gone back to after its end");
}

}  // namespace cuda_device::runtime::fibres
