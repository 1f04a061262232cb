// Objects with __dlpack__ as arguments.
#include <algorithm>
#include <initializer_list>

#include "bindings/launch/call.h"
#include "interop/dlpack_tensor.h"

namespace cuda_device::bindings {
namespace {

namespace dlpack = interop::dlpack;
using interop::Refusal;

struct Names {
  nb::object device = interned("__dlpack_device__"), dlpack = interned("__dlpack__");
  nb::object keywords = nb::make_tuple(interned("max_version"));
  nb::object version = nb::make_tuple(dlpack::kVersion.major, dlpack::kVersion.minor);
};

const Names& names() {
  static const Names* made = nullptr;
  if (!made) made = new Names();
  return *made;
}

void check_device(Call& call, PyObject* object) {
  nb::object device = checked(PyObject_CallMethodNoArgs(object, names().device.ptr()));
  nb::object type =
      PyTuple_Check(device.ptr()) && nb::len(device) == 2 ? nb::object(device[0]) : device;
  int overflow = 0;
  long number = PyLong_Check(type.ptr()) || PyIndex_Check(type.ptr())
                    ? PyLong_AsLongAndOverflow(checked(PyNumber_Index(type.ptr())).ptr(), &overflow)
                    : -1;
  if (number < 0 || overflow)
    call.fail(DiagCode::dlpack_refused,
              {"__dlpack_device__() returned no (device type, device id)"});
  if (std::optional<Refusal> refusal = dlpack::refuse_device(number)) call.fail(*refusal);
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

// Newer producers first; older ones refuse the keyword. What a producer raises while it exports is
// not an invitation to export again (DEV-DLP-02).
nb::object capsule_of(PyObject* object) {
  PyObject* args[] = {object, names().version.ptr()};
  PyObject* found =
      PyObject_VectorcallMethod(names().dlpack.ptr(), args, 1, names().keywords.ptr());
  if (found) return nb::steal(found);
  nb::python_error error;
  if (!error.matches(PyExc_TypeError) || !refuses_keyword(error)) throw error;
  return checked(PyObject_CallMethodNoArgs(object, names().dlpack.ptr()));
}

template <class M>
void release(void* p) {
  auto* managed = static_cast<M*>(p);
  if (managed->deleter) managed->deleter(managed);
}

// Takes over a capsule that holds an M: its deleter is ours to call, whatever the tensor is. False
// where the capsule holds something else.
template <class M>
bool take(Call& call, PyObject* capsule, abi::ArrayView& view) {
  if (!PyCapsule_IsValid(capsule, M::kCapsule)) return false;
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, M::kCapsule));
  checked(PyCapsule_SetName(capsule, M::kUsedCapsule));
  checked(PyCapsule_SetDestructor(capsule, nullptr));
  call.owners().keep(managed, release<M>);
  if (std::optional<Refusal> refusal = dlpack::read(*managed, view)) call.fail(*refusal);
  return true;
}

}  // namespace

bool add_dlpack(Call& call, PyObject* object) {
  nb::object has_device = optional_attr(object, names().device);
  nb::object has_dlpack = optional_attr(object, names().dlpack);
  if (!has_device || !has_dlpack || PyType_Check(object)) return false;
  check_device(call, object);
  nb::object capsule = capsule_of(object);
  abi::ArrayView view;
  if (!take<dlpack::ManagedVersioned>(call, capsule.ptr(), view) &&
      !take<dlpack::Managed>(call, capsule.ptr(), view))
    call.fail(DiagCode::dlpack_refused, {"__dlpack__() returned no unused DLPack capsule"});
  call.add_array(view);
  return true;
}

}  // namespace cuda_device::bindings
