// Arrays of other libraries by a dictionary: the CUDA Array Interface and SYCL's. Python reads
// those that are not plain, and makes an array of them that launches know.
#include <array>

#include "bindings/launch/call.h"
#include "bindings/launch/cuda_array_interface.h"
#include "bindings/launch/elements.h"
#include "bindings/memory/foreign.h"
#include "bindings/numpy.h"
#include "bindings/runtime/streams.h"
#include "dispatch/memory_api.h"

namespace cuda_device::bindings {
namespace {

struct Interface {
  nb::object attribute = {};  // its name
  const char* reader = "";    // of cuda.device._interfaces
};

// As long as the process.
const std::array<Interface, 2>& interfaces() {
  static const auto* const all = new std::array<Interface, 2>{
      Interface{interned("__cuda_array_interface__"), "cuda_argument"},
      Interface{interned("__sycl_usm_array_interface__"), "sycl_argument"}};
  return *all;
}

// The same exception, whose text begins with the place of the argument.
[[noreturn]] void throw_with_place(const Call& call, const nb::python_error& error) {
  for (PyObject* kind : {PyExc_TypeError, PyExc_ValueError, PyExc_NotImplementedError}) {
    if (!error.matches(kind)) continue;
    const nb::object text = checked(PyObject_Str(error.value().ptr()));
    PyErr_Format(kind, "%s: %U", call.place().c_str(), text.ptr());
    throw nb::python_error();
  }
  throw;
}

void add_elements(Call& call, const CudaArray& array) {
  abi::ArrayView view = array.view;
  ElementWord word{};
  view.dtype = read_elements(call, array.dtype.ptr(), word);
  call.add_array(view, &word);
}

// An array in memory of the process, which the host's code reads and writes like its own; what may
// not be written to is read-only, whatever the dictionary says. False where its pages are not
// there.
bool add_on_host(Call& call, PyObject* object, CudaArray& array) {
  if (!call.access.check(array.span.low, array.span.high, array.view.read_only)) return false;
  call.live_on_host();
  if (array.stream && cd_rt_gpu_count() > 0 && waits_for_producers())
    sync_stream(stream_with_handle(array.stream).get());
  if (array.dtype)
    add_elements(call, array);
  else
    call.add_array(array.view);
  if (call.asynchronous()) call.owners().keep(object);
  return true;
}

// The same memory as an array of ours, or of NumPy: the driver or our allocator knows it.
nb::object in_allocation(PyObject* object, const CudaArray& array) {
  const abi::ArrayView& view = array.view;
  Foreign given{reinterpret_cast<uint64_t>(view.data),
                array.span.low,
                array.span.high,
                {},
                {},
                array.dtype ? array.dtype : nb::borrow(dtype_of_scalar(view.dtype.scalar())),
                view.read_only,
                nb::borrow(object),
                waits_for_producers() ? array.stream : 0};
  given.shape.assign(view.shape, view.shape + view.ndim);
  given.strides.assign(view.strides, view.strides + view.ndim);
  return foreign_array(given);
}

// Without Python's code where that is possible: true where the argument is added, else the array to
// be added, or null.
bool read_here(Call& call, PyObject* object, PyObject* description, nb::object& array) {
  std::optional<CudaArray> found = read_cuda_array_interface(description);
  if (!found) return false;
  if (found->is_empty()) {  // every device reaches no bytes
    if (cd_rt_gpu_count() == 0) return add_on_host(call, object, *found);
    array = in_allocation(object, *found);
    return false;
  }
  abi::Allocation where;
  cd_rt_memory_find(found->span.low, &where);
  const bool of_process =
      where.device == kHostDevice && where.bytes == 0 && where.device_address == 0;
  if (of_process) return add_on_host(call, object, *found);
  const bool within = where.base <= found->span.low && found->span.high <= where.base + where.bytes;
  if (within) array = in_allocation(object, *found);
  return false;
}

nb::object description_of(const Call& call, PyObject* object, const Interface& interface) {
  try {
    return optional_attr(object, interface.attribute);
  } catch (const nb::python_error& error) {
    call.pass_on(error);
  }
}

}  // namespace

void fail_freed(const Call& call) {
  throw nb::value_error((call.place() +
                         ": the array that owned the memory is gone, and its memory freed; "
                         "from_cuda_array_interface(desc, owner=a) keeps it")
                            .c_str());
}

bool add_interface(Call& call, PyObject* object) {
  if (PyType_Check(object)) return false;
  for (const Interface& interface : interfaces()) {
    const nb::object description = description_of(call, object, interface);
    if (!description) continue;
    nb::object array;
    try {
      const bool is_cuda = &interface == &interfaces()[0];
      if (is_cuda && read_here(call, object, description.ptr(), array)) return true;
      if (!array)
        array = nb::module_::import_("cuda.device._interfaces")
                    .attr(interface.reader)(nb::handle(object), description);
    } catch (const nb::python_error& error) {
      throw_with_place(call, error);
    }
    call.hold(array);
    if (!add_own_array(call, array.ptr())) add_ndarray(call, array.ptr());
    return true;
  }
  return false;
}

}  // namespace cuda_device::bindings
