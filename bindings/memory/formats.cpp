#include "bindings/memory/formats.h"

#include "bindings/numpy.h"
#include "bindings/values/element_dtype.h"
#include "bindings/values/vector_object.h"
#include "interop/dlpack_type.h"

namespace cuda_device::bindings {
namespace {

namespace dlpack = interop::dlpack;
using dlpack::DataType;

// Formats with a dtype of their own name.
struct Named {
  std::string_view name;  // with its module
  DataType type;
};
constexpr std::string_view kOtherModule = "ml_dtypes.";

constexpr Named kNamed[] = {
#define FLOAT(name, text, bytes, significand, exponent, specials, overflow, code, numpy, ...) \
  {numpy, {dlpack::code, 8 * bytes, 1}},
#define STORED_FLOAT FLOAT
#include "support/scalar.def"
};

// What NumPy's own names say by kind and size.
bool is_of_other_module(const Named& named) { return named.name.starts_with(kOtherModule); }

const Named* of_other_module(DataType type) {
  for (const Named& named : kNamed)
    if (is_of_other_module(named) && type.code == named.type.code && type.bits == named.type.bits)
      return &named;
  return nullptr;
}

std::optional<uint8_t> code_of(char kind) {
  switch (kind) {
    case 'b':
      return dlpack::kBool;
    case 'i':
      return dlpack::kInt;
    case 'u':
      return dlpack::kUint;
    case 'f':
      return dlpack::kFloat;
    case 'c':
      return dlpack::kComplex;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<DataType> dlpack_type(nb::handle dtype) {
  const auto* descr = reinterpret_cast<PyArray_Descr*>(dtype.ptr());
  if (!PyArray_ISNBO(descr->byteorder)) return std::nullopt;
  if (PyTypeNum_ISUSERDEF(descr->type_num)) {
    const std::string name = to_string(nb::object(nb::str(dtype)));
    for (const Named& named : kNamed)
      if (is_of_other_module(named) && named.name.substr(kOtherModule.size()) == name)
        return named.type;
    return std::nullopt;
  }
  const auto item = PyDataType_ELSIZE(descr);
  const std::optional<uint8_t> code = code_of(descr->kind);
  const bool long_double = code && item > (*code == dlpack::kComplex ? 16 : 8);
  if (!code || long_double) return std::nullopt;
  return DataType{*code, static_cast<uint8_t>(item * 8), 1};
}

// Nothing for other elements, and for vectors of one component, which would be numbers.
static std::optional<DataType> type_of_vectors(nb::handle dtype) {
  const nb::object of = type_of_elements(dtype.ptr());
  auto* const vector = reinterpret_cast<PyTypeObject*>(of.ptr());
  if (!vector || !PyType_Check(of.ptr()) || !is_vector_type(vector) || lanes_of_vector(vector) < 2)
    return std::nullopt;
  std::optional<DataType> type = dlpack_type(dtype_of_scalar(scalar_of_vector(vector)));
  if (!type) return std::nullopt;
  type->lanes = static_cast<uint16_t>(lanes_of_vector(vector));
  const auto* descr = reinterpret_cast<PyArray_Descr*>(dtype.ptr());
  return dlpack::bytes_of(*type) == PyDataType_ELSIZE(descr) ? type : std::nullopt;
}

std::optional<DataType> element_type(nb::handle dtype) {
  const auto* descr = reinterpret_cast<PyArray_Descr*>(dtype.ptr());
  if (!PyDataType_HASFIELDS(descr)) return dlpack_type(dtype);
  if (const auto vector = type_of_vectors(dtype)) return vector;
  const auto item = PyDataType_ELSIZE(descr);
  if (item > UINT16_MAX || PyDataType_REFCHK(descr)) return std::nullopt;
  return DataType{dlpack::kOpaque, 8, static_cast<uint16_t>(item)};
}

bool is_of_ml_dtypes(DataType type) { return of_other_module(type) != nullptr; }

nb::object dtype_of(DataType type) {
  DtypeId part;
  if (dlpack::read_type(type, part))
    throw nb::buffer_error(
        ("DLPack's type code " + std::to_string(type.code) + " with " + std::to_string(type.bits) +
         " bits and " + std::to_string(type.lanes) +
         " lanes is no format of elements here: those are bool, integers of 8 to 64 bits, floats "
         "of 16 to 64, bfloat16, float8_e4m3fn and float8_e5m2, complex numbers of two float32 or "
         "float64, and vectors of 2 to 4 integers or floats; convert the array to one of these")
            .c_str());
  if (type.lanes > 1) return numpy_dtype_of_vector(part.scalar(), type.lanes);
  if (type.code != dlpack::kComplex) return nb::borrow(dtype_of_scalar(part.scalar()));
  const int number = type.bits == 64 ? NPY_CFLOAT : NPY_CDOUBLE;
  return checked(reinterpret_cast<PyObject*>(PyArray_DescrFromType(number)));
}

}  // namespace cuda_device::bindings
