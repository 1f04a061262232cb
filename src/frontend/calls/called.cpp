#include "frontend/calls/called.h"

#include <algorithm>
#include <utility>

#include "frontend/arrays/arrays.h"
#include "frontend/arrays/layout.h"
#include "frontend/calls/lent.h"
#include "frontend/control/control.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

// Whether a parameter of the abstract value takes an argument of that one.
bool covers(const Context& ctx, const Value& parameter, const Value& given, bool widened) {
  if (same_abstract(parameter, given)) return true;
  if (!widened) return false;
  if (parameter.is<Value::Scalar>())
    return given.is_number() &&
           ctx.policy.unify(parameter.code(), given.code()) == parameter.code() &&
           (given.is_intact() || !parameter.is_intact());
  if (parameter.is_view() && given.is_array() && parameter.array().form != given.array().form) {
    const Value own = with_own_extents(nullptr, given.array());
    return own.array().form == parameter.array().form && covers(ctx, parameter, own, widened);
  }
  return parameter.is_composite() && same_form(parameter, given) &&
         std::ranges::equal(parameter.parts(), given.parts(), [&](const Value& p, const Value& g) {
           return covers(ctx, p, g, widened);
         });
}

// Whether some part is a function that stands within the one that is called: it would read the
// variables of the new call.
bool is_within(const Value& value, const Instance& called) {
  auto* closure = value.as<Value::Closure>();
  if (closure && closure->instance->function_root() == &called) return true;
  return std::ranges::any_of(value.parts(),
                             [&](const Value& part) { return is_within(part, called); });
}

}  // namespace

CalledFunction* called_function(Context& ctx, const Callee& callee,
                                const std::vector<Value>& given) {
  const Instance* enclosing = callee.closure ? callee.closure->instance : nullptr;
  for (const auto& one : ctx.session.called) {
    const Instance& i = *one->instance;
    if (i.function != callee.function || i.enclosing != enclosing) continue;
    const auto takes = [&](const Value& p, const Value& g) {
      return covers(ctx, p, g, one->widened);
    };
    if (std::ranges::equal(one->arguments(), given, takes)) return one.get();
  }
  return nullptr;
}

CalledFunction& new_called_function(Context& ctx, const Callee& callee,
                                    const std::vector<Value>& arguments, bool widened) {
  auto made = std::make_unique<CalledFunction>();
  made->instance = ctx.session.make_instance(*callee.function, callee.index);
  made->instance->begins_function = true;
  made->instance->arguments = arguments;
  if (callee.closure) {
    made->instance->enclosing = callee.closure->instance;
    made->instance->enclosing_copy = callee.closure->copy;
  }
  made->widened = widened;
  ctx.inference.changed = true;  // calls of it that were met before are calls too
  ctx.session.called.push_back(std::move(made));
  return *ctx.session.called.back();
}

void prefer(Context& ctx, const CalledFunction& called) {
  auto& all = ctx.session.called;
  const auto at = std::ranges::find(all, &called, &std::unique_ptr<CalledFunction>::get);
  std::rotate(all.begin(), at, at + 1);
}

// Each call of a recursion may add another function to a choice, which never holds all of them; a
// function that is given one of several arrays is one for each.
static bool holds_choice(const Value& value) {
  return value.is<Value::Choice>() || std::ranges::any_of(value.parts(), holds_choice);
}

std::optional<std::vector<Value>> joined_arguments(const Context& ctx, const std::vector<Value>& a,
                                                   const std::vector<Value>& b) {
  if (a.size() != b.size()) return std::nullopt;
  std::vector<Value> out;
  for (size_t i = 0; i < a.size(); ++i) {
    std::optional<Value> one = join(ctx, a[i], b[i]);
    if (!one || (!same_abstract(a[i], b[i]) && holds_choice(*one))) return std::nullopt;
    out.push_back(std::move(*one));
  }
  return out;
}

// ------------------------------------------------------------------------------------------- calls

// The scalars of which a value consists, those of the abstract one that are no constants.
static void add_leaves(Context& ctx, const Value& abstract, const Value& given, const Node* node,
                       std::vector<Inst*>& leaves) {
  const Value value = in_form_of(ctx, abstract, given, node);
  if (abstract.is<Value::Scalar>())
    return leaves.push_back(inst_of(ctx, convert(ctx, value, abstract.code(), node), node));
  if (!abstract.is_composite()) return;
  for (size_t i = 0; i < abstract.parts().size(); ++i)
    add_leaves(ctx, abstract.parts()[i], value.parts()[i], node, leaves);
}

// The abstract value with these scalars.
static Value with_leaves(const Value& abstract, const std::vector<Inst*>& leaves, size_t& next) {
  if (abstract.is<Value::Scalar>()) return abstract.computed_by(leaves.at(next++));
  if (!abstract.is_composite()) return abstract;
  std::vector<Value> parts;
  parts.reserve(abstract.parts().size());
  for (const Value& part : abstract.parts()) parts.push_back(with_leaves(part, leaves, next));
  return abstract.with_parts(std::move(parts));
}

static std::vector<ir::Type> types_of_leaves(const Value& abstract) {
  std::vector<ir::Type> types;
  for_each_leaf(abstract, [&](TypeCode code) { types.push_back(ir::Type::of(*scalar_of(code))); });
  return types;
}

// The caller's arrays that the function is lent, in the order of its table.
static void add_lent(Context& ctx, const Value& given, std::vector<Inst*>& operands) {
  for_each_local(given, [&](const Value::Array& array) {
    operands.push_back(ctx.builder.op(Op::Array, {}, number_of_array(ctx, *array.allocation())));
  });
}

// What it is called with as it knows it, variables of the functions around it last.
static std::vector<Value> known_values(const CalledFunction& called) {
  std::vector<Value> known = called.arguments();
  for (const Capture& one : called.captures) known.push_back(one.abstract);
  return known;
}

static std::vector<Inst*> operands_of(Context& ctx, const std::vector<Value>& known,
                                      const std::vector<Value>& given, const Arguments& a) {
  std::vector<Inst*> operands;
  for (size_t i = 0; i < given.size(); ++i)
    add_leaves(ctx, known[i], given[i], argument_node(a, i), operands);
  for (const Value& value : given) add_lent(ctx, value, operands);
  return operands;
}

// Not until all variables of functions around that it reads are known.
static bool knows_captures(const Context& ctx, const CalledFunction& called) {
  return std::ranges::none_of(called.captures, [&](const Capture& one) {
    return one.abstract.contains_unknown() ||
           captured_type(ctx, *one.owner, one.web).contains_unknown();
  });
}

static void lower(Context& ctx, CalledFunction& called);

// At the first call in a pass, so that its result is known here. Where calls of a long chain lie so
// deep in one another already, after those that wait for them: finish_module().
static void lower_at_first_call(Context& ctx, CalledFunction& called) {
  constexpr uint32_t kDeepest = syntax::kMaxNesting / 10;
  if (!called.begun && ctx.levels <= kDeepest) lower(ctx, called);
}

Value call_for_real(Context& ctx, CalledFunction& called, const std::vector<Value>& given,
                    const Arguments& a) {
  for (size_t i = 0; i < given.size(); ++i) {
    if (is_within(given[i], *called.instance))
      return not_implemented(ctx, argument_node(a, i),
                             "passing a function within '" + called.instance->function->name +
                                 "' to another call of it when the kernel runs");
  }
  if (!called.number) {
    called.number = static_cast<uint32_t>(ctx.called.size());
    called.instance->parent = ctx.instance;
    called.instance->call = ctx.place(a.node);
    ctx.called.push_back(&called);
  }
  lower_at_first_call(ctx, called);
  std::vector<Value> all = given;
  for (const Capture& one : called.captures)
    all.push_back(read_captured(ctx, *one.owner, one.web, one.name));
  // This function is about to be given variables itself.
  if (called.result.is_unknown() || !knows_captures(ctx, called) ||
      std::ranges::any_of(all, &Value::contains_unknown))
    return ctx.session.explaining ? silent(ctx) : Value::unknown();
  const std::vector<Value> known = known_values(called);
  std::vector<Inst*> operands = operands_of(ctx, known, all, a);
  ctx.at(a.node);
  const std::vector<ir::Type> types = types_of_leaves(called.result);
  Inst* call = ctx.builder.typed(Op::Call, types.empty() ? ir::Type::none() : types[0],
                                 std::move(operands), *called.number);
  std::vector<Inst*> results{call};
  for (size_t i = 1; i < types.size(); ++i)
    results.push_back(ctx.builder.typed(Op::CallResult, types[i], {call}, static_cast<int64_t>(i)));
  size_t next = 0;
  return given_back(with_leaves(called.result, results, next), known, all);
}

// --------------------------------------------------------------------------------------- functions

static Value own_parameters(Context& ctx, const Value& abstract, const std::string& name,
                            Span place) {
  std::vector<Inst*> made;
  for (const ir::Type type : types_of_leaves(abstract)) {
    const auto index = static_cast<int64_t>(ctx.function->params.size());
    ctx.function->params.push_back({name, type, {}, place});
    made.push_back(ctx.builder.op(Op::Param, {}, index));
  }
  size_t next = 0;
  return with_leaves(abstract, made, next);
}

static void not_implemented(Context& ctx, const Span& place, const std::string& what) {
  error_at(ctx, DiagCode::not_implemented, place, {what});
}

// What followed from a constant that is no longer the only result is inferred anew.
static void note_result(Context& ctx, CalledFunction& called, Value abstract) {
  const bool was_known = !called.result.is_unknown();
  if (was_known && !same_abstract(called.result, without_constants(called.result))) {
    called.has_several_results = ctx.inference.demoted = true;
    abstract = without_constants(abstract);
  }
  called.result = std::move(abstract);
  ctx.inference.changed = true;
}

static void return_leaves(Context& ctx, CalledFunction& called, const Value& result) {
  const syntax::Function& f = *called.instance->function;
  if (result.contains_unknown()) return;
  if (!result.is_storable()) {
    return not_implemented(ctx, f.span,
                           "returning " + with_article(type_text(result)) +
                               " from a function that is called when the kernel runs");
  }
  Value abstract = abstract_of(result);
  if (called.has_several_results) abstract = without_constants(abstract);
  if (!same_abstract(abstract, called.result)) note_result(ctx, called, std::move(abstract));
  std::vector<Inst*> leaves;
  add_leaves(ctx, called.result, result, called.instance->call.node, leaves);
  ctx.function->results = types_of_leaves(called.result);
  ctx.builder.typed(Op::Return, ir::Type::none(), std::move(leaves));
}

static void borrow(Context& ctx, const Value& abstract) {
  for_each_local(abstract, [&](const Value::Array& array) {
    ctx.function->lent.push_back(number_of_array(ctx, *array.allocation()));
  });
}

// The types of what it reads of the functions around it are those that these have now.
static void bind_captures(Context& ctx, CalledFunction& called) {
  const syntax::Function& f = *called.instance->function;
  for (size_t i = 0; i < called.captures.size(); ++i) {
    Capture& one = called.captures[i];
    const Value now = lent(ctx, captured_type(ctx, *one.owner, one.web),
                           {&f, called.arguments().size() + i, one.name});
    if (!same_abstract(now, one.abstract)) ctx.inference.changed = true;
    one.abstract = now;
    one.value = own_parameters(ctx, now, one.name, f.span);
  }
}

static void bind_own_parameters(Context& ctx, CalledFunction& called) {
  const syntax::Function& f = *called.instance->function;
  const std::vector<const syntax::arg*> parameters = all_parameters_of(f);
  std::vector<Value> own;
  own.reserve(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i)
    own.push_back(
        own_parameters(ctx, called.arguments()[i], parameters[i]->name, parameters[i]->span));
  bind_captures(ctx, called);
  for (const Value& argument : called.arguments()) borrow(ctx, argument);
  for (const Capture& one : called.captures) borrow(ctx, one.abstract);
  for (size_t i = 0; i < parameters.size(); ++i) bind_parameter(ctx, f, i, own[i], parameters[i]);
}

static void lower_body(Context& ctx, CalledFunction& called) {
  const syntax::Function& f = *called.instance->function;
  for (size_t i = 0; i < ctx.function->params.size(); ++i)
    ctx.parameters.push_back(ctx.function->params[i].type.is_array()
                                 ? ctx.builder.op(Op::Param, {}, static_cast<int64_t>(i))
                                 : nullptr);
  bind_own_parameters(ctx, called);
  ctx.function->too_deep = static_cast<uint32_t>(
      failure_number(ctx, f.span,
                     {"RecursionError",
                      {"'" + f.name + "' is called more than " +
                       std::to_string(ir::kMostNestedCalls) + " calls deep"}}));
  const Value result = inlined(ctx, *called.instance);
  return_leaves(ctx, called, result_in_signature(ctx, f, result, called.instance->call.node));
}

static std::unique_ptr<ir::Function> begin_function(const ir::Function& kernel,
                                                    const std::string& name) {
  auto function = std::make_unique<ir::Function>();
  function->name = name;
  function->kernel = &kernel;
  function->params = kernel.params;
  function->launch = kernel.launch;
  function->options = kernel.options;
  return function;
}

// The tables of a module are those of the function that is being lowered.
static void move_tables(ir::Function& from, ir::Function& to) {
  to.arrays = std::move(from.arrays);
  to.failures = std::move(from.failures);
  to.formats = std::move(from.formats);
}

// A walk of its own, while that through the caller waits.
static void lower(Context& ctx, CalledFunction& called) {
  called.begun = true;
  Walk walk(begin_function(ctx.function->module(), called.instance->function->name));
  walk.lowering = &called;
  walk.instance = called.instance.get();
  walk.levels = ctx.levels;
  move_tables(*ctx.function, *walk.function);
  std::swap<Walk>(ctx, walk);
  lower_body(ctx, called);
  std::swap<Walk>(ctx, walk);
  move_tables(*walk.function, *ctx.function);
  called.function = std::move(walk.function);
}

// Every return hangs on the result of a call of the function itself.
static void report_without_type(Context& ctx) {
  const Inference& found = ctx.inference;
  if (found.changed || found.demoted || found.unrolled) return;
  for (const CalledFunction* one : ctx.called) {
    if (!one->result.is_unknown() || !ctx.diagnosis.diagnostics.empty()) continue;
    const syntax::Function& f = *one->instance->function;
    error_at(ctx, DiagCode::recursion_without_type, f.span, {f.name});
  }
}

void finish_module(Context& ctx) {
  for (size_t i = 0; i < ctx.called.size(); ++i)
    if (!ctx.called[i]->begun) lower(ctx, *ctx.called[i]);
  for (CalledFunction* one : ctx.called) {
    one->function->arrays = ctx.function->arrays;
    one->function->failures = ctx.function->failures;
    one->function->formats = ctx.function->formats;
    ctx.function->functions.push_back(std::move(one->function));
  }
  report_without_type(ctx);
}

}  // namespace cuda_device::frontend
