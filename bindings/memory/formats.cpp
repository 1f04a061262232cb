#include "bindings/memory/formats.h"

#include "bindings/numpy.h"

namespace cuda_device::bindings {
namespace {

namespace dlpack = interop::dlpack;
using dlpack::DataType;

// Those of ml_dtypes, which are known by name.
struct Extra {
  const char* name;
  DataType type;
};
constexpr Extra kExtras[] = {{"bfloat16", {dlpack::kBfloat, 16, 1}},
                             {"float8_e4m3fn", {dlpack::kFloat8E4m3, 8, 1}},
                             {"float8_e5m2", {dlpack::kFloat8E5m2, 8, 1}}};

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

const char* kind_of(uint8_t code) {
  switch (code) {
    case dlpack::kBool:
      return "b";
    case dlpack::kInt:
      return "i";
    case dlpack::kUint:
      return "u";
    case dlpack::kFloat:
      return "f";
    case dlpack::kComplex:
      return "c";
    default:
      return nullptr;
  }
}

}  // namespace

std::optional<DataType> dlpack_type(nb::handle dtype) {
  const auto* descr = reinterpret_cast<PyArray_Descr*>(dtype.ptr());
  if (!PyArray_ISNBO(descr->byteorder)) return std::nullopt;
  if (PyTypeNum_ISUSERDEF(descr->type_num)) {
    const std::string name = to_string(nb::object(nb::str(dtype)));
    for (const Extra& extra : kExtras)
      if (name == extra.name) return extra.type;
    return std::nullopt;
  }
  const auto item = PyDataType_ELSIZE(descr);
  const std::optional<uint8_t> code = code_of(descr->kind);
  const bool long_double = code && item > (*code == dlpack::kComplex ? 16 : 8);
  if (!code || long_double) return std::nullopt;
  return DataType{*code, static_cast<uint8_t>(item * 8), 1};
}

nb::object dtype_of(DataType type) {
  for (const Extra& extra : kExtras)
    if (type.code == extra.type.code && type.bits == extra.type.bits)
      return nb::module_::import_("numpy").attr("dtype")(
          nb::module_::import_("ml_dtypes").attr(extra.name));
  const char* kind = kind_of(type.code);
  const std::string text = (kind ? kind : "?") + std::to_string(type.bits / 8);
  try {
    if (kind) return nb::module_::import_("numpy").attr("dtype")(text);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  throw nb::buffer_error(("elements with DLPack's code " + std::to_string(type.code) + " and " +
                          std::to_string(type.bits) + " bits are no format of NumPy's")
                             .c_str());
}

}  // namespace cuda_device::bindings
