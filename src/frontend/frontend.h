// Syntax tree → typed structured IR, for one tuple of argument types.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/request.h"
#include "ir/ir.h"
#include "support/diagnostic.h"
#include "syntax/tree.h"

namespace cuda_device::frontend {

struct Policy;

// "array[float32, 2]", "int", "(float32, int)"
std::string to_string(const ArgumentType& t, const syntax::Program& program);
// The same as the request's dialect calls it: Python's own numbers are int64, float64 and
// complex128 in some.
std::string to_string(const ArgumentType& t, const Request& request);

struct Effort {
  uint32_t passes = 0;         // over the kernel, until its types stood still
  uint32_t lowered_calls = 0;  // of the inlined ones, in the last pass; others are copies of them
};

// One IR function with every call inlined, but those of functions that are called when the kernel
// runs; what the compiler has doubts about; and what it took.
// Throws DiagnosticError with all independent errors found.
std::unique_ptr<ir::Function> lower(const Request& request,
                                    std::vector<Warning>* warnings = nullptr,
                                    Effort* effort = nullptr);

// Result type of function 0 called with these arguments, as text: "int32", "int", "(float32,
// bool)". For tests of promotion.
std::string result_type(const Request& request);
// The same under a policy that no dialect has. For tests of what is a policy's to say.
std::string result_type(const Request& request, const Policy& policy);

}  // namespace cuda_device::frontend
