// Memory that Python objects, arrays and DLPack tensors share: freed when the last lets go.
#pragma once

#include <atomic>
#include <memory>

#include "bindings/errors.h"
#include "bindings/python.h"
#include "bindings/runtime/streams.h"
#include "driver/rt/memory_api.h"

namespace cuda_device::bindings {

// What somebody gave as stream=, or left out: a stream of the host device, or a CUDA stream, which
// is kept until we are done with it.
class Ordering {
 public:
  Ordering() = default;
  Ordering(const Ordering&) = delete;
  Ordering& operator=(const Ordering&) = delete;
  Ordering(Ordering&& other) noexcept
      : stream_(std::move(other.stream_)), keeps_(std::exchange(other.keeps_, nullptr)) {}
  Ordering& operator=(Ordering&& other) noexcept;
  ~Ordering();
  // Throws TypeError or ValueError for what is no stream, and for one of another device than
  // `device`. `caller`: for messages.
  static Ordering of(nb::handle stream, int device, const char* caller);

  rt::Order order() const;
  bool given() const { return stream_.get() != nullptr; }

 private:
  StreamHandle stream_;
  PyObject* keeps_ = nullptr;  // let go of with the GIL
};

// Lets go on any thread, with the GIL or without.
class MemoryBlock {
 public:
  // Throws the Python exceptions of the runtime.
  static std::shared_ptr<MemoryBlock> allocate(int device, abi::MemoryKind kind, uint64_t bytes,
                                               Ordering ordering = {});
  // Memory of somebody else, whose `deleter` is called with the owner at the end.
  static std::shared_ptr<MemoryBlock> borrowed(uint64_t address, int device, abi::MemoryKind kind,
                                               uint64_t bytes, void* owner, void (*deleter)(void*));
  // Memory of a Python object, which may be None.
  static std::shared_ptr<MemoryBlock> of_python(const abi::Allocation& where, uint64_t address,
                                                uint64_t bytes, nb::handle owner);
  ~MemoryBlock();
  MemoryBlock(const MemoryBlock&) = delete;
  MemoryBlock& operator=(const MemoryBlock&) = delete;

  uint64_t address() const { return memory_.address; }
  uint64_t bytes() const { return bytes_; }
  int device() const { return device_; }
  abi::MemoryKind kind() const { return kind_; }
  bool zero() const { return memory_.zero; }
  bool on_host() const { return device_ == abi::kHostDevice; }
  bool host_reaches() const { return on_host() || kind_ != abi::MemoryKind::Device; }
  rt::Order order() const { return ordering_.order(); }
  // It will be freed in this order.
  void free_in(Ordering ordering) { ordering_ = std::move(ordering); }

  // --- of GPUs ---
  // The CUDA stream that used it last: on it no waiting is needed.
  uint64_t last_stream() const { return last_stream_; }
  // Makes that stream wait for the last one, and be it.
  void use_on(uint64_t stream);
  // What is queued on a stream of the host from now on waits for the last stream.
  void let_wait(rt::Stream* of_host) const;
  // Waits until the last stream has done all; without the GIL.
  void wait() const;

 private:
  MemoryBlock(int device, abi::MemoryKind kind, uint64_t bytes)
      : device_(device), kind_(kind), bytes_(bytes) {}

  const int device_;
  const abi::MemoryKind kind_;
  const uint64_t bytes_;
  rt::Memory memory_;
  Ordering ordering_;
  std::atomic<uint64_t> last_stream_{0};
  void* owner_ = nullptr;
  void (*deleter_)(void*) = nullptr;
};

// An object that keeps the memory while it lives.
nb::object keeper_of(std::shared_ptr<MemoryBlock> memory);

// "pinned" → Pinned; throws ValueError for what is no kind.
abi::MemoryKind kind_named(const std::string& name);

}  // namespace cuda_device::bindings
