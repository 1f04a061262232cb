// Objects with __dlpack__ and __dlpack_device__, and what they give.
#pragma once

#include <optional>
#include <span>

#include "bindings/python.h"

namespace cuda_device::bindings {

struct DlpackNames {
  nb::object device = interned("__dlpack_device__"), dlpack = interned("__dlpack__");
};
const DlpackNames& dlpack_names();  // as long as the process

// A method of an object, which must outlive it. Python's calls find one of the class without making
// a bound method of it; what else has the name, as what __getattr__ gives, is looked up once.
class Method {
 public:
  // Looked up when it is called.
  Method(PyObject* object, const nb::object& name) : object_(object), name_(name) {}
  // Nothing where the object has none.
  static std::optional<Method> of(PyObject* object, const nb::object& name);
  // What it returns, or null and an exception. `names`: of the last arguments; may be null.
  static constexpr size_t kMostArguments = 4;
  PyObject* call(std::span<PyObject* const> arguments = {}, PyObject* names = nullptr) const;

 private:
  PyObject* object_;
  nb::handle name_;   // as long as the process
  nb::object found_;  // null: it is looked up
};

// What a producer is asked for beside the version that is known here; null: nothing is said of it.
struct CapsuleRequest {
  nb::object stream;     // that the tensor is to be safe on
  nb::object dl_device;  // where it is to be
  nb::object copy;
};

// A capsule, of version 1 where the producer knows it. One that does not know the keywords is asked
// without, and may give a tensor elsewhere. What it raises while it exports is thrown.
nb::object capsule_of(nb::handle producer, const CapsuleRequest& request = {});
nb::object capsule_of(const Method& dlpack, const CapsuleRequest& request);

// Whether the producer's array may not be stored to though its tensor does not say so: one from
// before version 1 cannot, where the CUDA Array Interface beside it may; and arrays of JAX never
// change.
bool is_read_only_beside_tensor(nb::handle producer, bool is_legacy);

}  // namespace cuda_device::bindings
