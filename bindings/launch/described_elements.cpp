#include "bindings/launch/described_elements.h"

#include <array>
#include <string_view>

#include "bindings/launch/buffer.h"

namespace cuda_device::bindings {
namespace {

// What a description says, as bytes: equal where it is the same.
using Text = Buffer<512>;

constexpr int kDeepest = 32;

bool write_part(Text& text, PyObject* part, int depth);

void write_head(Text& text, char kind, Py_ssize_t size) {
  *text.extend(1) = static_cast<uint8_t>(kind);
  text.append(size);
}

bool write_string(Text& text, PyObject* string) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(string, &size);
  if (!bytes) {  // lone surrogates
    PyErr_Clear();
    return false;
  }
  write_head(text, 's', size);
  std::memcpy(text.extend(static_cast<size_t>(size)), bytes, static_cast<size_t>(size));
  return true;
}

bool write_integer(Text& text, PyObject* integer) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(integer, &overflow);
  *text.extend(1) = 'i';
  text.append(number);
  return !overflow;
}

bool write_sequence(Text& text, char kind, PyObject* sequence, int depth) {
  const Py_ssize_t size = Py_SIZE(sequence);
  write_head(text, kind, size);
  for (Py_ssize_t i = 0; i < size; ++i)
    if (!write_part(text, PySequence_Fast_GET_ITEM(sequence, i), depth + 1)) return false;
  return true;
}

// Only objects of Python's own classes, which run no code of a user's. A list may hold itself.
bool write_part(Text& text, PyObject* part, int depth) {
  if (depth > kDeepest) return false;
  if (PyUnicode_CheckExact(part)) return write_string(text, part);
  if (PyTuple_CheckExact(part)) return write_sequence(text, 't', part, depth);
  if (PyList_CheckExact(part)) return write_sequence(text, 'l', part, depth);
  return PyLong_CheckExact(part) && write_integer(text, part);
}

bool write_description(Text& text, PyObject* typestr, PyObject* descr) {
  return write_part(text, typestr, 0) && write_part(text, descr, 0);
}

std::string_view bytes_of(Text& text) {
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

// Descriptions of late. Their dtypes have no class, so they keep nothing of a user's.
struct KnownText {
  std::string text;
  nb::object dtype;
};

KnownText& known_at(std::string_view text) {
  constexpr size_t kEntries = 64;
  static auto* const entries = new std::array<KnownText, kEntries>();
  return (*entries)[std::hash<std::string_view>()(text) % kEntries];
}

// Null where Python refuses it, which says why when it reads the whole dictionary.
nb::object read_by_python(PyObject* typestr, const nb::object& descr) {
  const nb::object read =
      nb::module_::import_("cuda.device._interfaces").attr("dtype_of_description");
  nb::object dtype =
      nb::steal(PyObject_CallFunctionObjArgs(read.ptr(), typestr, descr.ptr(), NULL));
  if (dtype) return dtype;
  const nb::python_error error;
  if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError)) throw error;
  return {};
}

}  // namespace

nb::object dtype_of_description(PyObject* typestr, PyObject* descr) {
  Text text;
  if (!write_description(text, typestr, descr)) return {};
  if (const KnownText& known = known_at(bytes_of(text)); known.text == bytes_of(text))
    return known.dtype;
  // Another thread may change a list while Python reads it, not the copy.
  const nb::object copy = nb::module_::import_("copy").attr("deepcopy")(nb::handle(descr));
  Text copied;
  if (!write_description(copied, typestr, copy.ptr())) return {};
  nb::object dtype = read_by_python(typestr, copy);
  if (dtype) known_at(bytes_of(copied)) = {std::string(bytes_of(copied)), dtype};
  return dtype;
}

}  // namespace cuda_device::bindings
