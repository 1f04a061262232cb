// Arrays of other libraries by a dictionary: the CUDA Array Interface and SYCL's. Python reads
// those that are not plain, and makes an array of them that launches know.
#include "bindings/launch/interface.h"

#include <array>

#include "bindings/launch/call.h"
#include "bindings/launch/plain_dictionary.h"
#include "bindings/numpy.h"

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

bool add_plain(Call& call, PyObject* object, PyObject* description) {
  const std::optional<abi::ArrayView> view = plain_array(description);
  if (!view) return false;
  call.live_on_host();
  call.add_array(*view);
  if (call.asynchronous()) call.owners().keep(object);
  return true;
}

}  // namespace

void fail_freed(const Call& call) {
  throw nb::value_error((call.place() +
                         ": the array that owned the memory is gone, and its memory freed; "
                         "from_cuda_array_interface(desc, owner=a) keeps it")
                            .c_str());
}

bool has_interface(nb::handle object) {
  for (const Interface& interface : interfaces())
    if (optional_attr(object, interface.attribute)) return true;
  return false;
}

bool add_interface(Call& call, PyObject* object) {
  if (PyType_Check(object)) return false;
  for (const Interface& interface : interfaces()) {
    const nb::object description = optional_attr(object, interface.attribute);
    if (!description) continue;
    if (&interface == &interfaces()[0] && add_plain(call, object, description.ptr())) return true;
    nb::object array;
    try {
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
