// Calls: of types, intrinsics, methods; functions are in inline.cpp.
#include <algorithm>

#include "frontend/intrinsics.h"
#include "frontend/parameters.h"
#include "frontend/suggest.h"

namespace cuda_device::frontend {
namespace {

using syntax::Node;

// "2 are"
std::string given_text(const Arguments& a) { return were_given(a.positional.size()); }

}  // namespace

bool Arguments::has_unknown() const {
  for (const Value& v : positional)
    if (v.contains_unknown()) return true;
  for (const auto& [name, v] : named)
    if (v.contains_unknown()) return true;
  return false;
}

const syntax::Node* Lowerer::argument_node(const Arguments& a, size_t i) const {
  return i < a.node->args.size() ? a.node->args[i] : static_cast<const Node*>(a.node);
}

std::optional<Arguments> Lowerer::arguments(const syntax::Call* node, bool formatted) {
  Arguments out;
  out.node = node;
  bool fine = true;
  const auto evaluated = [&](const Node* argument) {
    if (auto* text = syntax::as<syntax::JoinedStr>(argument); text && formatted)
      return f_string(text);
    if (argument->kind != syntax::NodeKind::Lambda) return expr(argument);
    Value lambda = Value::named(Value::Kind::Lambda, "");
    lambda.node = argument;
    lambda.instance = instance_;
    return lambda;
  };
  for (const Node* argument : node->args) {
    if (argument->kind == syntax::NodeKind::Starred) fine = false;
    out.positional.push_back(evaluated(argument));
  }
  for (const Node* item : node->keywords) {
    auto* keyword = syntax::as<syntax::keyword>(item);
    Value v = evaluated(keyword->value);
    if (keyword->arg.empty()) {
      not_implemented(keyword, "'**' in a call");
      fine = false;
    }
    out.named.emplace_back(keyword->arg, std::move(v));
  }
  if (!fine) return std::nullopt;
  return out;
}

Value Lowerer::call(const syntax::Call* node) {
  const Value callee = expr(node->func);
  const std::optional<Arguments> a = arguments(node, callee.is_entity("builtins.print"));
  if (!a || callee.is_unknown()) return Value::unknown();
  at(node);
  switch (callee.kind) {
    case Value::Kind::Function:
      return call_function(callee.index, *a);
    case Value::Kind::Lambda:
      if (!a->positional.empty() || !a->named.empty()) return unsupported(callee.node);
      return call_lambda(callee);
    case Value::Kind::Entity:
      return call_entity(callee.name, *a);
    case Value::Kind::Method:
      return call_method(callee, *a);
    case Value::Kind::Object:
    case Value::Kind::Module:
      return foreign_call(node->func, callee);
    default:
      return not_callable(node->func, callee);
  }
}

// What is called a function, though Python did not compile it.
static bool is_class_of_functions(const std::string& name) {
  constexpr std::string_view kNames[] = {
      "builtin_function_or_method", "function",    "method",
      "method_descriptor",          "numpy.ufunc", "numpy._ArrayFunctionDispatcher"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

// Functions and classes from outside; some have a counterpart here.
Value Lowerer::foreign_call(const Node* callee, const Value& value) {
  const std::string name = written(callee, value.name);
  const std::string last = name.substr(name.rfind('.') + 1);
  std::string ours = habit_of(last);
  if (ours.empty()) ours = name_in_module(last);
  if (value.name.starts_with("numba.") && value.name.ends_with("Dispatcher"))
    ours = "the plain function, without Numba's decorator";
  if (!ours.empty()) return error(DiagCode::foreign_use, callee, {name, ours});
  if (value.kind == Value::Kind::Object) {
    if (is_class_of_functions(value.name)) return error(DiagCode::foreign_call, callee, {name});
    return error(DiagCode::foreign_callable, callee, {name, value.name});
  }
  return not_callable(callee, value);
}

Value Lowerer::not_callable(const Node* node, const Value& value) {
  const char* hint = is_position(value) ? "it has the components .x, .y and .z"
                                        : "functions, types and intrinsics can";
  return error(DiagCode::not_callable, node, {type_text(value), hint});
}

// What the arguments of an intrinsic are, where more is known than how many.
static std::string arguments_there_are(const Intrinsic& i, int given) {
  if (i.op == ir::Op::Tid || i.op == ir::Op::GridSize)
    return "give the number of dimensions: " + i.short_name() + "(1), " + i.short_name() +
           "(2) or " + i.short_name() + "(3)";
  if (i.op == ir::Op::DynamicShared || i.handler == &Lowerer::call_dynamic_shared)
    return "its size is shared= of the launch, in bytes; its type is given by .view(dtype)";
  if (!i.parameters.empty()) return "its parameters are " + i.parameter_names();
  if (i.max_arguments == 0) return "call it without arguments";
  return given > i.min_arguments ? "leave out the others" : "give it the others too";
}

Value Lowerer::call_entity(const std::string& name, const Arguments& a) {
  const Intrinsic* i = find_intrinsic(name);
  if (!i) return foreign_call(a.node->func, Value::named(Value::Kind::Object, "function"));
  if (i->role == Intrinsic::Role::Type) return call_type(*i, a);
  if (i->role != Intrinsic::Role::Call)
    return not_callable(a.node->func, Value::named(Value::Kind::Entity, name));
  if (!a.named.empty() && !i->takes_keywords()) {
    if (name.starts_with("device."))
      return not_implemented(a.node, "a keyword argument of " + i->short_name() + "()");
    return error(DiagCode::intrinsic_keyword, a.node, {i->short_name(), a.named[0].first});
  }
  if (!check_count(*i, a)) return Value::unknown();
  if (a.has_unknown()) return Value::unknown();
  for (size_t k = 0; k < a.positional.size(); ++k)
    if (a.positional[k].kind == Value::Kind::Lambda && i->handler != &Lowerer::call_vote)
      return unsupported(argument_node(a, k));
  return (this->*i->handler)(a, *i);
}

bool Lowerer::check_count(const Intrinsic& i, const Arguments& a) {
  const auto given = static_cast<int>(a.positional.size());
  if (given >= i.min_arguments && (i.max_arguments < 0 || given <= i.max_arguments)) return true;
  const auto least = static_cast<size_t>(i.min_arguments);
  std::string expected = count_text(least, "argument");
  if (i.max_arguments < 0) {
    expected = "at least " + expected;
  } else if (i.max_arguments != i.min_arguments) {
    expected = std::to_string(least) + " to " + std::to_string(i.max_arguments) + " arguments";
  }
  error(DiagCode::intrinsic_count, a.node,
        {i.short_name(), expected, given_text(a), arguments_there_are(i, given)});
  return false;
}

Value Lowerer::call_type(const Intrinsic& type, const Arguments& a) {
  if (!a.named.empty())
    return error(DiagCode::unexpected_keyword, a.node,
                 {type.short_name(), a.named[0].first, "give it one number, by position"});
  if (a.positional.size() > 1) {
    return error(DiagCode::intrinsic_count, a.node,
                 {type.short_name(), "at most 1 argument", given_text(a), "give it one number"});
  }
  if (a.positional.empty()) return Value::constant(type.code, {});
  return constructed(a.positional[0], type.code, a.node);
}

// view and astype of a number; those of arrays are in views.cpp.
Value Lowerer::call_method(const Value& method, const Arguments& a) {
  const Value& self = method.elements[0];
  if (a.has_unknown()) return Value::unknown();
  if (self.is_array()) return call_array_method(method, a);
  const bool one_type = a.positional.size() == 1 && a.positional[0].kind == Value::Kind::Entity;
  const std::optional<TypeCode> to = one_type ? type_entity(a.positional[0].name) : std::nullopt;
  if (!to || !a.named.empty()) return error(DiagCode::expected_type, a.node, {method.name});
  if (method.name == "astype") return constructed(self, *to, a.node);
  const bool bits = !is_bool(self.code) && !is_bool(*to) && bits_of(self.code) == bits_of(*to);
  if (!bits)
    return error(DiagCode::view_size, a.node, {type_text(self), std::string(name_of(*to))});
  at(a.node);
  Inst* from = inst_of(self, a.node);
  const ir::Type type = ir::Type::of(*scalar_of(*to));
  if (from->type == type) return Value::number(fixed(*to), from);
  return Value::number(fixed(*to), builder_.typed(Op::Bitcast, type, {from}));
}

}  // namespace cuda_device::frontend
