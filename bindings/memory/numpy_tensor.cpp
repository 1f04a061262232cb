#include "bindings/memory/numpy_tensor.h"

#include "bindings/memory/formats.h"
#include "bindings/numpy.h"
#include "bindings/runtime/streams.h"

namespace cuda_device::bindings {

nb::object numpy_array(uint64_t data, const nb::object& dtype, const std::vector<int64_t>& shape,
                       const std::vector<int64_t>& strides, bool writable, nb::object base) {
  auto* descr = reinterpret_cast<PyArray_Descr*>(nb::object(dtype).release().ptr());
  std::vector<npy_intp> dims(shape.begin(), shape.end()), steps(strides.begin(), strides.end());
  // NumPy takes no null pointer for memory that it does not own; no element there is read.
  static char nowhere[16];
  void* const start = data ? reinterpret_cast<void*>(data) : nowhere;
  nb::object array = checked(
      PyArray_NewFromDescr(&PyArray_Type, descr, static_cast<int>(dims.size()), dims.data(),
                           steps.data(), start, writable ? NPY_ARRAY_WRITEABLE : 0, nullptr));
  checked(
      PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array.ptr()), base.release().ptr()));
  return array;
}

Tensor tensor_of_numpy(nb::handle object, interop::dlpack::DataType type) {
  auto* array = reinterpret_cast<PyArrayObject*>(object.ptr());
  Tensor tensor;
  tensor.data = reinterpret_cast<uint64_t>(PyArray_DATA(array));
  tensor.type = type;
  tensor.shape.assign(PyArray_DIMS(array), PyArray_DIMS(array) + PyArray_NDIM(array));
  tensor.strides.assign(PyArray_STRIDES(array), PyArray_STRIDES(array) + PyArray_NDIM(array));
  return tensor;
}

Tensor tensor_of_host_array(nb::handle array) {
  if (!PyArray_Check(array.ptr())) throw nb::type_error("__dlpack__() of what is no NumPy array");
  auto* const numpy = reinterpret_cast<PyArrayObject*>(array.ptr());
  const auto dtype = nb::borrow(reinterpret_cast<PyObject*>(PyArray_DESCR(numpy)));
  const auto type = element_type(dtype);
  if (!type)
    throw nb::buffer_error(("__dlpack__(): elements of dtype '" + to_string(nb::str(dtype)) +
                            "' have no type in DLPack")
                               .c_str());
  Tensor tensor = tensor_of_numpy(array, *type);
  tensor.read_only = !PyArray_ISWRITEABLE(numpy);
  tensor.memory = MemoryBlock::of_python({}, tensor.data, tensor.bytes(), array);
  return tensor;
}

nb::object export_host_array(nb::handle array, nb::object stream, nb::object max_version,
                             nb::object dl_device, nb::object copy) {
  // Launches that are queued may store to it, and consumers have no stream to wait for them.
  sync_device(abi::kHostDevice);
  return exported(tensor_of_host_array(array), {std::move(stream), std::move(max_version),
                                                std::move(dl_device), std::move(copy)});
}

}  // namespace cuda_device::bindings
