// Memory of the host device: blocks that were freed are kept for later allocations.
//
//   freed without a stream, or on an idle one    any allocation may have it
//   freed on a stream with work                  that stream may have it at once, for its work
//   comes
//                                                after; others when the stream has come so far
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <tuple>

#include "runtime/memory/pages.h"
#include "support/fork.h"

namespace cuda_device::runtime {

class HostStream;

// Sizes are rounded up so that few differ: by an eighth at most, from 2 KiB on.
uint64_t size_class(uint64_t bytes);
inline constexpr uint64_t kMostBytes = uint64_t{1} << 47;

// Many threads at once. In a forked child, what waited for a stream is free: its work stayed with
// the parent.
class HostPool {
 public:
  using Streamed = std::shared_ptr<HostStream>;  // null: no stream
  struct System {
    std::function<void*(uint64_t bytes)> take;
    std::function<void(void* memory, uint64_t bytes)> give;
  };
  struct Block {
    void* memory = nullptr;  // null: there is none, though all that is kept was given back first
    bool zero = false;
  };

  explicit HostPool(uint64_t most_kept, System system = {take_pages, give_pages});
  ~HostPool();
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;

  // Allocates at least so many bytes, from 1 on.
  Block allocate(uint64_t bytes, const Streamed& stream = nullptr);
  // `bytes`: as they were asked for.
  void release(void* memory, uint64_t bytes, const Streamed& stream = nullptr);
  // Gives back to the system what was freed longest ago until at most so many bytes are kept; what
  // waits for a stream stays. How many bytes went.
  uint64_t trim(uint64_t most);
  uint64_t kept() const;

  void renew_in_child();

 private:
  // What is kept is listed in its own first bytes: to free memory takes none.
  struct Kept {
    uint64_t bytes;
    Kept *older, *newer;              // of all
    Kept *older_alike, *newer_alike;  // of its size
  };
  struct Ends {
    Kept *oldest = nullptr, *newest = nullptr;
  };
  static constexpr size_t kSizes = 320;
  using Ticket = std::tuple<const HostStream*, uint64_t, uint64_t>;  // stream, bytes, number

  static size_t index_of(uint64_t size);
  void* reuse(uint64_t bytes, const HostStream* stream);
  void keep(void* memory, uint64_t bytes);
  void release_in_order(void* memory, uint64_t bytes, const Streamed& stream);
  void passed(const Ticket& ticket);
  void link(Kept* block);
  void unlink(Kept* block);
  Kept* take_oldest(uint64_t most);  // those that go, so that at most so many bytes are left
  uint64_t give(Kept* blocks);

  const uint64_t most_kept_;
  const System system_;
  Ends all_;
  std::array<Ends, kSizes> alike_;
  std::map<Ticket, void*> waiting_;
  uint64_t kept_ = 0, tickets_ = 0;
  ForkHook hook_{this};
};

// The process's; outlives every thread. Keeps at most CUDA_DEVICE_POOL_SIZE, or an eighth of the
// machine's memory up to 1 GiB.
HostPool& host_pool();

}  // namespace cuda_device::runtime
