#include "bindings/runtime/printed.h"

#include "bindings/python.h"
#include "dispatch/rt_api.h"

namespace cuda_device::bindings {

// As Python's own print: where sys.stdout is None, to nowhere.
void write_printed() {
  if (!cd_rt_has_printed()) return;
  std::string text;
  cd_rt_take_printed(&text);
  const nb::object out = nb::module_::import_("sys").attr("stdout");
  if (text.empty() || out.is_none()) return;
  out.attr("write")(nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace")));
}

void write_printed_beside_an_error() {
  try {
    write_printed();
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("what a kernel printed");
  }
}

}  // namespace cuda_device::bindings
