#define CD_FILLS_NUMPY_TABLE
#include "bindings/numpy.h"

namespace cuda_device::bindings {
namespace {

std::optional<ScalarKind> signed_of(size_t bytes) {
  switch (bytes) {
    case 1:
      return ScalarKind::I8;
    case 2:
      return ScalarKind::I16;
    case 4:
      return ScalarKind::I32;
    case 8:
      return ScalarKind::I64;
    default:
      return std::nullopt;
  }
}

std::optional<ScalarKind> unsigned_of(size_t bytes) {
  switch (bytes) {
    case 1:
      return ScalarKind::U8;
    case 2:
      return ScalarKind::U16;
    case 4:
      return ScalarKind::U32;
    case 8:
      return ScalarKind::U64;
    default:
      return std::nullopt;
  }
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
      return signed_of(sizeof(npy_byte));
    case NPY_SHORT:
      return signed_of(sizeof(npy_short));
    case NPY_INT:
      return signed_of(sizeof(npy_int));
    case NPY_LONG:
      return signed_of(sizeof(npy_long));
    case NPY_LONGLONG:
      return signed_of(sizeof(npy_longlong));
    case NPY_UBYTE:
      return unsigned_of(sizeof(npy_ubyte));
    case NPY_USHORT:
      return unsigned_of(sizeof(npy_ushort));
    case NPY_UINT:
      return unsigned_of(sizeof(npy_uint));
    case NPY_ULONG:
      return unsigned_of(sizeof(npy_ulong));
    case NPY_ULONGLONG:
      return unsigned_of(sizeof(npy_ulonglong));
    case NPY_FLOAT:
      return ScalarKind::F32;
    case NPY_DOUBLE:
      return ScalarKind::F64;
    default:
      return std::nullopt;
  }
}

bool is_planned_format(nb::handle dtype) {
  auto* descr = reinterpret_cast<PyArray_Descr*>(dtype.ptr());
  const int number = descr->type_num;
  if (number == NPY_HALF || number == NPY_CFLOAT || number == NPY_CDOUBLE) return true;
  if (number == NPY_VOID) return PyDataType_HASFIELDS(descr);
  const std::string name = to_string(nb::object(nb::str(dtype)));
  return name == "bfloat16" || name == "float8_e4m3fn" || name == "float8_e5m2";
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

}  // namespace cuda_device::bindings
