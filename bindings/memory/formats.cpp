#include "bindings/memory/formats.h"

#include "bindings/numpy.h"

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

std::optional<DataType> element_type(nb::handle dtype) {
  const auto* descr = reinterpret_cast<PyArray_Descr*>(dtype.ptr());
  if (!PyDataType_HASFIELDS(descr)) return dlpack_type(dtype);
  const auto item = PyDataType_ELSIZE(descr);
  if (item > UINT16_MAX || PyDataType_REFCHK(descr)) return std::nullopt;
  return DataType{dlpack::kOpaque, 8, static_cast<uint16_t>(item)};
}

bool is_of_ml_dtypes(DataType type) { return of_other_module(type) != nullptr; }

nb::object dtype_of(DataType type) {
  if (const Named* named = of_other_module(type))
    return nb::module_::import_("numpy").attr("dtype")(
        nb::module_::import_("ml_dtypes")
            .attr(std::string(named->name.substr(kOtherModule.size())).c_str()));
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
