// Which device owns memory, and which devices reach it.
#pragma once

#include <cstdint>

namespace cuda_device::abi {

// The host device as a number beside those of GPUs, which count from 0.
inline constexpr int kHostDevice = -1;

// On the host device all four are plain memory of the process.
enum class MemoryKind : uint8_t {
  Host,     // of the process; a GPU does not reach it by itself
  Device,   // of one GPU
  Pinned,   // of the process, pages locked: every GPU reaches it at its own address
  Managed,  // moves between the host and GPUs as it is accessed
};

constexpr const char* name_of(MemoryKind kind) {
  constexpr const char* kNames[] = {"host", "device", "pinned", "managed"};
  return kNames[static_cast<int>(kind)];
}

// What is known of an address.
struct Allocation {
  uint64_t base = 0;   // 0: nothing is known; plain memory of the process
  uint64_t bytes = 0;  // 0: not known
  int device = kHostDevice;
  MemoryKind kind = MemoryKind::Host;
  bool ours = false;
  uint64_t serial = 0;  // of ours: tells it from one that was at the address before
  // Where a GPU reaches the byte of pinned memory that was asked about: mostly at the host's own
  // address. 0: not asked.
  uint64_t device_address = 0;
};

// A device's figures: its own, and those of what the runtime holds of it.
struct MemoryFigures {
  uint64_t free = 0, total = 0;          // bytes
  uint64_t in_use = 0, allocations = 0;  // handed out by us: bytes requested, and how many
  uint64_t kept = 0;                     // bytes that were freed and wait for the next allocation
};

}  // namespace cuda_device::abi
