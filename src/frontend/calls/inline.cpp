// Calls of Python functions: the body stands at every place, or the function is one of the IR,
// which called.cpp makes.
#include "frontend/calls/calls.h"

#include <algorithm>
#include <utility>

#include "frontend/calls/called.h"
#include "frontend/calls/copied_calls.h"
#include "frontend/calls/in_python.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/calls/lent.h"
#include "frontend/calls/size.h"
#include "frontend/control/assign.h"
#include "frontend/control/control.h"
#include "frontend/control/scopes.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

// In a kernel of so many inlined calls, a function that calls itself is called.
constexpr uint32_t kManyInlined = 2000;

}  // namespace

// Whether a function between the instance and the call may be called in place of that one.
static bool another_may_be_called(const Context& ctx, const Instance& instance) {
  for (const Instance* i = ctx.instance; i != &instance; i = i->parent)
    if (i->function->options.inlining != Inlining::Always) return true;
  return false;
}

static bool is_beyond_formats(const Value& v) {
  constexpr __int128 kBound = static_cast<__int128>(1) << 63;
  if (v.is_constant() && is_int(v.code()))
    return v.exact()->integer >= kBound || v.exact()->integer < -kBound;
  return std::ranges::any_of(v.parts(), is_beyond_formats);
}

static bool has_number(const Value& v) {
  return v.is<Value::Scalar>() || std::ranges::any_of(v.parts(), has_number);
}

// Whether a constant has grown until no format of integers holds it, beside numbers that are known
// at run time only, which then have to end the calls. It is a number from the first call on.
static bool outgrows(const std::vector<Value>& given) {
  return std::ranges::any_of(given, is_beyond_formats) && std::ranges::any_of(given, has_number);
}

// A function that is never inlined is called with the constants that it is given, until these have
// differed in too many calls that stand in one another. Null: a later pass knows.
static CalledFunction* never_inlined(Context& ctx, const Callee& callee,
                                     const std::vector<Value>& given) {
  const Instance* enclosing = callee.closure ? callee.closure->instance : nullptr;
  std::optional<std::vector<Value>> wider = given;
  uint32_t calls = 0;
  for (const Instance* i = ctx.instance; i; i = i->parent) {
    if (i->function != callee.function || i->enclosing != enclosing) continue;
    ++calls;
    if (wider) wider = joined_arguments(ctx, i->arguments, *wider);
  }
  if (wider && calls > 0 && outgrows(given)) {
    prefer(ctx, new_called_function(ctx, callee, *wider, true));
    return nullptr;
  }
  const bool widens = calls >= kMaxInlineDepth && wider;
  return &new_called_function(ctx, callee, widens ? *wider : given, widens);
}

// Has the nearest of the functions on the way that repeats called from the next pass on, with what
// takes its arguments there. False: none repeats.
static bool call_repeated(Context& ctx) {
  for (const Instance* i = ctx.instance; i && !i->begins_function; i = i->parent) {
    if (i->function->options.inlining == Inlining::Always) continue;
    std::optional<std::vector<Value>> wider;
    for (const Instance* j = i->parent; j; j = j->parent) {
      if (j->function == i->function && j->enclosing == i->enclosing)
        if (auto both = joined_arguments(ctx, j->arguments, wider.value_or(i->arguments)))
          wider = both;
      if (j->begins_function) break;
    }
    if (!wider) continue;
    const Value::Closure closure{nullptr, i->enclosing, i->enclosing_copy, {}};
    new_called_function(ctx, {i->function, i->index, i->enclosing ? &closure : nullptr}, *wider,
                        true);
    return true;
  }
  return false;
}

// Whether a function that is called where calls are nested too deep to inline it is one that the
// program comes to for the first time. Otherwise it calls itself, with another type each time.
static bool begins_anew(const Context& ctx, const Callee& callee) {
  if (callee.closure || !may_be_called_for_size(*callee.function)) return false;
  for (const Instance* i = ctx.instance; i; i = i->parent)
    if (i->function == callee.function) return false;
  return true;
}

static void nested_too_deep(Context& ctx, const Callee& callee, const Arguments& a) {
  error(ctx, DiagCode::calls_too_deep, a.node, {std::to_string(kMaxInlineDepth)});
  Diagnostic& found = ctx.diagnosis.diagnostics.back();
  for (const Instance* i = ctx.instance; i && found.code == DiagCode::calls_too_deep; i = i->parent)
    if (i->function == callee.function)
      found.hint =
          "'" + callee.function->name +
          "' calls itself with arguments of another type each time: give it ones of the same types";
}

// How the function is called with these abstract arguments: inlined (null), or as a function of the
// IR. It may call itself inlined as long as what it is called with, constants above all, differs
// each time: then some call is the last. Nothing: not known yet, or an error.
static std::optional<CalledFunction*> way_of_call(Context& ctx, const Callee& callee,
                                                  const std::vector<Value>& given,
                                                  const Arguments& a) {
  if (CalledFunction* known = called_function(ctx, callee, given)) return known;
  const bool unknown = std::ranges::any_of(given, &Value::contains_unknown);
  if (unknown && is_called_for_size(ctx, callee)) return std::nullopt;  // a later pass knows
  const Inlining inlining = callee.function->options.inlining;
  if (inlining == Inlining::Never) {
    if (unknown) return std::nullopt;
    CalledFunction* called = never_inlined(ctx, callee, given);
    return called ? std::optional(called) : std::nullopt;
  }
  const bool always = inlining == Inlining::Always;
  const Instance* enclosing = callee.closure ? callee.closure->instance : nullptr;
  std::optional<std::vector<Value>> wider;  // what takes the arguments of all calls on the way
  for (const Instance* i = ctx.instance; i; i = i->parent) {
    const bool is_it = i->function == callee.function && i->enclosing == enclosing;
    if (is_it && unknown) return std::nullopt;  // a later pass knows them
    if (is_it && std::ranges::equal(i->arguments, given, same_abstract)) {
      if (!always) return &new_called_function(ctx, callee, given, false);
      if (another_may_be_called(ctx, *i)) break;
      error(ctx, DiagCode::always_inlined_recursion, a.node, {callee.function->name});
      return std::nullopt;
    }
    if (is_it)
      if (auto both = joined_arguments(ctx, i->arguments, wider.value_or(given))) wider = both;
    if (i->begins_function) break;
  }
  if (wider && !always && outgrows(given)) {
    new_called_function(ctx, callee, *wider, true);
    return std::nullopt;
  }
  const bool may_be_inlined = ctx.depth < kMaxInlineDepth;
  const bool many = std::max(ctx.session.instances, ctx.inlined_calls) >= kManyInlined;
  if (may_be_inlined && (always || !many)) return nullptr;
  if (wider && !always) return &new_called_function(ctx, callee, *wider, true);
  if (may_be_inlined) return nullptr;
  if (!wider && call_repeated(ctx)) return std::nullopt;
  if (!wider && !unknown && begins_anew(ctx, callee))
    return &new_called_function(ctx, callee, given, false);
  if (wider)
    error(ctx, DiagCode::always_inlined_recursion, a.node, {callee.function->name});
  else
    nested_too_deep(ctx, callee, a);
  return std::nullopt;
}

std::optional<Callee> callee_of(Context& ctx, const Value& value) {
  if (auto* function = value.as<Value::Function>())
    return Callee{&ctx.program.functions.at(function->index), function->index};
  auto* closure = value.as<Value::Closure>();
  if (!closure) return std::nullopt;
  const Instance& in = *closure->instance;
  return Callee{&ctx.session.nested(closure->node, *in.function), in.index, closure};
}

Value closure_of(Context& ctx, const Node* node) {
  Value::Closure closure{node, ctx.instance, ctx.copy, {}};
  for_each_default(node, [&](const Node* value) { closure.defaults.push_back(expr(ctx, value)); });
  return closure;
}

// The number of the parameter's default among those of the function; nothing: it has none.
static std::optional<size_t> number_of_default(const syntax::arguments& args, size_t parameter) {
  const size_t positional = args.posonlyargs.size() + args.args.size();
  if (parameter < positional) {  // the last ones have the defaults
    const size_t without = positional - args.defaults.size();
    return parameter >= without ? std::optional(parameter - without) : std::nullopt;
  }
  size_t number = args.defaults.size();
  for (size_t i = 0; i < parameter - positional; ++i) number += args.kw_defaults[i] != nullptr;
  return args.kw_defaults[parameter - positional] ? std::optional(number) : std::nullopt;
}

std::optional<Value> default_value(Context& ctx, const Callee& callee, size_t parameter,
                                   const Node* node) {
  const syntax::Function& f = *callee.function;
  if (callee.closure) {
    const std::optional<size_t> number = number_of_default(*f.args, parameter);
    return number ? std::optional(callee.closure->defaults.at(*number)) : std::nullopt;
  }
  const syntax::Binding* binding = default_of(f, parameter);
  if (!binding) return std::nullopt;
  return binding_value(ctx, *binding, node, parameters_of(f)[parameter]->name);
}

namespace {

// The values of a function's parameters while they are bound.
struct Bound {
  std::vector<std::optional<Value>> values;  // of those with a name
  std::vector<Value> rest;                   // of *args
  Value::Keywords keywords;                  // of **kwargs
};

}  // namespace

static bool bind_keyword(Context& ctx, const syntax::Function& f, const std::string& name,
                         const Value& value, Bound& bound, const Arguments& a) {
  const std::vector<const syntax::arg*> parameters = parameters_of(f);
  for (size_t i = f.args ? f.args->posonlyargs.size() : 0; i < parameters.size(); ++i) {
    if (parameters[i]->name != name) continue;
    if (bound.values[i]) {
      error(ctx, DiagCode::argument_twice, a.node, {f.name, name});
      return false;
    }
    bound.values[i] = value;
    return true;
  }
  if (f.args && f.args->kwarg) {
    bound.keywords.names.push_back(name);
    bound.keywords.values.push_back(value);
    return true;
  }
  error(ctx, DiagCode::unexpected_keyword, a.node, {f.name, name, parameters_hint(f)});
  return false;
}

// The parameters that can be given by position alone and are given by name: "x, y".
static std::string named_by_mistake(const syntax::Function& f, const Arguments& a) {
  std::string names;
  if (!f.args || f.args->kwarg) return names;  // which takes them
  for (const Node* parameter : f.args->posonlyargs) {
    const std::string& name = static_cast<const syntax::arg*>(parameter)->name;
    if (std::ranges::find(a.named, name, [](const auto& given) { return given.first; }) !=
        a.named.end())
      names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

// A value for each parameter, defaults filled in; those of *args and **kwargs are last.
static std::optional<std::vector<Value>> bind_arguments(Context& ctx, const Callee& callee,
                                                        const Arguments& a) {
  const syntax::Function& f = *callee.function;
  const std::vector<const syntax::arg*> parameters = parameters_of(f);
  const size_t positional = f.args ? f.args->posonlyargs.size() + f.args->args.size() : 0;
  Bound bound{std::vector<std::optional<Value>>(parameters.size()), {}, {}};
  if (a.positional.size() > positional && !(f.args && f.args->vararg)) {
    error(ctx, DiagCode::too_many_arguments, a.node,
          {f.name, count_text(positional, "argument"), were_given(a.positional.size()),
           parameters_hint(f)});
    return std::nullopt;
  }
  if (const std::string names = named_by_mistake(f, a); !names.empty()) {
    error(ctx, DiagCode::positional_only, a.node, {f.name, names, parameters_hint(f)});
    return std::nullopt;
  }
  for (size_t i = 0; i < a.positional.size(); ++i) {
    if (i < positional)
      bound.values[i] = a.positional[i];
    else
      bound.rest.push_back(a.positional[i]);
  }
  bool fine = true;
  for (const auto& [name, value] : a.named) fine &= bind_keyword(ctx, f, name, value, bound, a);
  std::vector<Value> out;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!bound.values[i] && fine) bound.values[i] = default_value(ctx, callee, i, a.node);
    if (!bound.values[i] && fine)
      error(ctx, DiagCode::missing_argument, a.node,
            {f.name, parameters[i]->name, parameters_hint(f)});
    fine &= bound.values[i].has_value();
    out.push_back(bound.values[i].value_or(Value::unknown()));
  }
  if (!fine) return std::nullopt;
  if (f.args && f.args->vararg) out.push_back(tuple_of(ctx, std::move(bound.rest), a.node));
  if (f.args && f.args->kwarg) out.push_back(std::move(bound.keywords));
  return out;
}

// Python goes through an iterator once, wherever that is.
static bool check_kept(Context& ctx, const std::vector<Value>& bound, const Arguments& a) {
  for (const Value& v : bound) {
    if (!v.is<Value::Iterator>() && !v.is<Value::Generator>()) continue;
    not_implemented(ctx, a.node, "passing " + with_article(type_text(v)) + " to a function",
                    "pass a tuple of its elements: tuple(...)");
    return false;
  }
  return true;
}

// The value in the type that the decorator's signature declares: 0 of the result, then of the
// parameters.
static Value in_signature(Context& ctx, const syntax::Function& f, size_t position, Value value,
                          const std::string& what, const Node* node) {
  const std::vector<std::string>& signature = f.options.signature;
  if (position >= signature.size() || value.is_unknown()) return value;
  const std::string& declared = signature[position];
  if (type_text(value) == declared) return value;
  const std::optional<TypeCode> code = type_of_text(declared);
  if (code && (value.is_number() || (value.is_complex() && is_complex(*code))))
    return convert(ctx, value, *code, node);
  return error(ctx, DiagCode::declared_mismatch, node, {what, declared, type_text(value)});
}

void bind_parameter(Context& ctx, const syntax::Function& f, size_t i, const Value& given,
                    const Node* source) {
  const syntax::arg* p = all_parameters_of(f)[i];
  const bool one = p != f.args->vararg && p != f.args->kwarg;
  if (!one && lacks(ctx, p == f.args->vararg ? "vararg" : "kwarg", p)) return;
  const std::string what = "parameter '" + p->name + "'";
  Value value = in_signature(ctx, f, i + 1, given, what, source);
  if (one) value = annotated(ctx, p->annotation, value, p, what);
  define(ctx, p, value, p);
}

Value result_in_signature(Context& ctx, const syntax::Function& f, Value result,
                          const Node* source) {
  return in_signature(ctx, f, 0, std::move(result), "the result of '" + f.name + "'", source);
}

static Instance& instance_at(Context& ctx, const Callee& callee, const Arguments& a) {
  std::unique_ptr<Instance>& instance = ctx.instance->calls[{ctx.place(a.node), callee.function}];
  if (!instance) {
    instance = ctx.session.make_instance(*callee.function, callee.index);
    instance->parent = ctx.instance;
    instance->call = ctx.place(a.node);
  }
  if (callee.closure) {
    instance->enclosing = callee.closure->instance;
    instance->enclosing_copy = callee.closure->copy;
  }
  return *instance;
}

// Whether the value has a number that is computed when the kernel runs.
static bool is_computed(const Value& v) {
  if (v.is_composite()) return std::ranges::any_of(v.parts(), is_computed);
  auto* scalar = v.as<Value::Scalar>();
  return scalar && scalar->inst && scalar->inst->op != Op::Const;
}

// A conversion to its own format says where a function ends (passes/simplify/contract_fma.h). A
// number that the other side ignores has one too: it is a use, and products that are used twice are
// not contracted.
Value across_call(Context& ctx, const Value& v) {
  if (!ctx.function->options.fmad && !ctx.function->options.reassociate) return v;
  if (!is_computed(v)) return v;
  if (auto* scalar = v.as<Value::Scalar>()) {
    Inst* rounded = ctx.builder.typed(Op::Convert, scalar->inst->type, {scalar->inst});
    return v.computed_by(rounded);
  }
  std::vector<Value> parts;
  for (const Value& part : v.parts()) parts.push_back(across_call(ctx, part));
  return v.with_parts(std::move(parts));
}

// What the decorator of a function allows is the kernel's to allow: nothing is ignored in silence.
static bool check_fast_math(Context& ctx, const syntax::Function& f, const Node* node) {
  if (f.kind != syntax::FunctionKind::Func) return true;
  const FastMath &own = f.options.fast_math, &kernel = ctx.function->options;
  std::string parts;
  for (const auto& part : kFastMathParts)
    if (own.*part.member && !(kernel.*part.member))
      parts += (parts.empty() ? "'" : ", '") + std::string(part.name) + "'";
  if (parts.empty()) return true;
  error(ctx, DiagCode::func_fast_math, node, {f.name, parts});
  return false;
}

// A function computes with the numbers of the kernel that calls it.
static bool check_builtins(Context& ctx, const syntax::Function& f, const Node* node) {
  if (!f.options.wide_builtins || bits_of(ctx.policy.int_literal(0)) == 64) return true;
  error(ctx, DiagCode::func_builtins, node, {f.name});
  return false;
}

// The body of a call whose arguments are bound, as one of another function.
static Value body_of_call(Context& ctx, Instance& instance, std::vector<Value> bound,
                          const Arguments& a) {
  if (std::optional<Value> copied = copied_call(ctx, instance, bound))
    return too_large(ctx, a.node) ? Value::unknown() : *copied;
  const syntax::Function& f = *instance.function;
  const CallStart start(ctx);
  ++ctx.session.effort.lowered_calls;
  ++ctx.inlined_calls;
  ctx.deepest = ++ctx.depth;
  Instance* caller = std::exchange(ctx.instance, &instance);
  const Assigned assigned = std::exchange(ctx.assigned, {});
  const uint32_t copy = std::exchange(ctx.copy, 0);
  for (size_t i = 0; i < bound.size(); ++i)
    bind_parameter(ctx, f, i, bound[i], argument_node(a, i));
  Value result = inlined(ctx, instance);
  ctx.instance = caller;
  ctx.assigned = assigned;
  ctx.copy = copy;
  --ctx.depth;
  keep_call(ctx, start, instance, std::move(bound), result);
  ctx.deepest = std::max(ctx.deepest, start.deepest);
  return result;
}

Value call_python(Context& ctx, const Callee& callee, const Arguments& a) {
  const syntax::Function& f = *callee.function;
  if (f.refusal) return refused_function(ctx, f, a.node);
  if (f.kind == syntax::FunctionKind::Kernel)
    return error(ctx, DiagCode::kernel_called_in_kernel, a.node, {f.name});
  if (too_large(ctx, a.node) || !check_fast_math(ctx, f, a.node) || !check_builtins(ctx, f, a.node))
    return Value::unknown();
  std::optional<std::vector<Value>> bound = bind_arguments(ctx, callee, a);
  if (!bound || !check_kept(ctx, *bound, a)) return Value::unknown();
  if (const auto exact = exact_integer(f, *bound)) return *exact;
  std::vector<Value> given;
  given.reserve(bound->size());
  const std::vector<const syntax::arg*> parameters = all_parameters_of(f);
  for (size_t i = 0; i < bound->size(); ++i)
    given.push_back(lent(ctx, abstract_of((*bound)[i]), {&f, i, parameters[i]->name}));
  const std::optional<CalledFunction*> called = way_of_call(ctx, callee, given, a);
  if (!called) return Value::unknown();
  if (*called) return call_for_real(ctx, **called, *bound, a);
  ctx.at(a.node);
  for (Value& v : *bound) v = across_call(ctx, v);
  Instance& instance = instance_at(ctx, callee, a);
  instance.arguments = std::move(given);
  const uint32_t before = ctx.function->inst_count();
  const Value result = body_of_call(ctx, instance, *std::move(bound), a);
  instance.size = ctx.function->inst_count() - before;
  instance.is_callable = can_be_returned(result);
  ctx.at(a.node);
  if (!f.in_library.empty() && failed_in_library(ctx, a.node)) return silent(ctx);
  return result_in_signature(ctx, f, across_call(ctx, result), a.node);
}

Value call_function(Context& ctx, uint32_t index, const Arguments& a) {
  return call_python(ctx, {&ctx.program.functions.at(index), index}, a);
}

// A function that ends without return gives None; one that returns values elsewhere must not end
// so.
static void fall_off_end(Context& ctx, const syntax::Function& f) {
  const Value& result = ctx.frame->instance->result.abstract;
  if (ctx.frame->instance->webs->has_unsupported) return;  // which may return
  if (ctx.frame->returns == 0) {
    if (f.returns)
      annotated(ctx, f.returns, Value::none(), f.returns, "the result of '" + f.name + "'");
    return;
  }
  if (!result.is_unknown() && !result.is_none())
    error_at(ctx, DiagCode::missing_return, f.span, {f.name, type_text(result)});
}

Value inlined(Context& ctx, Instance& instance) {
  const syntax::Function& f = *instance.function;
  const size_t found = ctx.diagnosis.diagnostics.size();
  const bool apart_before = ctx.builder.products_apart();
  ctx.builder.set_products_apart(ctx.function->options.fmad && !f.options.fmad);
  Frame frame;
  frame.instance = &instance;
  frame.scope = ctx.open_scopes++;
  Frame* outer_frame = std::exchange(ctx.frame, &frame);
  const bool outer_reachable = std::exchange(ctx.reachable, true);
  Captured body = capture(ctx, [&] {
    frame.body = &ctx.builder.block();
    block(ctx, f.body, true);
    if (ctx.reachable) fall_off_end(ctx, f);
    return Value::unknown();
  });
  ctx.builder.set_products_apart(apart_before);
  ctx.reachable = outer_reachable;
  ctx.frame = outer_frame;
  --ctx.open_scopes;
  if (frame.leaves) {
    Inst* scope = ctx.builder.control(Op::Scope, {}, 1);
    scope->regions[0] = std::move(body.block);
  } else {
    splice(ctx, body.block);
  }
  if (frame.direct) return *frame.direct;
  // What is not understood may return; in a branch that is dead it says nothing.
  const bool complained = ctx.diagnosis.diagnostics.size() > found;
  if (frame.returns == 0)
    return complained && instance.webs->has_unsupported ? Value::unknown() : Value::none();
  return load_web(ctx, instance.result, "result");
}

}  // namespace cuda_device::frontend
