// Functions that are called, not inlined: those of inline="never", and those that call themselves
// with arguments that are not known before the kernel runs (docs/decisions/0055).
#pragma once

#include "frontend/calls/calls.h"

namespace cuda_device::frontend {

// The one that is called with these abstract arguments; null: none is.
CalledFunction* called_function(Context& ctx, const Callee& callee,
                                const std::vector<Value>& given);
CalledFunction& new_called_function(Context& ctx, const Callee& callee,
                                    const std::vector<Value>& arguments, bool widened);
// Takes the function before all others that its arguments fit.
void prefer(Context& ctx, const CalledFunction& called);
// Arguments that take both; nothing: there are none.
std::optional<std::vector<Value>> joined_arguments(const Context& ctx, const std::vector<Value>& a,
                                                   const std::vector<Value>& b);
Value call_for_real(Context& ctx, CalledFunction& called, const std::vector<Value>& given,
                    const Arguments& a);
// Lowers those called functions that are not yet, and adds all of them to the kernel.
void finish_module(Context& ctx);

// In inline.cpp: gives a parameter its value, in the type that is declared for it.
void bind_parameter(Context& ctx, const syntax::Function& f, size_t i, const Value& given,
                    const Node* source);
Value result_in_signature(Context& ctx, const syntax::Function& f, Value result,
                          const Node* source);

}  // namespace cuda_device::frontend
