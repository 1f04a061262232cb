#include "bindings/source/guard.h"

#include "bindings/source/value.h"

namespace cuda_device::bindings {
namespace {

// A borrowed reference, or one that `keep` holds; null where there is nothing.
PyObject* current(const Guard& guard, nb::object& keep, Given given) {
  PyObject* owner = guard.owner.ptr();
  switch (guard.kind) {
    case Guard::Kind::Dict: {
      PyObject* found = PyDict_GetItemWithError(owner, guard.name.ptr());
      if (!found && PyErr_Occurred()) throw nb::python_error();
      return found;
    }
    case Guard::Kind::Cell:
      return PyCell_GET(owner);
    case Guard::Kind::Attribute:
      return (keep = optional_attr(owner, guard.name)).ptr();
    case Guard::Kind::ClassMethod:
      keep = optional_attr(owner, guard.name);
      if (keep.is_valid()) keep = optional_attr(keep, nb::str("__func__"));
      return keep.ptr();
    case Guard::Kind::Code:
      return PyFunction_GetCode(owner);
    case Guard::Kind::Defaults:
      return PyFunction_GetDefaults(owner);
    case Guard::Kind::Argument:
      return guard.position < given.size() ? given[guard.position] : nullptr;
  }
  return nullptr;
}

std::optional<uint32_t> index_of(nb::handle cls, const std::vector<nb::object>& types) {
  for (size_t i = 0; i < types.size(); ++i)
    if (types[i].is(cls)) return static_cast<uint32_t>(i);
  return std::nullopt;
}

bool equal_constant(Guard& guard, PyObject* found, const std::vector<nb::object>& types) {
  if (!found || !guard.constant) return false;
  const auto structs = [&](nb::handle cls) { return index_of(cls, types); };
  std::optional<syntax::Value> value = constant_array(found, structs);
  if (!value) value = constant_of(found, structs);
  if (!value || !same_value(*value, *guard.constant)) return false;
  guard.expected = nb::borrow(found);
  return true;
}

}  // namespace

bool all_hold(std::vector<Guard>& guards, const std::vector<nb::object>& types, Given given) {
  for (Guard& guard : guards) {
    nb::object keep;
    PyObject* found = current(guard, keep, given);
    const bool same = found == guard.expected.ptr() && !(guard.constant && is_mutable(found));
    if (!same && !equal_constant(guard, found, types)) return false;
  }
  return true;
}

}  // namespace cuda_device::bindings
