#include "bindings/launch/cuda_array_interface.h"

#include <algorithm>
#include <cstring>

#include "bindings/numpy.h"

namespace cuda_device::bindings {
namespace {

// Null where the key is missing.
nb::object field(PyObject* dictionary, const nb::object& key) {
  PyObject* found = PyDict_GetItemWithError(dictionary, key.ptr());
  if (!found && PyErr_Occurred()) throw nb::python_error();
  return nb::borrow(found);
}

struct Keys {
  nb::object shape = interned("shape"), typestr = interned("typestr"), data = interned("data"),
             version = interned("version"), strides = interned("strides"),
             descr = interned("descr"), mask = interned("mask"), stream = interned("stream");
};

// As long as the process.
const Keys& keys() {
  static const auto* const all = new Keys;
  return *all;
}

bool is_absent(const nb::object& value) { return !value || value.is_none(); }

std::optional<int64_t> integer(PyObject* value) {
  if (!PyLong_CheckExact(value)) return std::nullopt;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  return overflow ? std::nullopt : std::optional<int64_t>(number);
}

// Of "<f4", "|u1", "=i8".
std::optional<ScalarKind> scalar_of(PyObject* typestr) {
  if (!PyUnicode_CheckExact(typestr)) return std::nullopt;
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(typestr, &size);
  if (!text) throw nb::python_error();
  if (size != 3 || !std::strchr("<|=", text[0])) return std::nullopt;
  return scalar_of_kind(text[1], text[2] - '0');
}

bool read_shape(PyObject* shape, abi::ArrayView& view) {
  if (!PyTuple_CheckExact(shape) || PyTuple_GET_SIZE(shape) > abi::kMaxDims) return false;
  view.ndim = static_cast<int>(PyTuple_GET_SIZE(shape));
  for (int axis = 0; axis < view.ndim; ++axis) {
    const std::optional<int64_t> extent = integer(PyTuple_GET_ITEM(shape, axis));
    if (!extent || *extent < 0) return false;
    view.shape[axis] = *extent;
  }
  return true;
}

// Row by row where the dictionary gives none.
bool read_strides(const nb::object& given, int64_t item, abi::ArrayView& view) {
  if (is_absent(given)) {
    int64_t step = item;
    for (int axis = view.ndim; axis-- > 0;) {
      view.strides[axis] = step;
      if (__builtin_mul_overflow(step, std::max<int64_t>(view.shape[axis], 1), &step)) return false;
    }
    return true;
  }
  PyObject* strides = given.ptr();
  if (!PyTuple_CheckExact(strides) || PyTuple_GET_SIZE(strides) != view.ndim) return false;
  for (int axis = 0; axis < view.ndim; ++axis) {
    const std::optional<int64_t> step = integer(PyTuple_GET_ITEM(strides, axis));
    if (!step) return false;
    view.strides[axis] = *step;
  }
  return true;
}

// [("", typestr)] says no more than the type string.
bool is_default(PyObject* descr, PyObject* typestr) {
  if (!PyList_CheckExact(descr) || PyList_GET_SIZE(descr) != 1) return false;
  PyObject* part = PyList_GET_ITEM(descr, 0);
  if (!PyTuple_CheckExact(part) || PyTuple_GET_SIZE(part) != 2) return false;
  PyObject *name = PyTuple_GET_ITEM(part, 0), *type = PyTuple_GET_ITEM(part, 1);
  return PyUnicode_CheckExact(name) && PyUnicode_GET_LENGTH(name) == 0 &&
         PyUnicode_CheckExact(type) && PyUnicode_Compare(type, typestr) == 0;
}

bool read_data(PyObject* data, abi::ArrayView& view) {
  if (!PyTuple_CheckExact(data) || PyTuple_GET_SIZE(data) != 2) return false;
  PyObject* read_only = PyTuple_GET_ITEM(data, 1);
  if (!PyBool_Check(read_only)) return false;
  const std::optional<int64_t> address = integer(PyTuple_GET_ITEM(data, 0));
  if (!address || *address < 0) return false;
  view.data = reinterpret_cast<void*>(*address);
  view.read_only = read_only == Py_True;
  return true;
}

// False for what is no stream: 0 is none.
bool read_stream(const nb::object& given, uint64_t& stream) {
  if (is_absent(given)) return true;
  const std::optional<int64_t> handle = integer(given.ptr());
  if (!handle || *handle <= 0) return false;
  stream = static_cast<uint64_t>(*handle);
  return true;
}

}  // namespace

std::optional<CudaArray> read_cuda_array_interface(PyObject* dictionary) {
  if (!PyDict_CheckExact(dictionary)) return std::nullopt;
  const Keys& known = keys();
  const nb::object typestr = field(dictionary, known.typestr);
  const nb::object shape = field(dictionary, known.shape), data = field(dictionary, known.data),
                   version = field(dictionary, known.version);
  if (!typestr || !shape || !data || !version) return std::nullopt;
  const std::optional<int64_t> number = integer(version.ptr());
  const std::optional<ScalarKind> scalar = scalar_of(typestr.ptr());
  if (!number || *number < 0 || !scalar) return std::nullopt;
  const nb::object descr = field(dictionary, known.descr);
  const bool plain = (is_absent(descr) || is_default(descr.ptr(), typestr.ptr())) &&
                     is_absent(field(dictionary, known.mask));
  if (!plain) return std::nullopt;
  const auto item = static_cast<int64_t>(cuda_device::bytes_of(*scalar));
  CudaArray found;
  found.view.dtype = *scalar;
  if (!read_shape(shape.ptr(), found.view) || !read_data(data.ptr(), found.view) ||
      !read_strides(field(dictionary, known.strides), item, found.view) ||
      !read_stream(field(dictionary, known.stream), found.stream))
    return std::nullopt;
  const std::optional<interop::Span> span = interop::span_of(found.view, item);
  if (!span || span->low == span->high) return std::nullopt;
  found.span = *span;
  return found;
}

}  // namespace cuda_device::bindings
