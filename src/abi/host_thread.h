// What machine code of one thread gets, and what it calls: the ABI of kernels whose threads run one
// by one, each on a stack of its own (KernelImage::threads).
#pragma once

#include <array>
#include <cstdint>

#include "abi/kernel_image.h"

namespace cuda_device::abi {

// Operations at which the threads of a block meet; with the operand (bool) of each but Barrier.
enum class ThreadBarrier : uint32_t { Barrier, Count, And, Or };

// Operations at which threads of a warp meet. Sync orders memory, the others do not.
enum class ThreadMeeting : uint32_t {
  Sync,
  ActiveMask,
  All,
  Any,
  Eq,
  Ballot,
  Shuffle,
  ShuffleUp,
  ShuffleDown,
  ShuffleXor,
  MatchAny,
  MatchAll,
};

// In the number of a place where a thread takes turns: it looks there at what the host may
// change as well, by atomic operations of the scope `system`.
inline constexpr uint32_t kHostMayChange = uint32_t{1} << 31;
// In the number of a place where threads meet: it is within a loop that takes turns, so those say
// whether coming here again is anything new.
inline constexpr uint32_t kWithinTurns = uint32_t{1} << 30;

// A thread. It hands the address of this to each function of the runtime that it calls
// (abi/host_imports.def); HostContext is its first member, so that may stand for it.
struct HostThread {
  // arena: the block's shared arrays (KernelImage::arena bytes); shared: the block's dynamic shared
  // memory.
  HostContext context;
  std::array<uint32_t, 3> block{}, thread{};  // its index, x first
};

// Entry of HostCode whose image has `threads`: one thread from beginning to end. Returns when it
// has left the kernel.
using HostThreadEntry = void (*)(const void* params, const HostThread* self);

}  // namespace cuda_device::abi
