// Tensors that producers hand over in capsules, read once for launches and for arrays of ours.
#pragma once

#include <memory>
#include <optional>

#include "abi/array_view.h"
#include "bindings/python.h"
#include "interop/dlpack_abi.h"
#include "interop/readable.h"
#include "interop/refusal.h"

namespace cuda_device::bindings {

// (device type, device id) as a producer's __dlpack_device__ says them; nothing where it says
// something else.
struct ProducerDevice {
  int64_t type;
  int32_t id;
};
std::optional<ProducerDevice> device_of(nb::handle said);
// What it says. Throws what it raises.
nb::object said_device(nb::handle producer);

// A tensor that is ours to release, on any thread.
class ManagedTensor {
 public:
  // Takes over what an unused capsule holds. Nothing: it is none.
  static std::optional<ManagedTensor> of_capsule(nb::handle capsule);
  explicit ManagedTensor(interop::dlpack::ManagedVersioned* managed);
  explicit ManagedTensor(interop::dlpack::Managed* managed);

  // The view of its memory, or why it cannot be read.
  std::optional<interop::Refusal> view(abi::ArrayView& view) const;
  // The same, and memory that the host reads is there: capsules may come from anywhere. `known`:
  // what is.
  std::optional<interop::Refusal> read(abi::ArrayView& view, interop::ReadableMemory& known) const;
  // After either.
  interop::dlpack::DataType type() const { return tensor_->dtype; }
  // Before version 1 a tensor cannot say that it is read-only; an interface beside it may.
  bool is_legacy() const { return version_ == nullptr; }
  void* get() const { return owned_.get(); }
  void* release() { return owned_.release(); }
  using Deleter = void (*)(void*);
  Deleter deleter() const { return owned_.get_deleter(); }

 private:
  std::unique_ptr<void, Deleter> owned_;
  const interop::dlpack::Tensor* tensor_;
  const interop::dlpack::ManagedVersioned* version_ = nullptr;
};

// Why the memory of a tensor that was read is not there. Memory of a GPU is not asked about.
std::optional<interop::Refusal> refuse_memory(const abi::ArrayView& view, int64_t item,
                                              interop::ReadableMemory& known);

}  // namespace cuda_device::bindings
