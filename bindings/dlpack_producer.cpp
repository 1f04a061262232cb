#include "bindings/dlpack_producer.h"

#include <algorithm>
#include <initializer_list>

#include "interop/dlpack_abi.h"

namespace cuda_device::bindings {
namespace {

namespace dlpack = interop::dlpack;

struct Keywords {
  nb::object version = nb::make_tuple(dlpack::kVersion.major, dlpack::kVersion.minor);
  nb::object of_host = nb::make_tuple(interned("max_version"));
  nb::object of_gpu = nb::make_tuple(interned("stream"), interned("max_version"));
  nb::object of_old_gpu = nb::make_tuple(interned("stream"));
};

// Called with the GIL; kept, since Python may end before the last launch does.
const Keywords& keywords() {
  static const Keywords* made = nullptr;
  if (!made) made = new Keywords();
  return *made;
}

bool names_any(const std::string& text, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return text.find(word) != std::string::npos; });
}

// Whether a TypeError says that the producer does not know the keyword, rather than that something
// failed while it exported. A call that is refused has run no Python code of the producer, so there
// is no traceback, and the text speaks of arguments; a wrapper that hands the keyword on has one.
bool refuses_keyword(const nb::python_error& error) {
  nb::object text = nb::steal(PyObject_Str(error.value().ptr()));
  if (!text) throw nb::python_error();
  const std::string said = to_string(text);
  const bool ran = error.traceback().is_valid() && !error.traceback().is_none();
  if (!ran) return names_any(said, {"keyword", "argument"});
  return names_any(said, {"max_version", "no keyword"}) && names_any(said, {"keyword"});
}

}  // namespace

const DlpackNames& dlpack_names() {
  static const DlpackNames* made = nullptr;
  if (!made) made = new DlpackNames();
  return *made;
}

// Newer producers first; older ones refuse the keyword. What a producer raises while it exports is
// not an invitation to export again (DEV-DLP-02).
nb::object capsule_of(nb::handle producer, const nb::object& stream) {
  PyObject* const method = dlpack_names().dlpack.ptr();
  const bool ordered = stream.is_valid();
  PyObject* args[] = {producer.ptr(), keywords().version.ptr(), nullptr};
  if (ordered) {
    args[1] = stream.ptr();
    args[2] = keywords().version.ptr();
  }
  const nb::object& names = ordered ? keywords().of_gpu : keywords().of_host;
  PyObject* found = PyObject_VectorcallMethod(method, args, 1, names.ptr());
  if (found) return nb::steal(found);
  nb::python_error error;
  if (!error.matches(PyExc_TypeError) || !refuses_keyword(error)) throw error;
  if (!ordered) return checked(PyObject_CallMethodNoArgs(producer.ptr(), method));
  return checked(PyObject_VectorcallMethod(method, args, 1, keywords().of_old_gpu.ptr()));
}

}  // namespace cuda_device::bindings
