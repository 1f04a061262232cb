// Syntax tree → typed structured IR, for one tuple of argument types.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "support/diagnostic.h"
#include "support/facts.h"
#include "syntax/tree.h"

namespace cuda_device::frontend {

// The type of one launch argument. Weak = Python's own bool, int, float: 32-bit formats that yield
// in promotion.
struct ArgumentType {
  enum class Kind : uint8_t { None, Scalar, WeakInt, WeakFloat, Array, Tuple };
  Kind kind = Kind::None;
  ScalarKind scalar = ScalarKind::Bool;  // Scalar; element of Array. Python's bool is Scalar Bool.
  uint8_t ndim = 0;
  ArrayFacts facts;
  std::vector<ArgumentType> elements;  // Tuple; its leaves are consecutive IR parameters
  friend bool operator==(const ArgumentType&, const ArgumentType&) = default;
};

// "array[float32, 2]", "int", "(float32, int)"
std::string to_string(const ArgumentType& t);

enum class DialectName : uint8_t { Device, NumbaPro };

struct Request {
  const syntax::Program* program = nullptr;
  std::vector<ArgumentType> arguments;
  LaunchFacts launch;
  DialectName dialect = DialectName::Device;
};

// One IR function with every call inlined. Throws DiagnosticError with all independent errors
// found.
std::unique_ptr<ir::Function> lower(const Request& request);

// Result type of function 0 called with these arguments, as text: "int32", "int", "(float32,
// bool)". For tests of promotion.
std::string result_type(const Request& request);

}  // namespace cuda_device::frontend
