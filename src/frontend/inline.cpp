// Calls of Python functions: the body is lowered again at every place, with its own webs.
#include <utility>

#include "frontend/lowerer.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

constexpr int kMaxInlineDepth = 100;

}  // namespace

// Inlining and unrolling may grow a small program without bound.
bool Lowerer::too_large(const Node* node) {
  constexpr uint32_t kMaxInstructions = 1'000'000;
  if (function_->inst_count() <= kMaxInstructions) return false;
  if (!met_too_large_) error(DiagCode::program_too_large, node);
  met_too_large_ = true;
  silent();
  return true;
}

bool Lowerer::check_callable(const syntax::Function& f, uint32_t index, const Arguments& a) {
  if (f.kind == syntax::FunctionKind::Kernel) {
    error(DiagCode::kernel_called_in_kernel, a.node, {f.name});
    return false;
  }
  std::string cycle = f.name;
  int depth = 0;
  for (const Instance* i = instance_; i; i = i->parent, ++depth) {
    cycle = i->function->name + " → " + cycle;
    if (i->index != index) continue;
    error(DiagCode::recursion, a.node, {f.name, cycle});
    return false;
  }
  if (depth >= kMaxInlineDepth) {
    error(DiagCode::calls_too_deep, a.node, {std::to_string(kMaxInlineDepth)});
    return false;
  }
  return check_parameters(f, a.node) && !too_large(a.node);
}

Value Lowerer::call_function(uint32_t index, const Arguments& a) {
  const syntax::Function& f = program_.functions.at(index);
  if (!check_callable(f, index, a)) return Value::unknown();
  std::optional<std::vector<Value>> bound = bind_arguments(f, a);
  if (!bound) return Value::unknown();
  std::unique_ptr<Instance>& instance = instance_->calls[{a.node, index, copies_}];
  if (!instance) {
    instance = session_.make_instance(index);
    instance->parent = instance_;
    instance->call = a.node;
  }
  Instance* caller = instance_;
  instance_ = instance.get();
  const std::vector<const syntax::arg*> parameters = parameters_of(f);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const syntax::arg* p = parameters[i];
    define(p, annotated(p->annotation, std::move((*bound)[i]), p, "parameter '" + p->name + "'"),
           p);
  }
  Value result = inlined(*instance_);
  instance_ = caller;
  at(a.node);
  return result;
}

// One value per parameter, defaults filled in.
std::optional<std::vector<Value>> Lowerer::bind_arguments(const syntax::Function& f,
                                                          const Arguments& a) {
  const std::vector<const syntax::arg*> parameters = parameters_of(f);
  const size_t positional = f.args ? f.args->posonlyargs.size() + f.args->args.size() : 0;
  std::vector<std::optional<Value>> bound(parameters.size());
  if (a.positional.size() > positional) {
    error(DiagCode::too_many_arguments, a.node,
          {f.name, count_text(positional, "argument"), were_given(a.positional.size()),
           parameters_hint(f)});
    return std::nullopt;
  }
  for (size_t i = 0; i < a.positional.size(); ++i) bound[i] = a.positional[i];
  bool fine = true;
  for (const auto& [name, value] : a.named) fine &= bind_keyword(f, name, value, bound, a);
  std::vector<Value> out;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!bound[i] && fine) bound[i] = missing_argument(f, i, a);
    fine &= bound[i].has_value();
    out.push_back(bound[i].value_or(Value::unknown()));
  }
  if (!fine) return std::nullopt;
  return out;
}

bool Lowerer::bind_keyword(const syntax::Function& f, const std::string& name, const Value& value,
                           std::vector<std::optional<Value>>& bound, const Arguments& a) {
  const std::vector<const syntax::arg*> parameters = parameters_of(f);
  for (size_t i = f.args ? f.args->posonlyargs.size() : 0; i < parameters.size(); ++i) {
    if (parameters[i]->name != name) continue;
    if (bound[i]) {
      error(DiagCode::argument_twice, a.node, {f.name, name});
      return false;
    }
    bound[i] = value;
    return true;
  }
  error(DiagCode::unexpected_keyword, a.node, {f.name, name, parameters_hint(f)});
  return false;
}

std::optional<Value> Lowerer::missing_argument(const syntax::Function& f, size_t i,
                                               const Arguments& a) {
  if (const syntax::Binding* binding = default_of(f, i))
    return binding_value(*binding, a.node, parameters_of(f)[i]->name);
  error(DiagCode::missing_argument, a.node,
        {f.name, parameters_of(f)[i]->name, parameters_hint(f)});
  return std::nullopt;
}

// The body in place, in a scope if some return leaves it early.
Value Lowerer::inlined(Instance& instance) {
  const syntax::Function& f = *instance.function;
  Frame frame;
  frame.instance = &instance;
  frame.scope = open_scopes_++;
  Frame* outer_frame = std::exchange(frame_, &frame);
  const bool outer_reachable = std::exchange(reachable_, true);
  std::vector<uint32_t> outer_copies = std::exchange(copies_, {});
  Captured body = capture([&] {
    frame.body = &builder_.block();
    block(f.body, true);
    if (reachable_) fall_off_end(f);
    return Value::unknown();
  });
  copies_ = std::move(outer_copies);
  reachable_ = outer_reachable;
  frame_ = outer_frame;
  --open_scopes_;
  if (frame.leaves) {
    Inst* scope = builder_.control(Op::Scope, {}, 1);
    scope->regions[0] = std::move(body.block);
  } else {
    splice(body.block);
  }
  if (frame.direct) return *frame.direct;
  if (frame.returns == 0) return instance.webs->has_unsupported ? Value::unknown() : Value::none();
  return load_web(instance.result, "result");
}

// A function that ends without return gives None; one that returns values elsewhere must not end
// so.
void Lowerer::fall_off_end(const syntax::Function& f) {
  const Value& result = frame_->instance->result.abstract;
  if (frame_->instance->webs->has_unsupported) return;  // which may return
  if (frame_->returns == 0) {
    if (f.returns) annotated(f.returns, Value::none(), f.returns, "the result of '" + f.name + "'");
    return;
  }
  if (!result.is_unknown() && !result.is_none())
    error_at(DiagCode::missing_return, f.span, {f.name, type_text(result)});
}

}  // namespace cuda_device::frontend
