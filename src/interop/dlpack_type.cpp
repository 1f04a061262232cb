#include "interop/dlpack_type.h"

#include <iterator>

namespace cuda_device::interop::dlpack {
namespace {

std::string type_text(DataType type) {
  const char* kinds[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  std::string text = type.code < std::size(kinds)
                         ? kinds[type.code]
                         : "type code " + std::to_string(type.code) + " of ";
  text += std::to_string(type.bits);
  return type.lanes == 1 ? text : text + "x" + std::to_string(type.lanes);
}

// Formats that kernels will take one day: complex numbers.
bool is_planned(DataType type) {
  return type.code == kComplex && (type.bits == 64 || type.bits == 128);
}

struct CodeOfClass {
  static constexpr TypeCode Bool = kBool, Int = kInt, Uint = kUint;
};
constexpr TypeCode kCodes[] = {
#define SCALAR(name, text, bytes, kind) CodeOfClass::kind,
#define FLOAT(name, text, bytes, significand, exponent, specials, overflow, dlpack, ...) dlpack,
#define STORED_FLOAT(name, text, bytes, significand, exponent, specials, overflow, dlpack, ...) \
  dlpack,
#include "support/scalar.def"
};

// Lanes are not looked at.
std::optional<ScalarKind> scalar_of(DataType type) {
  for (int i = 0; i < kScalarCount; ++i) {
    auto kind = static_cast<ScalarKind>(i);
    if (bits_of(kind) == type.bits && kCodes[i] == type.code) return kind;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> read_type(DataType type, DtypeId& dtype) {
  const std::optional<ScalarKind> known = scalar_of(type);
  const bool vector = type.lanes >= 2 && type.lanes <= 4;
  if (type.lanes != 1 && !vector)
    return Refusal{DiagCode::dlpack_refused,
                   {"elements of " + std::to_string(type.lanes) + " lanes"}};
  if (vector || (!known && is_planned(type)))
    return Refusal{DiagCode::argument_not_yet, {"an array of '" + type_text(type) + "'"}};
  if (!known) return Refusal{DiagCode::argument_dtype, {"arrays of '" + type_text(type) + "'"}};
  dtype = *known;
  return std::nullopt;
}

}  // namespace cuda_device::interop::dlpack
