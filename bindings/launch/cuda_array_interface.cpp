#include "bindings/launch/cuda_array_interface.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "bindings/launch/described_elements.h"
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

// The text of a type string without a byte order that is this machine's, or none; empty: it is no
// text.
std::string_view without_order(PyObject* typestr) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(typestr, &size);
  if (!text) PyErr_Clear();  // lone surrogates
  std::string_view found(text ? text : "", text ? static_cast<size_t>(size) : 0);
  if (!found.empty() && std::strchr("<|=", found.front())) found.remove_prefix(1);
  return found;
}

// The class and the bytes of a number: "<f4", "|u1", "=i8", "c16".
struct NumberText {
  char letter;
  int bytes;
};

std::optional<NumberText> number_text(PyObject* typestr) {
  const std::string_view text = without_order(typestr);
  if (text.size() < 2) return std::nullopt;
  NumberText number{text.front(), 0};
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data() + 1, end, number.bytes);
  if (error != std::errc() || last != end || number.bytes < 0) return std::nullopt;
  return number;
}

std::optional<int> complex_type_number(NumberText number) {
  if (number.letter != 'c') return std::nullopt;
  if (number.bytes == 8) return NPY_CFLOAT;
  return number.bytes == 16 ? std::optional<int>(NPY_CDOUBLE) : std::nullopt;
}

// Reads the dtype of elements whose type string says all. False where it says something else.
bool read_number(PyObject* typestr, CudaArray& found) {
  const std::optional<NumberText> number = number_text(typestr);
  if (!number) return false;
  if (const std::optional<int> complex = complex_type_number(*number)) {
    found.dtype = checked(reinterpret_cast<PyObject*>(PyArray_DescrFromType(*complex)));
    return true;
  }
  const std::optional<ScalarKind> scalar = scalar_of_kind(number->letter, number->bytes);
  if (scalar) found.view.dtype = *scalar;
  return scalar.has_value();
}

// [("", typestr)] says no more than the type string.
bool is_default(PyObject* descr, PyObject* typestr) {
  if (!PyList_CheckExact(descr) || PyList_GET_SIZE(descr) != 1) return false;
  PyObject* part = PyList_GET_ITEM(descr, 0);
  if (!PyTuple_CheckExact(part) || PyTuple_GET_SIZE(part) != 2) return false;
  PyObject *name = PyTuple_GET_ITEM(part, 0), *type = PyTuple_GET_ITEM(part, 1);
  return PyUnicode_CheckExact(name) && PyUnicode_GET_LENGTH(name) == 0 &&
         PyUnicode_CheckExact(type) && without_order(type) == without_order(typestr);
}

bool read_elements(PyObject* typestr, const nb::object& descr, CudaArray& found) {
  if (!PyUnicode_CheckExact(typestr)) return false;
  if (is_absent(descr) || is_default(descr.ptr(), typestr)) return read_number(typestr, found);
  found.dtype = dtype_of_description(typestr, descr.ptr());
  return found.dtype.is_valid() &&
         PyDataType_HASFIELDS(reinterpret_cast<PyArray_Descr*>(found.dtype.ptr()));
}

int64_t item_bytes(const CudaArray& array) {
  if (!array.dtype) return cuda_device::bytes_of(array.view.dtype.scalar());
  return PyDataType_ELSIZE(reinterpret_cast<PyArray_Descr*>(array.dtype.ptr()));
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
  if (!number || *number < 0) return std::nullopt;
  if (*number > 0 && !is_absent(field(dictionary, known.mask))) return std::nullopt;
  CudaArray found;
  if (!read_elements(typestr.ptr(), field(dictionary, known.descr), found)) return std::nullopt;
  const int64_t item = item_bytes(found);
  if (!read_shape(shape.ptr(), found.view) || !read_data(data.ptr(), found.view) ||
      !read_strides(field(dictionary, known.strides), item, found.view) ||
      !read_stream(field(dictionary, known.stream), found.stream))
    return std::nullopt;
  const std::optional<interop::Span> span = interop::span_of(found.view, item);
  if (!span) return std::nullopt;
  found.span = *span;
  return found;
}

}  // namespace cuda_device::bindings
