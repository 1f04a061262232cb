#include "interop/dlpack_type.h"

#include <array>
#include <iterator>

namespace cuda_device::interop::dlpack {
namespace {

std::string type_text(DataType type) {
  const char* kinds[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  const std::string bits = std::to_string(type.bits);
  const std::string text = type.code < std::size(kinds)
                               ? kinds[type.code] + bits
                               : "type code " + std::to_string(type.code) + " of " + bits + " bits";
  return type.lanes == 1 ? text : text + "x" + std::to_string(type.lanes);
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

// By type code and by sixteenths of the bits: a launch looks for each of its tensors.
constexpr size_t kCodeEnd = 16, kSizeEnd = 5;
constexpr int8_t kNone = -1;
constexpr auto kKinds = [] {
  std::array<std::array<int8_t, kSizeEnd>, kCodeEnd> kinds{};
  for (auto& row : kinds) row.fill(kNone);
  for (int i = 0; i < kScalarCount; ++i)
    kinds[kCodes[i]][static_cast<size_t>(bits_of(static_cast<ScalarKind>(i))) / 16] =
        static_cast<int8_t>(i);
  return kinds;
}();

// Lanes are not looked at.
std::optional<ScalarKind> part_of(DataType type) {
  if (type.code == kComplex) {
    if (type.bits != 64 && type.bits != 128) return std::nullopt;
    type = {kFloat, static_cast<uint8_t>(type.bits / 2), 1};
  }
  const size_t size = type.bits / size_t{16};
  if (type.code >= kCodeEnd || size >= kSizeEnd) return std::nullopt;
  const int8_t found = kKinds[type.code][size];
  if (found == kNone || bits_of(static_cast<ScalarKind>(found)) != type.bits) return std::nullopt;
  return static_cast<ScalarKind>(found);
}

bool has_vectors(DataType type) { return type.code != kBool && type.code != kComplex; }

}  // namespace

std::optional<ScalarKind> scalar_of(DataType type) {
  return has_parts(type) ? std::nullopt : part_of(type);
}

std::optional<Refusal> read_type(DataType type, DtypeId& dtype) {
  if (type.lanes < 1 || type.lanes > 4)
    return Refusal{DiagCode::dlpack_refused,
                   {"elements of " + std::to_string(type.lanes) + " lanes"}};
  const std::optional<ScalarKind> part = part_of(type);
  if (!part || (type.lanes > 1 && !has_vectors(type)))
    return Refusal{DiagCode::argument_dtype, {"arrays of '" + type_text(type) + "'"}};
  dtype = *part;
  return std::nullopt;
}

}  // namespace cuda_device::interop::dlpack
