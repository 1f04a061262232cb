// How builtins take sequences: elements as straight code, or in loops.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/calls/calls.h"
#include "frontend/control/iteration.h"

namespace cuda_device::frontend {

// A variable of a builtin's own, whose type is inferred as that of a Python variable is.
class Hidden {
 public:
  Hidden(Context& ctx, const Arguments& a, std::string name);
  void set(const Value& value);
  Value get();

 private:
  Context& ctx_;
  WebState& state_;
  const Node* node_;
  std::string name_;
};

// What the sequence gives to a builtin that reduces it.
struct Reduced {
  std::optional<Iteration> it;                 // of all but generator expressions
  std::optional<std::vector<Value>> elements;  // where they are straight code
};
// Nothing after an error.
std::optional<Reduced> reduced(Context& ctx, const Value& sequence, const Node* node);

// Calls `take` with each element, in loops where their number is known at run time only.
void each(Context& ctx, const Value& sequence, const Iteration* it, const Node* node,
          const std::function<void(const Value&)>& take);

}  // namespace cuda_device::frontend
