#include "bindings/dlpack_exchange.h"

#include <vector>

#include "bindings/dlpack_producer.h"
#include "bindings/known_classes.h"

namespace cuda_device::bindings {
namespace {

namespace dlpack = interop::dlpack;
using interop::Refusal;

// What was found in a capsule. Kept as long as the process, by the capsule and not by the class,
// since classes that are derived from one have its capsule.
struct Known {
  nb::object capsule;
  const dlpack::ExchangeApi* api;
  nb::object dlpack;  // __dlpack__ of the class that has the capsule
};

struct Names {
  nb::object exchange = interned("__dlpack_c_exchange_api__");
  nb::object requires_grad = interned("requires_grad");
  nb::object is_neg = interned("is_neg");
};
const Names& names() {
  static const auto* const made = new Names;
  return *made;
}

// The class that an attribute of another one comes from.
nb::object owner_of(PyTypeObject* type, const nb::object& name) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    const nb::handle base = PyTuple_GET_ITEM(type->tp_mro, i);
    const nb::object fields = optional_attr(base, interned("__dict__"));
    if (fields && PyMapping_HasKey(fields.ptr(), name.ptr())) return nb::borrow(base);
  }
  return {};
}

// Null where it is of a major version that is not known, or lacks a function.
const dlpack::ExchangeApi* api_in(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, dlpack::ExchangeApi::kCapsule)) return nullptr;
  const void* found = PyCapsule_GetPointer(capsule, dlpack::ExchangeApi::kCapsule);
  auto* header = static_cast<const dlpack::ExchangeHeader*>(found);
  while (header && header->version.major != dlpack::kVersion.major) header = header->older;
  auto* api = reinterpret_cast<const dlpack::ExchangeApi*>(header);
  const bool whole = api && api->managed_tensor_from_py_object_no_sync && api->current_work_stream;
  return whole ? api : nullptr;
}

const Known& known_of(PyTypeObject* type, PyObject* capsule) {
  static auto* const all = new std::vector<Known>;
  for (const Known& known : *all)
    if (known.capsule.ptr() == capsule) return known;
  const nb::object owner = owner_of(type, names().exchange);
  Known made{nb::borrow(capsule), api_in(capsule), {}};
  if (owner) made.dlpack = class_attr(owner, dlpack_names().dlpack);
  return all->emplace_back(std::move(made));
}

bool is_true(PyObject* descriptor, PyObject* object, PyTypeObject* type) {
  const descrgetfunc get = Py_TYPE(descriptor)->tp_descr_get;
  const nb::object value = get ? checked(get(descriptor, object, reinterpret_cast<PyObject*>(type)))
                               : nb::borrow(descriptor);
  return value.ptr() != Py_False;
}

// What is known of a class. Its attributes stay as long as it does not change.
struct OfClass {
  Exchange exchange = {};
  PyObject* requires_grad = nullptr;  // PyTorch's tensors have it
  PyObject* is_neg = nullptr;         // likewise
};

// A derived class that has a __dlpack__ of its own has its say.
OfClass look_up_exchange(PyTypeObject* type) {
  PyObject* const capsule = _PyType_Lookup(type, names().exchange.ptr());
  if (!capsule || !PyCapsule_CheckExact(capsule)) return {};
  const Known& known = known_of(type, capsule);
  if (!known.api) return {};
  if (_PyType_Lookup(type, dlpack_names().dlpack.ptr()) != known.dlpack.ptr()) return {};
  PyObject* const requires_grad = _PyType_Lookup(type, names().requires_grad.ptr());
  return {{known.api, requires_grad && known.api->dltensor_from_py_object_no_sync}, requires_grad};
}

OfClass look_up(PyTypeObject* type) {
  OfClass found = look_up_exchange(type);
  PyObject* const is_neg = _PyType_Lookup(type, names().is_neg.ptr());
  if (is_neg && Py_IS_TYPE(is_neg, &PyMethodDescr_Type)) found.is_neg = is_neg;
  return found;
}

const OfClass& of_class(PyTypeObject* type) {
  static auto* const all = new KnownClasses<OfClass>;
  if (const OfClass* found = all->find(type)) [[likely]]
    return *found;
  return all->add(type, look_up(type));
}

// Imaginary parts are: each real part lies between two of them. A single one lies behind its own;
// to ask PyTorch takes longer than all else about a tensor.
bool may_be_negated(const abi::ArrayView& view, dlpack::DataType type) {
  if (type.code != dlpack::kFloat) return false;
  const int64_t part = type.bits / 8;
  bool single = true;
  for (int axis = 0; axis < view.ndim; ++axis) {
    if (view.shape[axis] == 1) continue;
    if (view.strides[axis] % (2 * part) != 0) return false;
    single = false;
  }
  const auto address = reinterpret_cast<uintptr_t>(view.data);
  return !single || address % static_cast<uintptr_t>(2 * part) != 0;
}

}  // namespace

Exchange exchange_of(PyObject* object) {
  const OfClass& known = of_class(Py_TYPE(object));
  if (!known.exchange.api) [[likely]]
    return {};
  // PyTorch's functions give tensors away that its __dlpack__ refuses; none of its is read-only.
  const Exchange exchange = known.exchange;
  PyObject* const requires_grad = known.requires_grad;
  if (requires_grad && is_true(requires_grad, object, Py_TYPE(object))) return {};
  return exchange;
}

std::optional<Refusal> refuse_negated(PyObject* object, const abi::ArrayView& view,
                                      dlpack::DataType type) {
  if (!may_be_negated(view, type)) return std::nullopt;
  PyObject* const is_neg = of_class(Py_TYPE(object)).is_neg;
  if (!is_neg || checked(PyObject_CallOneArg(is_neg, object)).ptr() != Py_True) return std::nullopt;
  return Refusal{DiagCode::dlpack_refused,
                 {"PyTorch negates its elements as it reads them, which DLPack does not say; take "
                  "x.resolve_neg()"}};
}

}  // namespace cuda_device::bindings
