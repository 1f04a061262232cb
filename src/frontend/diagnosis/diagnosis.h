// How mistakes are reported. What gives a Value gives Unknown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

// Where what happens at a place is reported: what happens in a function of the language, or of
// Python's library, happens where the program calls it.
struct ReportedPlace {
  const Instance* in;
  Span span;
  const syntax::Function* called;  // that function; null: the place is the program's own
};
ReportedPlace place_in_program(Context& ctx, const Span& place);

Value error(Context& ctx, DiagCode code, const Node* node, std::vector<std::string> args = {});
Value error_at(Context& ctx, DiagCode code, Span span, std::vector<std::string> args,
               Span caret = {});
// Whether a mistake in a function of Python's library was reported at the call of it.
bool failed_in_library(const Context& ctx, const Node* call);
// A call of a function that cannot be compiled.
Value refused_function(Context& ctx, const syntax::Function& f, const Node* node);
// For what is compiled all the same.
void warn(Context& ctx, DiagCode code, const Node* node, std::vector<std::string> args);
// The caret stands at the operator's sign.
Value operator_error(Context& ctx, DiagCode code, const Node* node, const Node* left,
                     const Node* right, std::string_view sign, std::vector<std::string> args);
// Reports a value of the wrong kind; `args` say what was expected. Objects from outside have a
// message of their own.
Value wrong_kind(Context& ctx, DiagCode code, const Node* node, const Value& value,
                 std::vector<std::string> args);
// Whether objects of the class are kernels that launch themselves, kernel[grid, block](...).
bool is_launched_kernel(std::string_view class_name);
// `what` would stand for one of two arrays, chosen at run time.
Value array_choice(Context& ctx, const std::string& what, const ArrayPair& arrays,
                   const Node* node);
// `what` would stand for one of too many functions, or of several where the dialect chooses none.
Value function_choice(Context& ctx, const std::string& what, const Node* node);
Value not_implemented(Context& ctx, const Node* node, const std::string& what);
// `instead`: what to write.
Value not_implemented(Context& ctx, const Node* node, const std::string& what,
                      const std::string& instead);
Value unknown_name(Context& ctx, const Node* node, const std::string& name);
// Syntax that kernels do not have.
Value unsupported(Context& ctx, const Node* node);
// Whether the language of the kernel does not have what others have: reports it. By the node's
// class in Python's ast, or by another name of language_names.h.
bool lacks(Context& ctx, const Node* node);
bool lacks(Context& ctx, std::string_view ast_class, const Node* node);

// Slices of arguments and tuples.
Value slicing(Context& ctx, const Node* node);

// What was reported already, or follows from it.
Value silent(Context& ctx);
// The variable of a statement that is wrong. Only once types stand still: before, much is unknown
// that will be known.
void fail(Context& ctx, WebState& state);

// Whether the source is nested beyond the limit. Calls add up: a function deep in an expression may
// call another one deep in one of its own.
bool too_deep(Context& ctx, const Node* node);
// Whether inlining and unrolling have made the kernel too large.
bool too_large(Context& ctx, const Node* node);

// "x is float32", or the type alone of what has no name.
std::string described(const Node* node, const Value& value);
// "x is float32; " where it has a name; empty for others.
std::string what_it_is(const Node* node, const Value& value);
// Whether a @func is being lowered, at whatever depth of calls, in a place that host code reaches.
bool in_func(const Context& ctx);

}  // namespace cuda_device::frontend
