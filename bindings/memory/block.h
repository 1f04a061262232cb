// Memory that Python objects, arrays and DLPack tensors share: freed when the last lets go.
#pragma once

#include <memory>

#include "bindings/memory/last_use.h"
#include "bindings/memory/watched.h"
#include "bindings/python.h"
#include "dispatch/memory_api.h"

namespace cuda_device::bindings {

// Lets go on any thread, with the GIL or without.
class MemoryBlock {
 public:
  // Throws the Python exceptions of the runtime.
  static std::shared_ptr<MemoryBlock> allocate(int device, abi::MemoryKind kind, uint64_t bytes,
                                               const Ordering& ordering = {});
  // Memory of another owner, whose `deleter` is called with the owner at the end. `producer`: the
  // stream that used it last; without one, the GPU's default one.
  static std::shared_ptr<MemoryBlock> borrowed(uint64_t address, int device, abi::MemoryKind kind,
                                               uint64_t bytes, void* owner, void (*deleter)(void*),
                                               const Ordering& producer = {});
  // Memory of a Python object, which may be None. What its library queues on the producer's stream
  // comes after what we queue.
  static std::shared_ptr<MemoryBlock> of_python(const abi::Allocation& where, uint64_t address,
                                                uint64_t bytes, nb::handle owner,
                                                const Ordering& producer = {});
  ~MemoryBlock();
  MemoryBlock(const MemoryBlock&) = delete;
  MemoryBlock& operator=(const MemoryBlock&) = delete;

  uint64_t address() const { return memory_.address; }
  uint64_t bytes() const { return bytes_; }
  int device() const { return device_; }
  abi::MemoryKind kind() const { return kind_; }
  bool zero() const { return memory_.zero; }
  // Memory of ours that is known by its address alone.
  void watch(const Watched& memory) { watched_ = memory; }
  bool is_gone() const { return watched_.is_gone(); }
  // Whose owner does not know what we have queued on it.
  bool of_others() const { return owner_ != nullptr; }
  bool on_host() const { return device_ == abi::kHostDevice; }
  bool host_reaches() const { return on_host() || kind_ != abi::MemoryKind::Device; }
  // Its allocation's stream, in whose order it will be freed; null: the GPU's default one.
  dispatch::Stream* stream() const { return ordering_.stream(); }
  void free_in(Ordering ordering) { ordering_ = std::move(ordering); }
  // Defined for memory that a GPU reaches.
  LastUse& last_use() { return *last_use_; }

 private:
  MemoryBlock(int device, abi::MemoryKind kind, uint64_t bytes, const Ordering& ordering = {})
      : device_(device),
        kind_(kind),
        bytes_(bytes),
        ordering_(ordering),
        last_use_(std::make_unique<LastUse>(device, ordering)) {}
  void release() noexcept;

  const int device_;
  const abi::MemoryKind kind_;
  const uint64_t bytes_;
  dispatch::Memory memory_;
  Ordering ordering_;
  std::unique_ptr<LastUse> last_use_;
  Watched watched_;
  void* owner_ = nullptr;
  void (*deleter_)(void*) = nullptr;
};

// An object that keeps the memory while it lives.
nb::object keeper_of(std::shared_ptr<MemoryBlock> memory);

// "pinned" → Pinned; throws ValueError for what is no kind.
abi::MemoryKind kind_named(const std::string& name);

}  // namespace cuda_device::bindings
