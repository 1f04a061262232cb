// Calls of Python functions: the body is lowered again at every place, with its own webs.
#include "frontend/calls/calls.h"

#include <utility>

#include "frontend/calls/intrinsics.h"
#include "frontend/control/assign.h"
#include "frontend/control/control.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

constexpr int kMaxInlineDepth = 100;

}  // namespace

static bool check_callable(Context& ctx, const syntax::Function& f, uint32_t index,
                           const Arguments& a) {
  if (f.kind == syntax::FunctionKind::Kernel) {
    error(ctx, DiagCode::kernel_called_in_kernel, a.node, {f.name});
    return false;
  }
  std::string cycle = f.name;
  int depth = 0;
  for (const Instance* i = ctx.instance; i; i = i->parent, ++depth) {
    cycle = i->function->name + " → " + cycle;
    if (i->index != index) continue;
    error(ctx, DiagCode::recursion, a.node, {f.name, cycle});
    return false;
  }
  if (depth >= kMaxInlineDepth) {
    error(ctx, DiagCode::calls_too_deep, a.node, {std::to_string(kMaxInlineDepth)});
    return false;
  }
  return check_parameters(ctx, f, a.node) && !too_large(ctx, a.node);
}

static bool bind_keyword(Context& ctx, const syntax::Function& f, const std::string& name,
                         const Value& value, std::vector<std::optional<Value>>& bound,
                         const Arguments& a) {
  const std::vector<const syntax::arg*> parameters = parameters_of(f);
  for (size_t i = f.args ? f.args->posonlyargs.size() : 0; i < parameters.size(); ++i) {
    if (parameters[i]->name != name) continue;
    if (bound[i]) {
      error(ctx, DiagCode::argument_twice, a.node, {f.name, name});
      return false;
    }
    bound[i] = value;
    return true;
  }
  error(ctx, DiagCode::unexpected_keyword, a.node, {f.name, name, parameters_hint(f)});
  return false;
}

static std::optional<Value> missing_argument(Context& ctx, const syntax::Function& f, size_t i,
                                             const Arguments& a) {
  if (const syntax::Binding* binding = default_of(f, i))
    return binding_value(ctx, *binding, a.node, parameters_of(f)[i]->name);
  error(ctx, DiagCode::missing_argument, a.node,
        {f.name, parameters_of(f)[i]->name, parameters_hint(f)});
  return std::nullopt;
}

// One value per parameter, defaults filled in.
static std::optional<std::vector<Value>> bind_arguments(Context& ctx, const syntax::Function& f,
                                                        const Arguments& a) {
  const std::vector<const syntax::arg*> parameters = parameters_of(f);
  const size_t positional = f.args ? f.args->posonlyargs.size() + f.args->args.size() : 0;
  std::vector<std::optional<Value>> bound(parameters.size());
  if (a.positional.size() > positional) {
    error(ctx, DiagCode::too_many_arguments, a.node,
          {f.name, count_text(positional, "argument"), were_given(a.positional.size()),
           parameters_hint(f)});
    return std::nullopt;
  }
  for (size_t i = 0; i < a.positional.size(); ++i) bound[i] = a.positional[i];
  bool fine = true;
  for (const auto& [name, value] : a.named) fine &= bind_keyword(ctx, f, name, value, bound, a);
  std::vector<Value> out;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!bound[i] && fine) bound[i] = missing_argument(ctx, f, i, a);
    fine &= bound[i].has_value();
    out.push_back(bound[i].value_or(Value::unknown()));
  }
  if (!fine) return std::nullopt;
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
  if (code && value.is_number() && !is_complex(*code)) return convert(ctx, value, *code, node);
  return error(ctx, DiagCode::declared_mismatch, node, {what, declared, type_text(value)});
}

Value call_function(Context& ctx, uint32_t index, const Arguments& a) {
  const syntax::Function& f = ctx.program.functions.at(index);
  if (!check_callable(ctx, f, index, a)) return Value::unknown();
  std::optional<std::vector<Value>> bound = bind_arguments(ctx, f, a);
  if (!bound || !check_kept(ctx, *bound, a)) return Value::unknown();
  std::unique_ptr<Instance>& instance = ctx.instance->calls[{ctx.place(a.node), index}];
  if (!instance) {
    instance = ctx.session.make_instance(index);
    instance->parent = ctx.instance;
    instance->call = a.node;
  }
  Instance* caller = ctx.instance;
  ctx.instance = instance.get();
  const uint32_t copy = std::exchange(ctx.copy, 0);
  const std::vector<const syntax::arg*> parameters = parameters_of(f);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const syntax::arg* p = parameters[i];
    const std::string what = "parameter '" + p->name + "'";
    (*bound)[i] = in_signature(ctx, f, i + 1, std::move((*bound)[i]), what, argument_node(a, i));
    define(ctx, p, annotated(ctx, p->annotation, std::move((*bound)[i]), p, what), p);
  }
  Value result = inlined(ctx, *ctx.instance);
  ctx.instance = caller;
  ctx.copy = copy;
  ctx.at(a.node);
  return in_signature(ctx, f, 0, std::move(result), "the result of '" + f.name + "'", a.node);
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
  if (frame.returns == 0) return instance.webs->has_unsupported ? Value::unknown() : Value::none();
  return load_web(ctx, instance.result, "result");
}

Value call_lambda(Context& ctx, const Value::Lambda& lambda) {
  Instance* caller = std::exchange(ctx.instance, lambda.instance);
  const uint32_t copy = std::exchange(ctx.copy, lambda.copy);
  const Value v = expr(ctx, syntax::as<syntax::Lambda>(lambda.node)->body);
  ctx.instance = caller;
  ctx.copy = copy;
  return v;
}

}  // namespace cuda_device::frontend
