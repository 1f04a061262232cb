// Tensors that producers hand over in capsules, read once for launches and for arrays of ours.
#pragma once

#include <memory>
#include <optional>

#include "abi/array_view.h"
#include "bindings/python.h"
#include "interop/dlpack_abi.h"
#include "interop/memory_access.h"
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
  // The same, and memory that the host reads is there: capsules may come from anywhere. Read-only
  // is also what may not be written to, whatever the tensor says. `known`: what is known of memory.
  std::optional<interop::Refusal> read(abi::ArrayView& view, interop::KnownAccess& known) const;
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

}  // namespace cuda_device::bindings
