// Calls: of types, intrinsics, methods; functions are in inline.cpp.
#include "frontend/calls/calls.h"

#include <algorithm>

#include "frontend/arrays/arrays.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/complex/complex.h"
#include "frontend/control/control.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/diagnosis/suggest.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/parameters.h"
#include "frontend/records/enumerations.h"
#include "frontend/records/records.h"
#include "frontend/warps/warps.h"

namespace cuda_device::frontend {
namespace {

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

const Node* argument_node(const Arguments& a, size_t i) {
  return i < a.sources.size() ? a.sources[i] : a.node;
}

// `**` before what **kwargs has collected.
static bool spread_keywords(Context& ctx, const syntax::keyword* node, const Value& value,
                            Arguments& into) {
  if (value.is_unknown()) return false;
  auto* keywords = value.as<Value::Keywords>();
  if (!keywords) {
    error(ctx, DiagCode::keywords_spread, node->value, {type_text(value)});
    return false;
  }
  for (size_t i = 0; i < keywords->names.size(); ++i)
    into.add(keywords->names[i], keywords->values[i], node->value);
  return true;
}

static std::optional<Arguments> arguments(Context& ctx, const syntax::Call* node) {
  Arguments out;
  out.node = node;
  bool fine = true;
  for (const Node* argument : node->args) {
    if (auto* starred = syntax::as<syntax::Starred>(argument)) {
      fine &= spread(ctx, starred, out.positional);
    } else {
      out.positional.push_back(expr(ctx, argument));
    }
    out.sources.resize(out.positional.size(), argument);
  }
  for (const Node* item : node->keywords) {
    auto* keyword = syntax::as<syntax::keyword>(item);
    const Value v = expr(ctx, keyword->value);
    if (keyword->arg.empty())
      fine &= spread_keywords(ctx, keyword, v, out);
    else
      out.add(keyword->arg, v, keyword->value);
  }
  if (!fine) return std::nullopt;
  return out;
}

constexpr std::string_view kExceptions[] = {
#define EXCEPTION(name) #name,
#define ONE_TEXT(name) #name,
#define ALIAS(name, own) #name,
#include "frontend/control/exceptions.def"
};

// What is written in place of a function or class from outside; empty: it has no counterpart here.
static std::string counterpart_of(const Context& ctx, const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  const std::string ours = foreign_name_hint(ctx.policy, last);
  if (!ours.empty()) return ours;
  if (ctx.policy.can_fail && std::ranges::find(kExceptions, last) != std::end(kExceptions))
    return "raise " + last + "(...) in one statement";
  // Python's own, for what NumPy has of the same name.
  constexpr std::string_view kReductions[] = {"sum", "max", "min", "any", "all"};
  if (last != name && ctx.policy.has_sequences &&
      std::ranges::find(kReductions, last) != std::end(kReductions))
    return last + "(), Python's own";
  return name_in_module(ctx.policy, last);
}

// What is called a function, though Python did not compile it.
static bool is_class_of_functions(const std::string& name) {
  constexpr std::string_view kNames[] = {
      "builtin_function_or_method", "function",    "method",
      "method_descriptor",          "numpy.ufunc", "numpy._ArrayFunctionDispatcher"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

// Functions and classes from outside.
static Value foreign_call(Context& ctx, const Node* callee, const Value::Object& object) {
  const std::string& cls = object.class_name;
  const std::string name = written(callee, cls);
  if (is_launched_kernel(cls)) return error(ctx, DiagCode::kernel_called_in_kernel, callee, {name});
  std::string ours = counterpart_of(ctx, name);
  if (ours.empty() && cls.find('.') != std::string::npos) ours = counterpart_of(ctx, cls);
  if (cls.starts_with("numba.") && cls.ends_with("Dispatcher"))
    ours = "the plain function, without Numba's decorator";
  if (!ours.empty()) return error(ctx, DiagCode::foreign_use, callee, {name, ours});
  if (is_class_of_functions(cls))
    return error(ctx, DiagCode::foreign_call, callee,
                 {name, in_func(ctx) ? "if only host code needs it, put it under "
                                       "`if device.target(device.is_host):`"
                                     : host_hint(ctx.policy, name)});
  return error(ctx, DiagCode::foreign_callable, callee, {name, cls});
}

static Value call_type(Context& ctx, const Intrinsic& type, const Arguments& a) {
  const TypeCode code = ctx.policy.constructed(type.code);
  if (!a.named.empty())
    return error(ctx, DiagCode::unexpected_keyword, a.node,
                 {type.short_name(), a.named[0].first, "give it one number, by position"});
  if (is_complex(code) && a.positional.size() <= 2) return construct_complex(ctx, code, a);
  if (a.positional.size() > 1) {
    return error(ctx, DiagCode::intrinsic_count, a.node,
                 {type.short_name(), "at most 1 argument", given_text(a), "give it one number"});
  }
  if (a.positional.empty()) return Value::constant(code, {});
  return constructed(ctx, plain_number(a.positional[0]), code, a.node);
}

static Value not_callable(Context& ctx, const Node* node, const Value& value) {
  const char* hint = is_position(value) ? "it has the components .x, .y and .z"
                                        : "functions, types and intrinsics can";
  return error(ctx, DiagCode::not_callable, node, {type_text(value), hint});
}

// What the arguments of an intrinsic are, where more is known than how many.
static std::string arguments_there_are(const Intrinsic& i, int given) {
  if (i.op == Op::Tid || i.op == Op::GridSize)
    return "give the number of dimensions: " + i.short_name() + "(1), " + i.short_name() +
           "(2) or " + i.short_name() + "(3)";
  if (i.op == Op::DynamicShared)
    return "its size is shared= of the launch, in bytes; its type is given by .view(dtype)";
  if (!i.parameters.empty()) return "its parameters are " + i.parameter_names();
  if (i.max_arguments == 0) return "call it without arguments";
  return given > i.min_arguments ? "leave out the others" : "give it the others too";
}

static bool check_count(Context& ctx, const Intrinsic& i, const Arguments& a) {
  const auto given = static_cast<int>(a.positional.size());
  if (given >= i.min_arguments && (i.max_arguments < 0 || given <= i.max_arguments)) return true;
  const auto least = static_cast<size_t>(std::max(i.min_arguments, i.required));
  std::string expected = count_text(least, "argument");
  if (i.max_arguments < 0) {
    expected = "at least " + expected;
  } else if (i.max_arguments != static_cast<int>(least)) {
    const auto most = static_cast<size_t>(i.max_arguments);
    expected = least == 0 ? "at most " + count_text(most, "argument")
                          : std::to_string(least) + " to " + count_text(most, "argument");
  }
  error(ctx, DiagCode::intrinsic_count, a.node,
        {i.short_name(), expected, given_text(a), arguments_there_are(i, given)});
  return false;
}

// The arguments where numbers are wanted: masks are the int32s that they are.
static Arguments in_numbers(Context& ctx, Arguments a) {
  for (Value& v : a.positional) v = number_of_mask(ctx, v, a.node);
  return a;
}

static bool works_on_numbers(const std::string& name) {
  return name.starts_with("math.") || name.starts_with("numpy.");
}

static Value call_entity(Context& ctx, const std::string& name, const Arguments& a) {
  const Intrinsic* i = find_intrinsic(name);
  if (!i)
    if (const auto type = data_type_of(Value::Entity{name}); type && type->is_record())
      return type->record == mask_type() ? construct_mask(ctx, a)
                                         : construct_vector(ctx, type->record, in_numbers(ctx, a),
                                                            name.substr(name.find('.') + 1));
  if (!i) return foreign_call(ctx, a.node->func, {"function"});
  if (i->role == Intrinsic::Role::Type) return call_type(ctx, *i, in_numbers(ctx, a));
  if (i->role != Intrinsic::Role::Call) return not_callable(ctx, a.node->func, Value::Entity{name});
  if (!a.named.empty() && !i->takes_keywords()) {
    if (name.starts_with("device."))
      return not_implemented(ctx, a.node, "a keyword argument of " + i->short_name() + "()");
    return error(ctx, DiagCode::intrinsic_keyword, a.node, {i->short_name(), a.named[0].first});
  }
  if (!check_count(ctx, *i, a)) return Value::unknown();
  if (a.has_unknown()) return Value::unknown();
  return i->handler(ctx, works_on_numbers(name) ? in_numbers(ctx, a) : a, *i);
}

static Value call_method(Context& ctx, const Value::BoundMethod& method, const Arguments& a) {
  const Value& self = *method.self;
  if (a.has_unknown()) return Value::unknown();
  if (self.is_array()) return call_array_method(ctx, self.array(), method.method, a);
  if (is_mask(self)) return call_mask_method(ctx, self, method.method, a);
  if (self.is_tuple() || self.is<Value::Range>())
    return call_sequence_method(ctx, self, method.method, a);
  return call_number_method(ctx, self, method.method, a);
}

// Lowers the call of a class of the program, or of a module.
static Value module_call(Context& ctx, const Node* callee, const Value::Module& module) {
  const std::string name = written(callee, module.name);
  const std::string ours = counterpart_of(ctx, name);
  if (!ours.empty()) return error(ctx, DiagCode::foreign_use, callee, {name, ours});
  return not_callable(ctx, callee, module);
}

Value call_member(Context& ctx, const Value::MemberFunction& method, Arguments a) {
  a.positional.insert(a.positional.begin(), *method.self);
  a.sources.insert(a.sources.begin(), a.node);
  return call_function(ctx, method.index, a);
}

// The arguments that it has stand in front; a keyword of the call wins over one that it has.
static Value call_partial(Context& ctx, const Value::Partial& partial, const Arguments& a) {
  Arguments all = a;
  const auto first = partial.values.begin() + 1;
  const auto named = partial.values.end() - static_cast<std::ptrdiff_t>(partial.names.size());
  all.positional.insert(all.positional.begin(), first, named);
  all.sources.resize(a.positional.size(), a.node);
  all.sources.insert(all.sources.begin(), static_cast<size_t>(named - first), a.node);
  for (size_t i = 0; i < partial.names.size(); ++i) {
    const auto is_it = [&](const auto& given) { return given.first == partial.names[i]; };
    if (std::ranges::none_of(a.named, is_it))
      all.add(partial.names[i], named[static_cast<std::ptrdiff_t>(i)], a.node);
  }
  return call_value(ctx, partial.values[0], all);
}

// functools.partial(f, ...)
Value call_make_partial(Context& ctx, const Arguments& a, const Intrinsic&) {
  const Value& f = a.positional[0];
  if (!f.is_function() && !f.is<Value::Entity>() && !f.is<Value::Class>())
    return wrong_kind(ctx, DiagCode::not_callable, argument_node(a, 0), f,
                      {type_text(f), "functions, types and intrinsics can"});
  Value::Partial partial{a.positional, {}};
  for (const auto& [name, value] : a.named) {
    partial.names.push_back(name);
    partial.values.push_back(value);
  }
  return partial;
}

// device.replace(p, x=1): its keywords are fields.
Value call_replace(Context& ctx, const Arguments& a, const Intrinsic&) {
  const Value& record = a.positional[0];
  const RecordRef type = class_of(record);
  if (type && !type->is_vector() && !is_member(record)) return replaced(ctx, record, a);
  const bool shared = record.is_array() && record.array().is_struct_ref();
  const char* hint =
      shared ? "it has atomics, so there is no copy of it: assign its attributes" : "give a struct";
  return wrong_kind(ctx, DiagCode::field_type, argument_node(a, 0), record,
                    {"the first argument of replace()", "a struct", type_text(record), hint});
}

Value call(Context& ctx, const syntax::Call* node) {
  const Value callee = expr(ctx, node->func);
  if (callee.is_entity("builtins.print") && !ctx.policy.has_objects)
    return error(ctx, DiagCode::no_print, node);
  const std::optional<Arguments> a = arguments(ctx, node);
  if (!a || callee.is_unknown()) return Value::unknown();
  return call_value(ctx, callee, *a);
}

Value call_value(Context& ctx, const Value& callee, const Arguments& a) {
  const syntax::Call* node = a.node;
  ctx.at(node);
  if (const std::optional<Callee> function = callee_of(ctx, callee))
    return call_python(ctx, *function, a);
  if (auto* choice = callee.choice_of_functions()) return call_chosen(ctx, *choice, a);
  if (auto* partial = callee.as<Value::Partial>()) return call_partial(ctx, *partial, a);
  if (is_alias(callee)) {
    const Value type = behind_alias(callee);
    return is_alias(type) ? not_callable(ctx, a.node, callee) : call_value(ctx, type, a);
  }
  if (is_enumeration(callee)) return construct_member(ctx, callee.as<Value::Class>()->type, a);
  if (auto* cls = callee.as<Value::Class>()) return construct_record(ctx, cls->type, a);
  if (const auto own = method_named(callee, "__call__")) return call_member(ctx, *own, a);
  if (auto* method = callee.as<Value::MemberFunction>()) return call_member(ctx, *method, a);
  if (auto* entity = callee.as<Value::Entity>()) return call_entity(ctx, entity->name, a);
  if (auto* method = callee.as<Value::BoundMethod>()) return call_method(ctx, *method, a);
  if (auto* object = callee.as<Value::Object>()) return foreign_call(ctx, node->func, *object);
  if (auto* module = callee.as<Value::Module>()) return module_call(ctx, node->func, *module);
  return not_callable(ctx, node->func, callee);
}

Value call_nth(Context& ctx, const Value& callee, std::vector<Value> arguments,
               const syntax::Call* node, size_t number) {
  Arguments a;
  a.node = node;
  a.positional = std::move(arguments);
  if (a.has_unknown()) return Value::unknown();
  const uint32_t copy =
      ctx.instance->unrolled.copy_of(ctx.place(node), static_cast<uint32_t>(number));
  const uint32_t outer = std::exchange(ctx.copy, copy);
  Value result = call_value(ctx, callee, a);
  ctx.copy = outer;
  return result;
}

std::optional<std::vector<Given>> named_arguments(Context& ctx, const Arguments& a,
                                                  const Intrinsic& i) {
  std::vector<std::string_view> names;
  for (std::string_view rest = i.parameters; !rest.empty();) {
    const size_t end = std::min(rest.find(' '), rest.size());
    names.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::vector<Given> out(names.size());
  for (size_t k = 0; k < a.positional.size(); ++k) out[k] = {&a.positional[k], argument_node(a, k)};
  bool fine = true;
  for (size_t k = 0; k < a.named.size(); ++k) {
    const auto& [name, value] = a.named[k];
    const auto at = std::find(names.begin(), names.end(), name);
    Given* given = at == names.end() ? nullptr : &out[static_cast<size_t>(at - names.begin())];
    if (!given || given->value) {
      error(ctx, given ? DiagCode::argument_twice : DiagCode::unexpected_keyword, a.node,
            {i.short_name(), name, "its parameters are " + i.parameter_names()});
      fine = false;
      continue;
    }
    *given = {&value, a.named_sources[k]};
  }
  if (!fine) return std::nullopt;
  return out;
}

}  // namespace cuda_device::frontend
