// Calls of types, intrinsics, methods and Python functions.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

struct Intrinsic;

// An evaluated call.
struct Arguments {
  const syntax::Call* node = nullptr;
  std::vector<Value> positional;
  std::vector<const Node*> sources;  // of the positional ones, where they have one each
  std::vector<std::pair<std::string, Value>> named;
  bool has_unknown() const;
};

// An argument for a parameter; null: left out.
struct Given {
  const Value* value = nullptr;
  const Node* node = nullptr;
};

Value call(Context& ctx, const syntax::Call* node);
// Calls whatever it is.
Value call_value(Context& ctx, const Value& callee, const Arguments& a);
// The body is lowered in place, with webs of its own.
Value call_function(Context& ctx, uint32_t index, const Arguments& a);
// With the record of the method in front.
Value call_member(Context& ctx, const Value::MemberFunction& method, Arguments a);
// Calls a lambda without parameters. Its names mean what they mean where it stands, whatever
// function calls it.
Value call_lambda(Context& ctx, const Value::Lambda& lambda);
// The body of an instance in place, in a scope if some return leaves it early.
Value inlined(Context& ctx, Instance& instance);

// What the predicate of an operation that many threads execute together gives for this thread: a
// bool. In arrays/barriers.cpp.
Value predicate(Context& ctx, const Given& given, const std::string& name, const Node* call);

// A method of a number.
Value call_number_method(Context& ctx, const Value& self, Method method, const Arguments& a);

// The source of a positional argument.
const Node* argument_node(const Arguments& a, size_t i);
// One for each parameter of the intrinsic; what stands where no parameter does is reported.
std::optional<std::vector<Given>> named_arguments(Context& ctx, const Arguments& a,
                                                  const Intrinsic& i);

}  // namespace cuda_device::frontend
