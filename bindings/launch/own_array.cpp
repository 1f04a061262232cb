// Arrays of our own in memory that a GPU reaches, natively: no capsule, and any stride.
#include "bindings/launch/call.h"
#include "bindings/launch/elements.h"
#include "bindings/memory/formats.h"
#include "bindings/memory/tensor.h"
#include "interop/dlpack_type.h"

namespace cuda_device::bindings {
namespace {

// Not complex numbers, vectors, structs, records.
bool has_numbers(const Tensor& tensor) {
  return !is_record(tensor.type) && tensor.type.code != interop::dlpack::kComplex;
}

StridedArray strided(const Tensor& tensor, interop::dlpack::Device device) {
  return {tensor.seen.dtype,    static_cast<int>(tensor.shape.size()),
          tensor.read_only,     device.type == interop::dlpack::kCuda,
          tensor.data,          tensor.shape.data(),
          tensor.strides.data()};
}

// Looked at again for memory that the host reaches too: how large the caches are may change.
void look_at(const Call& call, const Tensor& tensor, interop::dlpack::Device device) {
  SeenByLaunches& seen = tensor.seen;
  if (has_numbers(tensor))
    if (auto refusal = interop::dlpack::read_type(tensor.type, seen.dtype)) call.fail(*refusal);
  const size_t axes = tensor.shape.size();
  if (axes > abi::kMaxDims) call.fail(DiagCode::argument_dims, {std::to_string(axes)});
  const StridedArray array = strided(tensor, device);
  const ArrayKnowledge known = knowledge_of(array, call.knowing());
  seen.facts = known.facts;
  seen.low = known.range.low;
  seen.high = known.range.high;
  seen.known = array.on_gpu;
}

}  // namespace

bool add_own_array(Call& call, PyObject* object) {
  const Tensor* const tensor = tensor_of_array(object);
  if (!tensor) return false;
  SeenByLaunches& seen = tensor->seen;
  MemoryBlock& memory = *tensor->memory;
  if (memory.is_gone()) [[unlikely]]
    fail_freed(call);
  const bool numbers = has_numbers(*tensor);
  ElementWord word{};
  if (!numbers) seen.dtype = read_elements(call, dtype_of_array(object), word);
  const interop::dlpack::Device device = dlpack_device(memory);
  if (!seen.known || !call.where().runs_on(memory.device())) {
    live_on(call, device.type, device.id);
    if (!seen.known) look_at(call, *tensor, device);
  }
  call.use(memory);
  call.owners().keep(object);
  call.add_array(strided(*tensor, device), seen.facts, seen.low, seen.high,
                 numbers ? nullptr : &word);
  return true;
}

}  // namespace cuda_device::bindings
