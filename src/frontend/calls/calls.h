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
  std::vector<const Node*> named_sources;
  bool has_unknown() const;
  void add(const std::string& name, const Value& value, const Node* source) {
    named.emplace_back(name, value);
    named_sources.push_back(source);
  }
};

// Inlined calls that may stand in one another.
inline constexpr uint32_t kMaxInlineDepth = 100;

// A Python function that a value stands for.
struct Callee {
  const syntax::Function* function;
  uint32_t index;                           // of it in the program, or of the one it stands in
  const Value::Closure* closure = nullptr;  // it stands within another one
};

// An argument for a parameter; null: left out.
struct Given {
  const Value* value = nullptr;
  const Node* node = nullptr;
};

Value call(Context& ctx, const syntax::Call* node);
// Calls whatever it is.
Value call_value(Context& ctx, const Value& callee, const Arguments& a);
// Calls the function that is chosen: by halves, in branches, with results that meet as those of a
// conditional expression do. In chosen.cpp.
Value call_chosen(Context& ctx, const Value::Choice& choice, const Arguments& a);
// One of the calls that a builtin makes where it is called, each of which has an instance of its
// own.
Value call_nth(Context& ctx, const Value& callee, std::vector<Value> arguments,
               const syntax::Call* node, size_t number);
// The body is lowered in place, with webs of its own.
Value call_function(Context& ctx, uint32_t index, const Arguments& a);
// The value on the other side of a call, or of the border between a function and the one around it:
// products are contracted with sums of their own function alone, whether it is inlined or called.
Value across_call(Context& ctx, const Value& v);
// With the record of the method in front.
Value call_member(Context& ctx, const Value::MemberFunction& method, Arguments a);
// A lambda or def where it stands: its defaults are evaluated.
Value closure_of(Context& ctx, const Node* node);
// Nothing: it is no function, or one that was given arguments already.
std::optional<Callee> callee_of(Context& ctx, const Value& value);
// The default of a parameter; nothing: it has none.
std::optional<Value> default_value(Context& ctx, const Callee& callee, size_t parameter,
                                   const Node* node);
Value call_python(Context& ctx, const Callee& callee, const Arguments& a);
// The body of an instance in place, in a scope if some return leaves it early.
Value inlined(Context& ctx, Instance& instance);

// What the predicate of an operation that many threads execute together gives for this thread: a
// bool. In arrays/barriers.cpp.
Value predicate(Context& ctx, const Given& given, const std::string& name, const Node* call);
// Whether the value is of a class; nothing: kernels do not ask for such a class.
std::optional<bool> is_instance(Context& ctx, const Value& v, const Value& cls);

// A method of a number.
Value call_number_method(Context& ctx, const Value& self, Method method, const Arguments& a);

// A method of a tuple or range.
Value call_sequence_method(Context& ctx, const Value& self, Method method, const Arguments& a);

// The source of a positional argument.
const Node* argument_node(const Arguments& a, size_t i);
// One for each parameter of the intrinsic; what stands where no parameter does is reported.
std::optional<std::vector<Given>> named_arguments(Context& ctx, const Arguments& a,
                                                  const Intrinsic& i);

}  // namespace cuda_device::frontend
