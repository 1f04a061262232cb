#include "runtime/host/fibres/imports.h"

#include "runtime/host/fibres/block.h"

namespace {

namespace abi = cuda_device::abi;
namespace runtime = cuda_device::runtime;
using runtime::fibres::Carrier;
using runtime::fibres::Fibre;

// A thread that calls the runtime. It is in its code again at the end, where no other has run on.
class Call {
 public:
  explicit Call(const void* self)
      : fibre(*static_cast<Fibre*>(const_cast<void*>(self))), carrier_(fibre.block->carrier()) {
    set_in_code(false);
  }
  ~Call() { set_in_code(true); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  uint32_t turning_at(uint32_t site) const {
    if (site & abi::kHostMayChange) carrier_.host_may_change = true;
    return site & ~abi::kHostMayChange;
  }

  // And says in the fibre whether the place is within turns.
  uint32_t meeting_at(uint32_t site) const {
    fibre.within_turns = (site & abi::kWithinTurns) != 0;
    return site & ~abi::kWithinTurns;
  }

  Fibre& fibre;

 private:
  void set_in_code(bool in) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    carrier_.in_code.store(in, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  Carrier& carrier_;
};

}  // namespace

int32_t cd_thread_barrier(const void* self, uint32_t site, uint32_t kind, uint32_t operand) {
  const Call call(self);
  const auto barrier = static_cast<abi::ThreadBarrier>(kind);
  return call.fibre.block->barrier(call.fibre, call.meeting_at(site), barrier, operand != 0);
}

uint64_t cd_thread_meet(const void* self, uint32_t site, uint32_t kind, uint32_t mask,
                        uint64_t value, uint32_t number) {
  const Call call(self);
  const auto meeting = static_cast<abi::ThreadMeeting>(kind);
  return call.fibre.block->meet(call.fibre, call.meeting_at(site), meeting, mask, value, number);
}

void cd_thread_turn(const void* self, uint32_t site, uint64_t state) {
  const Call call(self);
  call.fibre.block->turn(call.fibre, call.turning_at(site), state, {});
}

void cd_thread_wait(const void* self, uint32_t site, uint64_t state, const void* word,
                    uint64_t value, uint32_t bytes) {
  const Call call(self);
  call.fibre.block->turn(call.fibre, call.turning_at(site), state, {word, value, bytes});
}

void cd_thread_leave(const void* self) {
  const Call call(self);
  call.fibre.block->fail();
}
