// What a compilation is asked for, as plain data. All of frontend/ that the runtime's half and the
// bindings may see (docs/decisions/0010).
#pragma once

#include <string>
#include <vector>

#include "support/facts.h"
#include "support/scalar.h"

namespace cuda_device::syntax {
struct Program;
}

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

enum class DialectName : uint8_t { Device, NumbaPro };

struct Request {
  const syntax::Program* program = nullptr;
  std::vector<ArgumentType> arguments;
  LaunchFacts launch;
  DialectName dialect = DialectName::Device;
};

}  // namespace cuda_device::frontend
