// What a compilation is asked for, as plain data. All of frontend/ that the runtime's half and the
// bindings may see (docs/decisions/0010).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/dtype.h"
#include "support/facts.h"
#include "support/targets.h"

namespace cuda_device::syntax {
struct Program;
}

namespace cuda_device::frontend {

// The type of one launch argument. Weak = Python's own int, float, complex: formats of 32 bits, or
// 64 by has_wide_builtins(), that yield in promotion where the dialect says so.
struct ArgumentType {
  // The leaves of complex numbers and records are consecutive IR parameters, as those of tuples.
  enum class Kind : uint8_t {
    None,
    Scalar,
    WeakInt,
    WeakFloat,
    Array,
    Tuple,
    Complex,  // of two `item`s
    WeakComplex,
    Vector,    // of `lanes` `item`s
    Record,    // an instance of Program::types[type], its fields in `elements`
    Mask,      // of lanes of a warp: a uint32
    Member,    // of the enumeration Program::types[type]: its number in `elements`
    Constant,  // in Function::constant_arguments, or the parameter's default
  };
  Kind kind = Kind::None;
  DtypeId dtype;  // Scalar; element of Array. Python's bool is Scalar Bool.
  // What the elements of an Array are: Scalar, Complex, Vector or Record.
  Kind element = Kind::Scalar;
  ScalarKind item = ScalarKind::Bool;  // Complex, Vector
  uint8_t lanes = 0;                   // Vector
  uint32_t type = 0;                   // Record, Member; Tuple that is `named`
  bool named = false;                  // a Tuple that is an instance of Program::types[type]
  uint8_t ndim = 0;
  ArrayFacts facts;
  std::vector<ArgumentType> elements;  // Tuple; its leaves are consecutive IR parameters
  friend bool operator==(const ArgumentType&, const ArgumentType&) = default;
};

// Where the code is to run.
struct TargetName {
  bool device = false;  // a GPU; else the host, whose IR interpreter is a host too
  // "sm_90" of a GPU. Of the host "avx512", "avx2", "sse4" (with "x8", "x16", "x32" or "x64" after
  // it: so many lanes a gang, which have to fill a vector), "emulated-avx512" (that form, by
  // instructions of AVX2), "interpreter"; empty: the best form.
  std::string architecture;
  int emulated = kEmulatedSm;  // what a kernel on the host finds itself on

  static TargetName of(const std::string& text) { return {text.starts_with("sm_"), text}; }
};

enum class DialectName : uint8_t { Device, NumbaPro, Device64 };

// As Python asks for them, by number.
inline constexpr std::string_view kDialectNames[] = {"guide", "numbapro", "guide64"};

// Whether Python's own int, float and complex are 64-bit numbers as arguments: a WeakInt is 8 bytes
// then, a WeakComplex 16.
constexpr bool has_wide_builtins(DialectName dialect) {
  switch (dialect) {
    case DialectName::Device:
      return false;
    case DialectName::NumbaPro:
    case DialectName::Device64:
      return true;
  }
  return false;
}

// Whether the decorator asks for them: builtins=64.
constexpr bool asks_for_wide_builtins(DialectName dialect) {
  switch (dialect) {
    case DialectName::Device:
    case DialectName::NumbaPro:
      return false;
    case DialectName::Device64:
      return true;
  }
  return false;
}

constexpr std::optional<DialectName> dialect_named(std::string_view name) {
  for (size_t i = 0; i < std::size(kDialectNames); ++i)
    if (kDialectNames[i] == name) return static_cast<DialectName>(i);
  return std::nullopt;
}

struct Request {
  const syntax::Program* program = nullptr;
  std::vector<ArgumentType> arguments;
  DtypeTable dtypes{};  // the records that the arguments' dtypes name
  LaunchFacts launch{};
  DialectName dialect = DialectName::Device;
  bool checks = false;  // checked mode: code that finds mistakes of the program
  TargetName target{};
};

}  // namespace cuda_device::frontend
