#define CD_FILLS_NUMPY_TABLE
#include "bindings/numpy.h"

#include <cstring>

namespace cuda_device::bindings {
namespace {

struct Dtype {
  ScalarKind scalar;
  std::string_view name;  // with its module; of bool and integers the class and size say enough
};
constexpr Dtype kDtypes[] = {
#define SCALAR(name, text, bytes, kind) {ScalarKind::name, ""},
#define FLOAT(name, text, bytes, significand, exponent, specials, overflow, dlpack, numpy, ...) \
  {ScalarKind::name, numpy},
#define STORED_FLOAT FLOAT
#include "support/scalar.def"
};

consteval std::optional<ScalarKind> integer_of(NumberClass number_class, size_t bytes) {
  for (const Dtype& dtype : kDtypes)
    if (info(dtype.scalar).number_class == number_class && info(dtype.scalar).bytes == bytes)
      return dtype.scalar;
  return std::nullopt;
}

constexpr std::optional<ScalarKind> float_named(std::string_view name) {
  for (const Dtype& dtype : kDtypes)
    if (dtype.name == name && !name.empty()) return dtype.scalar;
  return std::nullopt;
}

constexpr std::optional<ScalarKind> kHalf = float_named("numpy.float16"),
                                    kFloat = float_named("numpy.float32"),
                                    kDouble = float_named("numpy.float64");

// NumPy's own formats are found by their type numbers, others by name.
consteval bool are_all_found() {
  for (const Dtype& dtype : kDtypes) {
    const bool found = dtype.scalar == kHalf || dtype.scalar == kFloat || dtype.scalar == kDouble;
    if (dtype.name.starts_with("numpy.") && !found) return false;
  }
  return true;
}
static_assert(are_all_found(), "a format of NumPy needs its type number");

// The class of its numbers: "float32" of NumPy, "ml_dtypes.bfloat16".
nb::object number_class(const Dtype& dtype) {
  const size_t dot = dtype.name.find('.');
  if (dot == std::string_view::npos)
    return nb::module_::import_("numpy").attr("dtype")(
        std::string(cuda_device::name_of(dtype.scalar)));
  return nb::module_::import_(std::string(dtype.name.substr(0, dot)).c_str())
      .attr(std::string(dtype.name.substr(dot + 1)).c_str());
}

// Dtypes that other modules have registered.
std::optional<ScalarKind> scalar_of_registered(int type_number) {
  PyArray_Descr* found = PyArray_DescrFromType(type_number);
  if (!found) {
    PyErr_Clear();
    return std::nullopt;
  }
  const nb::object descr = nb::steal(reinterpret_cast<PyObject*>(found));
  return float_named("ml_dtypes." + to_string(nb::object(nb::str(descr))));
}

}  // namespace

void import_numpy() {
  if (PyArray_ImportNumPyAPI() < 0) throw nb::python_error();
}

// long and long long are two type numbers of one format.
std::optional<ScalarKind> scalar_of_type_number(int type_number) {
  switch (type_number) {
    case NPY_BOOL:
      return ScalarKind::Bool;
    case NPY_BYTE:
      return integer_of(NumberClass::Int, sizeof(npy_byte));
    case NPY_SHORT:
      return integer_of(NumberClass::Int, sizeof(npy_short));
    case NPY_INT:
      return integer_of(NumberClass::Int, sizeof(npy_int));
    case NPY_LONG:
      return integer_of(NumberClass::Int, sizeof(npy_long));
    case NPY_LONGLONG:
      return integer_of(NumberClass::Int, sizeof(npy_longlong));
    case NPY_UBYTE:
      return integer_of(NumberClass::Uint, sizeof(npy_ubyte));
    case NPY_USHORT:
      return integer_of(NumberClass::Uint, sizeof(npy_ushort));
    case NPY_UINT:
      return integer_of(NumberClass::Uint, sizeof(npy_uint));
    case NPY_ULONG:
      return integer_of(NumberClass::Uint, sizeof(npy_ulong));
    case NPY_ULONGLONG:
      return integer_of(NumberClass::Uint, sizeof(npy_ulonglong));
    case NPY_HALF:
      return kHalf;
    case NPY_FLOAT:
      return kFloat;
    case NPY_DOUBLE:
      return kDouble;
    default:
      return PyTypeNum_ISUSERDEF(type_number) ? scalar_of_registered(type_number) : std::nullopt;
  }
}

std::optional<ScalarKind> scalar_of_kind(char letter, int bytes) {
  constexpr std::string_view kLetters = "biuf";  // in the order of NumberClass
  const size_t number_class = kLetters.find(letter);
  for (const Dtype& dtype : kDtypes) {
    const bool of_numpy = dtype.name.empty() || dtype.name.starts_with("numpy.");
    if (of_numpy && info(dtype.scalar).bytes == static_cast<size_t>(bytes) &&
        static_cast<size_t>(info(dtype.scalar).number_class) == number_class)
      return dtype.scalar;
  }
  return std::nullopt;
}

nb::handle dtype_of_scalar(ScalarKind scalar) {
  static PyObject* known[kScalarCount] = {};
  PyObject*& dtype = known[static_cast<size_t>(scalar)];
  if (!dtype) {
    const nb::object made = nb::module_::import_("numpy").attr("dtype")(
        number_class(kDtypes[static_cast<size_t>(scalar)]));
    if (!dtype) dtype = made.inc_ref().ptr();  // an import may let other threads run
  }
  return dtype;
}

bool is_planned_format(nb::handle dtype) {
  auto* descr = reinterpret_cast<PyArray_Descr*>(dtype.ptr());
  const int number = descr->type_num;
  if (number == NPY_CFLOAT || number == NPY_CDOUBLE) return true;
  return number == NPY_VOID && PyDataType_HASFIELDS(descr);
}

int type_number_of_scalar(PyObject* object) {
  if (!PyArray_IsScalar(object, Generic)) return -1;
  PyArray_Descr* descr = PyArray_DescrFromScalar(object);
  if (!descr) {
    PyErr_Clear();
    return -1;
  }
  int number = descr->type_num;
  Py_DECREF(descr);
  return number;
}

bool is_warp_mask(PyObject* object) {
  if (!PyArray_IsScalar(object, Int) || Py_TYPE(object) == &PyIntArrType_Type) return false;
  const nb::object cls = nb::module_::import_("cuda.device._warps").attr("WarpMask");
  return nb::isinstance(object, cls);
}

// Copies a scalar's value. NumPy gives the place of one from another module, not the value.
void copy_scalar(PyObject* object, ScalarKind format, void* to) {
  if (!PyTypeNum_ISUSERDEF(type_number_of_scalar(object))) return PyArray_ScalarAsCtype(object, to);
  const void* at = nullptr;
  PyArray_ScalarAsCtype(object, &at);
  std::memcpy(to, at, static_cast<size_t>(bytes_of(format)));
}

}  // namespace cuda_device::bindings
