// Arrays of our own in memory that a GPU reaches, natively: no capsule, and any stride.
#include "bindings/launch/call.h"
#include "bindings/memory/tensor.h"
#include "interop/dlpack_type.h"

namespace cuda_device::bindings {

bool add_own_array(Call& call, PyObject* object) {
  const Tensor* const tensor = tensor_of_array(object);
  if (!tensor) return false;
  const interop::dlpack::Device device = dlpack_device(*tensor->memory);
  live_on(call, device.type, device.id);
  abi::ArrayView view;
  if (auto refusal = interop::dlpack::read_type(tensor->type, view.dtype)) call.fail(*refusal);
  const size_t axes = tensor->shape.size();
  if (axes > abi::kMaxDims) call.fail(DiagCode::argument_dims, {std::to_string(axes)});
  view.ndim = static_cast<int>(axes);
  view.read_only = tensor->read_only;
  view.device_type = device.type;
  view.device_id = device.id;
  view.data = reinterpret_cast<void*>(tensor->data);
  for (size_t i = 0; i < axes; ++i) {
    view.shape[i] = tensor->shape[i];
    view.strides[i] = tensor->strides[i];
  }
  call.use(tensor->memory);
  call.owners().keep(object);
  call.add_array(view);
  return true;
}

}  // namespace cuda_device::bindings
