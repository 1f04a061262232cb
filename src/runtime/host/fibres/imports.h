// What machine code of one thread calls: see abi/host_thread.h. self: its abi::HostThread; site:
// where it stands, a WaitSite of the image by its number; of turns and waits with
// abi::kHostMayChange, of meetings with abi::kWithinTurns, where that is so.
#pragma once

#include <cstdint>

extern "C" {
// Waits until every thread of the block has come to a barrier or left the kernel. kind:
// abi::ThreadBarrier. operand: 0 or 1. Gives the barrier's result, of those that came.
int32_t cd_thread_barrier(const void* self, uint32_t site, uint32_t kind, uint32_t operand);

// Waits until the threads of the warp that the mask names and that have not left the kernel are at
// an operation of this kind with this mask. kind: abi::ThreadMeeting. value: the bits of the
// operand, zero-extended; number: the lane operand of shuffles, an int32's bits. Gives bits, lanes,
// or 0 and 1.
uint64_t cd_thread_meet(const void* self, uint32_t site, uint32_t kind, uint32_t mask,
                        uint64_t value, uint32_t number);

// Lets the other threads run: called at the end of each iteration of a loop that may wait for
// them. state: a hash of all that the iteration has read from memory and left in variables; the
// same one as in the call before says that the thread has not advanced.
void cd_thread_turn(const void* self, uint32_t site, uint64_t state);

// The same in a loop that does nothing but read one word: where the state is that of the call
// before, nothing will change before the word does, and the thread need not run until then. word:
// null where the iteration has not read it, or has written to it; value: what it read,
// zero-extended; bytes: the word's size.
void cd_thread_wait(const void* self, uint32_t site, uint64_t state, const void* word,
                    uint64_t value, uint32_t bytes);

// A thread that has failed ends here, after cd_kernel_failed, and its block with it.
[[noreturn]] void cd_thread_leave(const void* self);
}
