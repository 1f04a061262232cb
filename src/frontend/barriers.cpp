// syncthreads and its kin (DEV-BLK), and the lambdas that they take as predicates.
#include "frontend/intrinsics.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {

Value Lowerer::call_syncthreads(const Arguments&, const Intrinsic&) {
  builder_.op(Op::Barrier, {});
  return Value::none();
}

// One without parameters. Its names mean what they mean where it stands, whatever function calls
// it.
Value Lowerer::call_lambda(const Value& lambda) {
  Instance* caller = std::exchange(instance_, lambda.instance);
  const Value v = expr(syntax::as<syntax::Lambda>(lambda.node)->body);
  instance_ = caller;
  return v;
}

static std::string first_required(const syntax::Function& f) {
  const std::vector<const syntax::arg*> parameters = parameters_of(f);
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!default_of(f, i)) return parameters[i]->name;
  return "";
}

// The parameters of a lambda that stands in a kernel have no defaults that are known here.
static std::string first_parameter(const syntax::Node* lambda) {
  auto* a = syntax::as<syntax::arguments>(syntax::as<syntax::Lambda>(lambda)->args);
  for (auto* list : {&a->posonlyargs, &a->args, &a->kwonlyargs})
    for (const syntax::Node* p : *list) return syntax::as<syntax::arg>(p)->name;
  return "";
}

// What the predicate gives for this thread: a bool.
Value Lowerer::predicate(const Given& given, const std::string& name, const Node* call) {
  const Value& f = *given.value;
  Value v;
  if (f.kind == Value::Kind::Lambda) {
    auto* arguments = syntax::as<syntax::arguments>(syntax::as<syntax::Lambda>(f.node)->args);
    if (!arguments->defaults.empty() || !arguments->kw_defaults.empty())
      return not_implemented(given.node, "a predicate with default arguments");
    if (const std::string parameter = first_parameter(f.node); !parameter.empty())
      return error(DiagCode::predicate_parameters, given.node, {name, parameter});
    v = call_lambda(f);
  } else if (f.kind == Value::Kind::Function) {
    const std::string parameter = first_required(program_.functions.at(f.index));
    if (!parameter.empty())
      return error(DiagCode::predicate_parameters, given.node, {name, parameter});
    Arguments none;
    none.node = syntax::as<syntax::Call>(call);
    v = call_function(f.index, none);
  } else {
    return wrong_kind(DiagCode::predicate_type, given.node, f, {name, type_text(f)});
  }
  const bool fine = v.is_unknown() || (v.is_number() && is_bool(v.code));
  return fine ? v : error(DiagCode::predicate_result, given.node, {name, type_text(v)});
}

Value Lowerer::call_vote(const Arguments& a, const Intrinsic& i) {
  const auto given = named_arguments(a, i);
  if (!given) return Value::unknown();
  if (!(*given)[0].value)
    return error(DiagCode::missing_argument, a.node,
                 {i.short_name(), "pred", "write " + i.short_name() + "(lambda: ...)"});
  const Value holds = predicate((*given)[0], i.short_name(), a.node);
  if (holds.is_unknown()) return holds;
  at(a.node);
  Inst* result = builder_.op(i.op, {inst_of(holds, a.node)});
  return Value::number(i.op == Op::BarrierCount ? TypeCode::i4 : TypeCode::b1, result);
}

}  // namespace cuda_device::frontend
