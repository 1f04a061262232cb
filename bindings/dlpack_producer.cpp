#include "bindings/dlpack_producer.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "bindings/known_classes.h"
#include "interop/dlpack_abi.h"

namespace cuda_device::bindings {
namespace {

namespace dlpack = interop::dlpack;

struct Keywords {
  nb::object stream = interned("stream"), max_version = interned("max_version"),
             dl_device = interned("dl_device"), copy = interned("copy");
  nb::object version = nb::make_tuple(dlpack::kVersion.major, dlpack::kVersion.minor);
  nb::object of_host = nb::make_tuple(max_version);
  nb::object of_gpu = nb::make_tuple(stream, max_version);
  nb::object of_old_gpu = nb::make_tuple(stream);
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
bool refuses_keyword(const nb::python_error& error, const CapsuleRequest& request) {
  nb::object text = nb::steal(PyObject_Str(error.value().ptr()));
  if (!text) throw nb::python_error();
  const std::string said = to_string(text);
  const bool ran = error.traceback().is_valid() && !error.traceback().is_none();
  if (!ran) return names_any(said, {"keyword", "argument"});
  const bool named = names_any(said, {"max_version", "no keyword"}) ||
                     (request.dl_device && names_any(said, {"dl_device"})) ||
                     (request.copy && names_any(said, {"copy"}));
  return named && names_any(said, {"keyword"});
}

// Other classes of JAX, such as the buffers of its callbacks, have arrays that may be stored to.
bool is_array_of_jax(PyTypeObject* type) {
  static const auto* const name = new nb::object(interned("__module__"));
  PyObject* const found = _PyType_Lookup(type, name->ptr());
  if (!found || !PyUnicode_CheckExact(found)) return false;
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(found, &size);
  if (!text) throw nb::python_error();
  const std::string_view module(text, static_cast<size_t>(size));
  const std::string_view package = module.substr(0, module.find('.'));
  if (package != "jaxlib" && package != "jax") [[likely]]
    return false;
  const std::string_view path = type->tp_name;
  return path.substr(path.rfind('.') + 1) == "ArrayImpl";
}

bool never_changes(PyTypeObject* type) {
  static auto* const classes = new KnownClasses<bool>;
  const bool* const known = classes->find(type);
  return known ? *known : classes->add(type, is_array_of_jax(type));
}

// False where there is none, or none that can be read.
bool cuda_interface_is_read_only(nb::handle producer) {
  static const auto* const name = new nb::object(interned("__cuda_array_interface__"));
  try {
    const nb::object fields = optional_attr(producer, *name);
    if (!fields || !PyDict_Check(fields.ptr())) return false;
    const nb::object data = nb::borrow(PyDict_GetItemString(fields.ptr(), "data"));
    if (!data || !(PyTuple_Check(data.ptr()) || PyList_Check(data.ptr())) || nb::len(data) != 2)
      return false;
    return PyObject_IsTrue(nb::object(data[1]).ptr()) == 1;
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;  // Ctrl-C
    return false;
  }
}

}  // namespace

const DlpackNames& dlpack_names() {
  static const DlpackNames* made = nullptr;
  if (!made) made = new DlpackNames();
  return *made;
}

std::optional<Method> Method::of(PyObject* object, const nb::object& name) {
  Method method(object, name);
  PyObject* const found = _PyType_Lookup(Py_TYPE(object), name.ptr());
  if (found && PyType_HasFeature(Py_TYPE(found), Py_TPFLAGS_METHOD_DESCRIPTOR)) return method;
  method.found_ = optional_attr(object, name);
  return method.found_ ? std::optional(std::move(method)) : std::nullopt;
}

PyObject* Method::call(std::span<PyObject* const> arguments, PyObject* names) const {
  PyObject* args[1 + kMostArguments] = {object_};
  std::copy(arguments.begin(), arguments.end(), args + 1);
  const size_t positional = arguments.size() - (names ? PyTuple_GET_SIZE(names) : 0);
  if (found_) return PyObject_Vectorcall(found_.ptr(), args + 1, positional, names);
  return PyObject_VectorcallMethod(name_.ptr(), args, 1 + positional, names);
}

// Newer producers first; older ones refuse the keyword. What a producer raises while it exports is
// not an invitation to export again (DEV-DLP-02).
nb::object capsule_of(const Method& dlpack, const CapsuleRequest& request) {
  const Keywords& known = keywords();
  const bool ordered = request.stream.is_valid();
  PyObject* args[Method::kMostArguments];
  size_t count = 0;
  if (ordered) args[count++] = request.stream.ptr();
  args[count++] = known.version.ptr();
  nb::object names = ordered ? known.of_gpu : known.of_host;
  const auto add = [&](const nb::object& name, const nb::object& value) {
    if (!value) return;
    args[count++] = value.ptr();
    names = names + nb::make_tuple(name);
  };
  add(known.dl_device, request.dl_device);
  add(known.copy, request.copy);
  if (PyObject* const found = dlpack.call({args, count}, names.ptr())) return nb::steal(found);
  nb::python_error error;
  if (!error.matches(PyExc_TypeError) || !refuses_keyword(error, request)) throw error;
  if (!ordered) return checked(dlpack.call());
  return checked(dlpack.call({args, 1}, known.of_old_gpu.ptr()));
}

nb::object capsule_of(nb::handle producer, const CapsuleRequest& request) {
  return capsule_of(Method(producer.ptr(), dlpack_names().dlpack), request);
}

bool is_read_only_beside_tensor(nb::handle producer, bool is_legacy) {
  return never_changes(Py_TYPE(producer.ptr())) ||
         (is_legacy && cuda_interface_is_read_only(producer));
}

}  // namespace cuda_device::bindings
